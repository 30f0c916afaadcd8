// In the end everybody is honest and nothing fails any more: queues are resumed, schedules rest. From then on every job has
// to end within a time that follows from the policies, and what is due or can be taken has to be, without delay.
import type { JobAggregate } from '../../src/core/aggregate.ts'
import { type Backoff, backoffMs } from '../../src/core/backoff.ts'
import { type Limit, policyOf } from '../../src/core/job/protocol.ts'
import type { StepRecord } from '../../src/core/job/record.ts'
import { pick } from '../../src/core/pick.ts'
import { fromIso, SECOND_MS } from '../../src/core/time.ts'
import type { Store } from '../../src/store/store.ts'
import { law } from './law-broken.ts'
import { HONEST_WORK_MS as LOCAL_WORK_MS } from './local-work.ts'
import { QUEUES, SERVICES } from './protocols.ts'
import { HONEST_WORK_MS as REMOTE_WORK_MS } from './remote-services.ts'
import type { Shadow } from './shadow.ts'

/** Disk, broker and callbacks together take no longer for one attempt, nor do others who were first in line. */
const ON_THE_WAY_MS = 2 * SECOND_MS

/** A service that failed before tries again after half a minute at the latest, and notices a set clock after a minute. */
const ASLEEP_MS = 90 * SECOND_MS

/** What is due is done within this. */
const PROMPTLY_MS = 3 * SECOND_MS

/**
 * Where several processes may have the ledger, what one of them has decided and did not live to finish is found by nobody until
 * its part of the log is taken to be abandoned: a minute after it was last heard of, and half a minute until somebody looks.
 */
const ABANDONED_MS = 60 * SECOND_MS + 30 * SECOND_MS + 5 * SECOND_MS

/** How long things may be left half done; as long again as the clock is behind the ledger's time. */
export function leftBehindMs(shadow: Shadow, now: number): number {
  return Math.max(0, shadow.now - now) + ABANDONED_MS
}

/**
 * Longest that it can take until all have ended, if they did everything one after the other: what each step waits for has
 * to run out, then its backoff, then one attempt, which succeeds.
 */
export function longestMs(shadow: Shadow, now: number): number {
  const open = shadow.openJobs()
  const behind = Math.max(0, shadow.now - now)
  const delays = open.map(({ job }) => (job.run_at === null ? 0 : Math.max(0, fromIso(job.run_at) - now)))
  const steps = open.reduce((sum, aggregate) => sum + stepsMs(aggregate, shadow), 0)
  return behind + Math.max(0, ...delays) + steps + ASLEEP_MS
}

function stepsMs({ steps }: JobAggregate, shadow: Shadow): number {
  return steps
    .filter(({ state }) => !['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'].includes(state))
    .reduce((sum, step) => sum + stepMs(step, shadow), 0)
}

function stepMs(step: StepRecord, shadow: Shadow): number {
  const { rate } = shadow.queues.get(step.queue) ?? { rate: null }
  const spans = [...step.limits.map((limit: Limit) => limit.per_ms ?? 0), rate?.per_ms ?? 0]
  const publish = policyOf(step, 'publish_timeout_ms') + longest(policyOf(step, 'publish_backoff'))
  const attempt = policyOf(step, 'ack_timeout_ms') + policyOf(step, 'lease_ms')
  const again = longest(policyOf(step, 'backoff'))
  const honest = Math.max(LOCAL_WORK_MS, REMOTE_WORK_MS) + ON_THE_WAY_MS
  return publish + attempt + again + honest + Math.max(...spans) + (step.gate?.timeout_ms ?? 0)
}

/** After so many failures a wait does not grow any more. */
const MANY = 20

function longest(backoff: Backoff): number {
  return Math.max(...Array.from({ length: MANY }, (_, n) => backoffMs(backoff, n + 1)))
}

/** Nothing that could go on waits for long. */
export class Promptness {
  readonly #since = new Map<string, number>()

  async check(store: Store, shadow: Shadow, clock: number): Promise<void> {
    const open = shadow.openJobs()
    for (const { job } of open) {
      // The store's time does not go back, and its timers wait until the clock has caught up with it.
      const overdue = job.due_at === null ? 0 : clock - fromIso(job.due_at)
      law(overdue <= PROMPTLY_MS, () => `job ${job.job_id} is due since ${job.due_at} and nobody advances it`)
    }
    const seen = await this.#takeable(store)
    // Those before it in line may each take as long as work takes.
    const patience = PROMPTLY_MS + open.length * (LOCAL_WORK_MS + ON_THE_WAY_MS)
    for (const id of this.#since.keys()) if (!seen.has(id)) this.#since.delete(id)
    for (const id of seen) {
      const since = this.#since.get(id) ?? clock
      this.#since.set(id, since)
      law(clock - since <= patience, () => `job ${id} could be taken for ${clock - since} ms and nobody does`)
    }
  }

  async #takeable(store: Store): Promise<ReadonlySet<string>> {
    const queues = [...QUEUES, ...SERVICES.map((service) => `push:${service}`)]
    const chosen = await store.ready(
      queues,
      100,
      (heads, view) => pick(heads, { limit: 100, running: new Map(), view }).chosen,
    )
    return new Set(chosen.map(({ key }) => `${key.tenant_id} ${key.id}`))
  }
}
