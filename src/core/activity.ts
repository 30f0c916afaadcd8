import type { AuditRecord } from './audit.ts'
import { type JobState, jobMachine } from './machines/job.ts'
import { type StepState, stepMachine } from './machines/step.ts'
import { fromEpochSeconds, SECOND_MS } from './time.ts'

/** What is counted of all that happens. */
const ACTIVITIES = ['submitted', 'succeeded', 'failed', 'cancelled', 'retried', 'refused'] as const

export type ActivityName = (typeof ACTIVITIES)[number]

const ENDS: { readonly [S in JobState]?: ActivityName } = {
  SUCCEEDED: 'succeeded',
  FAILED_FINAL: 'failed',
  CANCELLED: 'cancelled',
}

type Told = Pick<AuditRecord, 'event' | 'kind' | 'old_state' | 'new_state'>

/** What a record of the history counts as; null for most of them. */
export function activityOf({ event, kind, old_state, new_state }: Told): ActivityName | null {
  if (event === 'refused') return 'refused'
  if (event !== 'moved') return null
  if (kind === 'step') return stepMachine.states[new_state as StepState].retry === true ? 'retried' : null
  if (kind !== 'job') return null
  if (old_state === null && new_state === jobMachine.initial) return 'submitted'
  return ENDS[new_state as JobState] ?? null
}

/** Equal steps of time. */
export interface TimeSteps {
  /** Epoch seconds at which each begins. */
  readonly at: readonly number[]
  readonly step_seconds: number
}

/** The step that is not over yet, and those before it; steps of one length always begin at the same times. */
export function stepsUntil(now: number, step_seconds: number, steps: number): TimeSteps {
  const last = Math.floor(now / SECOND_MS / step_seconds) * step_seconds
  return {
    at: Array.from({ length: steps }, (_, i) => last - (steps - 1 - i) * step_seconds),
    step_seconds,
  }
}

export type ActivitySeries = { readonly [name in ActivityName]: number[] }

/** How much happened in each second that anything did, by tenant. */
export class ActivityCounts {
  readonly #most: number
  readonly #tenants = new Map<string, Map<number, Uint32Array>>()
  #size = 0

  /** So many seconds of tenants are kept at most. */
  constructor(most: number) {
    this.#most = most
  }

  /** Seconds of tenants that are kept. */
  get size(): number {
    return this.#size
  }

  add({ tenant_id, timestamp }: Pick<AuditRecord, 'tenant_id' | 'timestamp'>, name: ActivityName): void {
    const seconds = this.#tenants.get(tenant_id) ?? new Map<number, Uint32Array>()
    this.#tenants.set(tenant_id, seconds)
    const second = Math.floor(fromEpochSeconds(timestamp) / SECOND_MS)
    const counts = seconds.get(second) ?? new Uint32Array(ACTIVITIES.length)
    if (!seconds.has(second)) this.#size++
    seconds.set(second, counts)
    const place = ACTIVITIES.indexOf(name)
    counts[place] = (counts[place] as number) + 1
  }

  /** Forgets what happened before this second. */
  forget(before: number): void {
    for (const [tenant_id, seconds] of this.#tenants) {
      for (const second of seconds.keys()) {
        if (second < before && seconds.delete(second)) this.#size--
      }
      if (seconds.size === 0) this.#tenants.delete(tenant_id)
    }
  }

  /** When there is more than is kept, forgets the older half; answers the second from which on all is there, or null. */
  trim(): number | null {
    if (this.#size <= this.#most) return null
    const seconds = [...this.#tenants.values()].flatMap((one) => [...one.keys()]).sort((a, b) => a - b)
    // One more than the middle: what happened in a single second is forgotten as well.
    const from = (seconds[seconds.length >> 1] as number) + 1
    this.forget(from)
    return from
  }

  /** Of one tenant, or of all. */
  series(tenant_id: string | undefined, { at, step_seconds }: TimeSteps): ActivitySeries {
    const series = Object.fromEntries(ACTIVITIES.map((name) => [name, at.map(() => 0)])) as ActivitySeries
    const first = at[0] as number
    for (const [tenant, seconds] of this.#tenants) {
      if (tenant_id !== undefined && tenant !== tenant_id) continue
      for (const [second, counts] of seconds) {
        const step = Math.floor((second - first) / step_seconds)
        if (step < 0 || step >= at.length) continue
        for (const [place, name] of ACTIVITIES.entries()) {
          series[name][step] = (series[name][step] as number) + (counts[place] as number)
        }
      }
    }
    return series
  }
}
