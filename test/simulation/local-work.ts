import { SECOND_MS } from '../../src/core/time.ts'
import type { Handler, Handlers, StepWork } from '../../src/runtime/handler.ts'
import { NonRetryable } from '../../src/wire/non-retryable.ts'
import { Output } from '../../src/wire/output.ts'
import { law } from './law-broken.ts'
import { madeBy } from './laws/attempts.ts'
import type { Life } from './life.ts'
import { QUEUES } from './protocols.ts'
import { outputOf } from './remote-services.ts'
import type { Scene } from './scene.ts'
import { nameOf } from './shadow.ts'
import { short } from './trace.ts'
import { SLOWEST_MS } from './wire.ts'

const WAYS = {
  'does it': 60,
  'takes long': 10,
  throws: 12,
  'throws for good': 3,
  'hangs until it is told to stop': 6,
  'hangs whatever it is told': 4,
  'returns what cannot be stored': 2,
} as const

type Way = keyof typeof WAYS

/** Looks in which a worker may not have begun: its claim may still be on its way back to it. */
const MOST_IDLE = 3

/**
 * Over a bad wire what is decided may take long to be finished, and the worker is told only then. In calm times what was slow
 * before may still be on its way.
 */
const MOST_IDLE_ELSEWHERE = 60
const MOST_IDLE_IN_CALM = MOST_IDLE + SLOWEST_MS / SECOND_MS

/** Longest that an honest handler takes. */
export const HONEST_WORK_MS = 3 * SECOND_MS

/** What the handlers of workers do, and what has to hold when they are called. */
export class LocalWork {
  readonly #scene: Scene
  readonly #begun = new Set<string>()
  /** Attempts that a worker of a process holds and has not begun, and how often that was seen. */
  #idle = new WeakMap<Life, ReadonlyMap<string, number>>()

  constructor(scene: Scene) {
    this.#scene = scene
    scene.onCalm(() => {
      this.#idle = new WeakMap()
    })
  }

  handlers(life: Life, worker: string): Handlers {
    const handler: Handler = (work) => this.#handle(life, worker, work)
    return Object.fromEntries(QUEUES.map((queue) => [queue, handler]))
  }

  async #handle(life: Life, worker: string, work: StepWork): Promise<unknown> {
    const { dice, trace, isCalm } = this.#scene
    const lease_id = String(work.step.lease_id)
    try {
      this.#mustBeGiven(worker, work)
    } catch (error) {
      this.#scene.broke(error)
    }
    const way: Way = isCalm ? 'does it' : dice.weighed(WAYS)
    trace.add(`${worker} does ${work.step.step_id} ${short(lease_id)}: ${way}`)
    const pass = (ms: number) => new Promise<void>((resolve) => life.timers.after(ms, resolve))
    if (way.startsWith('hangs')) await this.#hang(work.signal, way === 'hangs until it is told to stop')
    else await pass(dice.between(0, way === 'takes long' ? 30 * SECOND_MS : HONEST_WORK_MS))
    if (way === 'throws') throw new Error(`it did not work, ${madeBy(lease_id)}`)
    if (way === 'throws for good') throw new NonRetryable(`it will never work, ${madeBy(lease_id)}`)
    if (way === 'returns what cannot be stored') return new Output({ n: Number.NaN }, madeBy(lease_id))
    return new Output(outputOf(lease_id, dice.chance(0.2)), madeBy(lease_id))
  }

  /** Call it now and then: a worker begins what it was given, as long as it lives. */
  mustBegin(life: Life): void {
    const seen = new Map<string, number>()
    const most = this.#mostIdle
    for (const { steps } of this.#scene.laws.shadow.openJobs()) {
      for (const { state, delivery, holder, lease_id, job_id, step_id } of steps) {
        const isHeld = state === 'IN_PROGRESS' && delivery === 'pull' && life.isOwn(holder)
        if (!isHeld || lease_id === null || this.#begun.has(lease_id)) continue
        const times = (this.#idle.get(life)?.get(lease_id) ?? 0) + 1
        seen.set(lease_id, times)
        law(times <= most, () => `${holder} was given ${job_id}/${step_id}, and never began`)
      }
    }
    this.#idle.set(life, seen)
  }

  get #mostIdle(): number {
    const { engine, isCalm } = this.#scene
    if (engine !== 'azure-tables') return MOST_IDLE
    return isCalm ? MOST_IDLE_IN_CALM : MOST_IDLE_ELSEWHERE
  }

  /** In the end everybody comes round. */
  #hang(signal: AbortSignal, listens: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#scene.onCalm(resolve)
      if (listens) signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  }

  #mustBeGiven(worker: string, { job, step, previous }: StepWork): void {
    const name = `${job.job_id}/${step.step_id}`
    const lease_id = String(step.lease_id)
    law(!this.#begun.has(lease_id), () => `${worker} was given attempt ${lease_id} at ${name} a second time`)
    this.#begun.add(lease_id)
    const known = this.#scene.laws.shadow.job(job.tenant_id, job.job_id)
    const before = known?.steps[step.step_index - 1]
    const own = this.#scene.laws.shadow.leases.get(lease_id)
    law(own?.step_id === step.step_id, () => `${worker} works on ${name} before that is durable`)
    law(
      own.job === nameOf(job.tenant_id, job.job_id),
      () => `${worker} was given the lease of ${own.job} for ${name}`,
    )
    law(step.holder === worker, () => `${worker} was given ${name}, which ${step.holder} holds`)
    if (before === undefined) return
    const made = (previous as { readonly by?: string } | null)?.by ?? null
    const by = before.result_ref === null ? null : String(before.result_ref).slice(madeBy('').length)
    law(made === by, () => `${name} was given the output of ${made}; the step before is by ${by}`)
  }
}
