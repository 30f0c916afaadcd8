import type { LedgerRecord } from '../../../src/core/aggregate.ts'
import { IN_FLIGHT, slotOwner } from '../../../src/core/job/limits.ts'
import type { Limit, Rate } from '../../../src/core/job/protocol.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../src/core/job/record.ts'
import { EVERYBODY, QUEUE_LIMIT } from '../../../src/core/queue/record.ts'
import { law } from '../law-broken.ts'
import { type Commit, isEnded, isUnderWay, jobsOf, nameOf, type Shadow } from '../shadow.ts'

/** An attempt that was begun under a limit by time. */
interface Start {
  readonly lease_id: string
  /** It counts until then, by the span that was in force when it began. */
  until: number
}

interface Starting {
  readonly step: StepRecord
  readonly limit: Limit
  readonly commit: Commit
}

/** Whose limits: those of the step itself, or of its queue. */
type What = 'own' | 'queue'

/**
 * Limits are kept: what the records say is counted here anew, whatever the store knows of places. Who was let past the limits
 * is counted with the others, and may be one too many. Where others may come in between, whoever had begun to take a place before
 * somebody was let past took it before them, also when theirs was written first.
 */
export class LimitsAreKept {
  readonly #inFlightLimit: number
  readonly #starts = new Map<string, Start[]>()
  /** When attempts got places that no limit holds, by what for and their leases. */
  readonly #letPast = new Map<string, number>()

  constructor(inFlightLimit: number) {
    this.#inFlightLimit = inFlightLimit
  }

  /** Before the commit takes effect. */
  readonly check = (shadow: Shadow, commit: Commit): void => {
    for (const name of jobsOf(commit.change)) {
      const after = shadow.after(name, commit.change)
      const isNew = !shadow.jobs.has(name)
      if (isNew && !isEnded(after.job)) this.#checkInFlight(shadow, after.job.tenant_id, commit)
      for (const step of after.steps) {
        const old = shadow.before(step) as StepRecord | undefined
        const row = commit.change.puts.find((put) => isTaken(shadow, put) && put.lease_id === step.lease_id)
        const isBegun = isUnderWay(step) && step.lease_id !== old?.lease_id
        const isHandedOut = (isBegun && step.delivery === 'pull') || row !== undefined
        const { unlimited } = after.job
        if (isBegun) this.#checkOwn(shadow, step, unlimited, commit)
        if (isHandedOut) this.#checkQueue(shadow, step, unlimited, commit)
        if (unlimited && isBegun) this.#letPast.set(`own ${step.lease_id}`, commit.etag)
        if (unlimited && isHandedOut) this.#letPast.set(`queue ${step.lease_id}`, commit.etag)
      }
    }
  }

  /** After it did: whoever works holds a place, and nobody else does. */
  readonly checkPlaces = (shadow: Shadow, { change }: Commit): void => {
    for (const name of jobsOf(change)) {
      const { job, steps } = shadow.after(name, change)
      const { tenant_id, job_id } = job
      const held = shadow.holders(tenant_id, IN_FLIGHT).has(job_id)
      law(
        held === !isEnded(job),
        () => `job ${job_id} is ${job.state} and its place in flight is ${held ? 'held' : 'free'}`,
      )
      for (const step of steps) {
        for (const { key, per_ms } of step.limits) {
          if (per_ms !== undefined) continue
          const has = shadow.holders(tenant_id, key).has(job_id)
          law(
            has === isUnderWay(step),
            () =>
              `${job_id}/${step.step_id} is ${step.state} and its place under ${key} is ${has ? 'held' : 'free'}`,
          )
        }
      }
      checkQueuePlaces(shadow, job, steps)
    }
  }

  /** Whether somebody had a place when whoever takes one now began to. */
  #wasThere(what: What, { lease_id }: Pick<StepRecord, 'lease_id'>, { begun }: Commit): boolean {
    const since = this.#letPast.get(`${what} ${lease_id}`)
    return begun === undefined || since === undefined || since <= begun.after
  }

  #checkInFlight(shadow: Shadow, tenant_id: string, { change }: Commit): void {
    const open = new Set(
      shadow
        .openJobs()
        .filter(({ job }) => job.tenant_id === tenant_id)
        .map(({ job }) => job.job_id),
    )
    for (const name of jobsOf(change)) {
      const { job } = shadow.after(name, change)
      if (job.tenant_id !== tenant_id) continue
      if (isEnded(job)) open.delete(job.job_id)
      else open.add(job.job_id)
    }
    law(
      open.size <= this.#inFlightLimit,
      () => `${open.size} jobs of ${tenant_id} are in flight, ${this.#inFlightLimit} may be`,
    )
  }

  #checkOwn(shadow: Shadow, step: StepRecord, unlimited: boolean, commit: Commit): void {
    for (const limit of step.limits) {
      const name = nameOf(step.tenant_id, limit.key)
      const isSame = (other: StepRecord) =>
        other.tenant_id === step.tenant_id &&
        this.#wasThere('own', other, commit) &&
        other.limits.some(({ key, per_ms }) => key === limit.key && per_ms === limit.per_ms)
      const count =
        limit.per_ms === undefined
          ? countUnderWay(shadow, commit, isSame)
          : this.#start(name, 'own', { step, limit, commit })
      law(
        unlimited || count <= limit.max,
        () => `${count} attempts ${spanOf(limit)} under ${name}, ${limit.max} may be`,
      )
    }
  }

  /** Of the limits which whoever decided may have seen, the widest has to be kept. */
  #checkQueue(shadow: Shadow, step: StepRecord, unlimited: boolean, commit: Commit): void {
    const queues = shadow.queueSeenBy(commit, step.queue)
    const name = `${QUEUE_LIMIT}${step.queue}`
    const most = Math.max(...queues.map((queue) => queue?.concurrency ?? Number.POSITIVE_INFINITY))
    if (Number.isFinite(most)) {
      const isCounted = (other: StepRecord) =>
        other.queue === step.queue && other.queue_slot && this.#wasThere('queue', other, commit)
      const count = countUnderWay(shadow, commit, isCounted)
      const had = (shadow.before(step) as StepRecord | undefined)?.queue_slot === true
      law(unlimited || had || count <= most, () => `${count} attempts at once in ${name}, ${most} may be`)
    }
    const rates = queues.map((queue) => queue?.rate ?? null).filter((rate) => rate !== null)
    if (rates.length < queues.length) return
    const limit = { key: name, max: maxOf(rates), per_ms: Math.min(...rates.map(({ per_ms }) => per_ms)) }
    const count = this.#start(name, 'queue', { step, limit, commit })
    law(
      unlimited || count <= limit.max,
      () => `${count} attempts ${spanOf(limit)} in ${name}, ${limit.max} may be`,
    )
  }

  /** How many were begun within the span that ends now, this one included. One that is published again counts once. */
  #start(name: string, what: What, { step, limit, commit }: Starting): number {
    const { at } = commit
    const { lease_id } = step
    const recent = (this.#starts.get(name) ?? []).filter(({ until }) => until > at)
    const known = recent.find((start) => start.lease_id === lease_id)
    const until = at + (limit.per_ms as number)
    if (known === undefined) recent.push({ lease_id: lease_id as string, until })
    else known.until = until
    this.#starts.set(name, recent)
    return recent.filter((start) => this.#wasThere(what, start, commit)).length
  }
}

function maxOf(rates: readonly Rate[]): number {
  return Math.max(...rates.map(({ max }) => max))
}

function spanOf({ per_ms }: Limit): string {
  return per_ms === undefined ? 'at once' : `within ${per_ms} ms`
}

/** The attempts that would be under way after a commit. */
function countUnderWay(shadow: Shadow, { change }: Commit, counts: (step: StepRecord) => boolean): number {
  const names = new Set([...shadow.jobs.keys(), ...jobsOf(change)])
  let count = 0
  for (const name of names) {
    const known = shadow.jobs.get(name)
    if (known !== undefined && isEnded(known.job)) continue
    const { steps } = shadow.after(name, change)
    for (const step of steps) if (isUnderWay(step) && counts(step)) count++
  }
  return count
}

/** A dispatcher took it with this commit, for the first time: what is published once more is no other attempt. */
function isTaken(shadow: Shadow, put: LedgerRecord): put is OutboxRecord {
  if (put.kind !== 'outbox') return false
  return put.tries === 1 && (shadow.before(put) as OutboxRecord | undefined)?.tries !== 1
}

function checkQueuePlaces(shadow: Shadow, job: JobRecord, steps: readonly StepRecord[]): void {
  const owner = slotOwner(EVERYBODY, job)
  for (const queue of new Set(steps.map((step) => step.queue))) {
    const works = steps.some((step) => step.queue === queue && step.queue_slot && isUnderWay(step))
    const has = shadow.holders(EVERYBODY, `${QUEUE_LIMIT}${queue}`).has(owner)
    law(has === works, () => `the place of ${owner} in the queue ${queue} is ${has ? 'held' : 'free'}`)
  }
}
