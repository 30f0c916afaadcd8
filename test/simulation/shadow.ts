import { applyToJob, type JobAggregate, type LedgerRecord, type RecordKey } from '../../src/core/aggregate.ts'
import type { Change, SlotChange } from '../../src/core/decision.ts'
import type { DocumentRecord } from '../../src/core/document/record.ts'
import type { RunRecord } from '../../src/core/group/run-record.ts'
import type { WorkstreamRecord } from '../../src/core/group/workstream-record.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../src/core/job/record.ts'
import { isTerminal } from '../../src/core/machine.ts'
import { jobMachine } from '../../src/core/machines/job.ts'
import type { QueueRecord } from '../../src/core/queue/record.ts'
import type { ScheduleRecord } from '../../src/core/schedule/record.ts'
import type { TokenRecord } from '../../src/core/token/record.ts'

/** One change that became durable. */
export interface Commit {
  readonly change: Change
  /** The store's time when it was decided. */
  readonly at: number
  readonly etag: number
  /** Every record counts its own changes, and several are decided on at once; else all have the etag of their commit. */
  readonly isByRecord?: true
  /** What was durable when it was begun, where others may come in between that and its own becoming durable. */
  readonly begun?: Begun
}

/** The last commit that whoever decides has to have seen. */
export interface Begun {
  readonly after: number
  /** The same of what was decided about queues, which is looked up now and then only. */
  readonly afterQueues: number
}

/** Who had a lease, and how its attempt ended. */
export interface Lease {
  readonly job: string
  readonly step_id: string
  readonly attempt_no: number
}

type Holders = Map<string, number>

/** What the ledger has to hold, put together from what became durable, one change after the other. */
export class Shadow {
  readonly jobs = new Map<string, JobAggregate>()
  readonly rows = new Map<string, OutboxRecord>()
  readonly queues = new Map<string, QueueRecord>()
  readonly schedules = new Map<string, ScheduleRecord>()
  readonly documents = new Map<string, DocumentRecord>()
  readonly runs = new Map<string, RunRecord>()
  readonly workstreams = new Map<string, WorkstreamRecord>()
  readonly tokens = new Map<string, TokenRecord>()
  readonly claims = new Map<string, string>()
  /** Who holds a place under which limit, and until when. */
  readonly slots = new Map<string, Holders>()
  /** The last state of each record as the history tells it. */
  readonly told = new Map<string, string>()
  readonly leases = new Map<string, Lease>()
  /** Queues and documents as they have been, each with the commit that made it so. */
  readonly #past = new Map<string, { readonly etag: number; readonly record: LedgerRecord }[]>()
  /** The latest time that anything was decided at. */
  now = 0
  etag = 0

  job(tenant_id: string, job_id: string): JobAggregate | undefined {
    return this.jobs.get(nameOf(tenant_id, job_id))
  }

  step(job: string, step_id: string): StepRecord | undefined {
    return this.jobs.get(job)?.steps.find((step) => step.step_id === step_id)
  }

  openJobs(): readonly JobAggregate[] {
    return [...this.jobs.values()].filter(({ job }) => !isEnded(job))
  }

  /** The job as a commit leaves it. */
  after(name: string, { puts }: Change): JobAggregate {
    const own = puts.filter((put) => isJobPart(put) && nameOf(put.tenant_id, put.job_id) === name)
    return applyToJob(this.jobs.get(name) ?? null, own)
  }

  /** The record as it was. */
  before(put: LedgerRecord): LedgerRecord | undefined {
    switch (put.kind) {
      case 'job':
        return this.job(put.tenant_id, put.job_id)?.job
      case 'step':
        return this.job(put.tenant_id, put.job_id)?.steps[put.step_index]
      case 'outbox':
        return this.rows.get(put.outbox_id)
      case 'queue':
        return this.queues.get(put.queue)
      case 'schedule':
        return this.schedules.get(nameOf(put.tenant_id, put.schedule_id))
      case 'document':
        return this.documents.get(nameOf(put.tenant_id, put.doc_id))
      case 'run':
        return this.runs.get(nameOf(put.tenant_id, put.run_id))
      case 'workstream':
        return this.workstreams.get(nameOf(put.tenant_id, put.workstream_id))
      case 'token':
        return this.tokens.get(put.token_id)
    }
  }

  /** The queue as whoever made this commit may have seen it: as it was when they began, and as it became since. */
  queueSeenBy({ begun }: Commit, queue: string): readonly (QueueRecord | undefined)[] {
    if (begun === undefined) return [this.queues.get(queue)]
    return this.#since(`queue ${queue}`, begun.afterQueues) as readonly (QueueRecord | undefined)[]
  }

  /** The same for a document. */
  documentSeenBy({ begun }: Commit, name: string): readonly (DocumentRecord | undefined)[] {
    if (begun === undefined) return [this.documents.get(name)]
    return this.#since(`document ${name}`, begun.after) as readonly (DocumentRecord | undefined)[]
  }

  #since(name: string, after: number): readonly (LedgerRecord | undefined)[] {
    const past = this.#past.get(name) ?? []
    const then = past.findLastIndex(({ etag }) => etag <= after)
    return [...(then === -1 ? [undefined] : []), ...past.slice(Math.max(then, 0)).map(({ record }) => record)]
  }

  holders(tenant_id: string, key: string): ReadonlyMap<string, number> {
    return this.slots.get(nameOf(tenant_id, key)) ?? NOBODY
  }

  apply({ change, at, etag }: Commit): void {
    for (const name of jobsOf(change)) this.jobs.set(name, this.after(name, change))
    for (const put of change.puts) this.#put(put)
    for (const put of change.puts) {
      if (put.kind === 'queue') this.#remember(`queue ${put.queue}`, put, etag)
      if (put.kind === 'document') this.#remember(`document ${nameOf(put.tenant_id, put.doc_id)}`, put, etag)
    }
    for (const { tenant_id, key, owner } of change.claims) this.claims.set(nameOf(tenant_id, key), owner)
    for (const slot of change.slots) this.#slot(slot)
    for (const entry of change.audit) {
      if (entry.event === 'moved') this.told.set(toldName(entry), entry.path.at(-1) as string)
    }
    this.now = Math.max(this.now, at)
    this.etag = etag
  }

  #put(put: LedgerRecord): void {
    if (put.kind === 'outbox') this.rows.set(put.outbox_id, put)
    if (put.kind === 'queue') this.queues.set(put.queue, put)
    if (put.kind === 'schedule') this.schedules.set(nameOf(put.tenant_id, put.schedule_id), put)
    if (put.kind === 'token') this.tokens.set(put.token_id, put)
    if (put.kind === 'document') this.documents.set(nameOf(put.tenant_id, put.doc_id), put)
    if (put.kind === 'run') this.runs.set(nameOf(put.tenant_id, put.run_id), put)
    if (put.kind === 'workstream') this.workstreams.set(nameOf(put.tenant_id, put.workstream_id), put)
    if (put.kind === 'step' && put.lease_id !== null) {
      const { step_id, attempt_no } = put
      this.leases.set(put.lease_id, { job: nameOf(put.tenant_id, put.job_id), step_id, attempt_no })
    }
  }

  #remember(name: string, record: LedgerRecord, etag: number): void {
    const past = this.#past.get(name)
    if (past === undefined) this.#past.set(name, [{ etag, record }])
    else past.push({ etag, record })
  }

  #slot(slot: SlotChange): void {
    const name = nameOf(slot.tenant_id, slot.key)
    const holders = this.slots.get(name) ?? new Map<string, number>()
    this.slots.set(name, holders)
    if (slot.verb === 'take') holders.set(slot.owner, slot.until ?? Number.POSITIVE_INFINITY)
    else holders.delete(slot.owner)
  }
}

const NOBODY: ReadonlyMap<string, number> = new Map()

export function nameOf(tenant_id: string, id: string): string {
  return `${tenant_id} ${id}`
}

/** The jobs that a change is about. */
export function jobsOf({ puts }: Change): ReadonlySet<string> {
  return new Set(puts.filter(isJobPart).map(({ tenant_id, job_id }) => nameOf(tenant_id, job_id)))
}

function isJobPart(put: LedgerRecord): put is JobRecord | StepRecord | OutboxRecord {
  return put.kind === 'job' || put.kind === 'step' || put.kind === 'outbox'
}

export function toldName({
  kind,
  tenant_id,
  id,
}: Pick<RecordKey<never>, 'tenant_id' | 'id'> & { kind: string }): string {
  return `${kind} ${tenant_id} ${id}`
}

export function isEnded({ state }: JobRecord): boolean {
  return isTerminal(jobMachine, state)
}

/** An attempt is under way: it holds what limits count. */
export function isUnderWay({ state }: StepRecord): boolean {
  return state === 'DISPATCHING' || state === 'AWAITING_ACK' || state === 'IN_PROGRESS'
}
