import type { JobAggregate, LedgerRecord } from '../aggregate.ts'
import type { AuditEntry } from '../audit.ts'
import type { Change, SlotChange } from '../decision.ts'
import { isJsonObject, type Json } from '../json.ts'
import { jobMachine } from '../machines/job.ts'
import { stepMachine } from '../machines/step.ts'
import { must } from '../must.ts'
import type { SubmitJob } from './commands.ts'
import { Legs } from './leg.ts'
import type { Protocol } from './protocol.ts'
import type { JobRecord, Priority, Ready, Ref, StepRecord } from './record.ts'
import { rankAt } from './waiting.ts'

// Most jobs are submitted by the thousand, and nothing tells one from the other but its id, its request and the time. What
// was decided for the first of them holds for all. So it is decided once; each of the others is kept as what is its own
// and the form that all of them have (birth.ts), and becomes records when somebody looks at them.

/** What is a job's own among those that are alike. */
export interface OwnOfJob {
  readonly job_id: string
  readonly idempotency_key: string | null
  readonly idempotency_hash: string
  readonly input_ref: Ref & Json
  readonly output_ref: Ref & Json
  readonly payload: Json
  /** As JSON, where that was written already. */
  readonly payloadText?: string | undefined
}

/** A job that is new, for all that are like it. */
export class JobForm {
  readonly tenant_id: string
  /** The place under a limit that each of them holds. */
  readonly slot: SlotChange
  /** How those went on that were born like this. */
  readonly legs = new Legs()
  /** What is the first one's own. */
  readonly first: OwnOfJob
  readonly #entry: AuditEntry | null
  readonly #records: readonly LedgerRecord[]
  readonly #priority: Priority
  #job: JobRecord | null = null
  #steps: readonly StepRecord[] | null = null
  #lastReady: Ready

  private constructor(
    first: OwnOfJob,
    records: readonly LedgerRecord[],
    slot: SlotChange,
    entry: AuditEntry | null,
  ) {
    const { tenant_id, priority, ready } = records.at(-1) as JobRecord
    this.tenant_id = tenant_id
    this.slot = slot
    this.first = first
    this.#entry = entry
    this.#records = records
    this.#priority = priority
    this.#lastReady = ready as Ready
  }

  /** Null when what was decided does not hold for others: it made more than a job that waits for whoever takes it. */
  static of(command: SubmitJob, { puts, audit, claims, slots, signals }: Change): JobForm | null {
    const isSimple = audit.length === 1 && claims.length === 1 && slots.length === 1 && signals.length === 0
    const isLikeOthers = isPlain(command) && isSimple && isPlainJob(puts)
    return isLikeOthers ? new JobForm(command, puts, slots[0] as SlotChange, audit[0] as AuditEntry) : null
  }

  /** The same by one that was read, and is as it was when it was submitted. */
  static ofRead({ job, steps, outbox }: JobAggregate, slot: SlotChange): JobForm | null {
    const records = [...steps, job]
    const isNew = outbox.length === 0 && isPlainJob(records) && isPlainRecord(job)
    return isNew ? new JobForm(job as JobRecord & OwnOfJob, records, slot, null) : null
  }

  /** A copy: what is written is frozen, and copies of frozen records take longer to make. */
  get job(): JobRecord {
    this.#job ??= { ...(this.#records.at(-1) as JobRecord) }
    return this.#job
  }

  get steps(): readonly StepRecord[] {
    this.#steps ??= (this.#records.slice(0, -1) as readonly StepRecord[]).map((step) => ({ ...step }))
    return this.#steps
  }

  /** What is told of each when it is submitted. */
  get entry(): AuditEntry {
    must(this.#entry !== null, 'what was read was told of when it was submitted')
    return this.#entry as AuditEntry
  }

  /** The place in a queue of one that is submitted at a time. Many come in the same millisecond. */
  readyAt(now: number): Ready {
    const rank = rankAt(now, this.#priority)
    if (this.#lastReady.rank !== rank) this.#lastReady = { ...this.#lastReady, rank }
    return this.#lastReady
  }
}

/** Whether what was decided for the first holds for another one, too. */
function isLike(first: SubmitJob, command: SubmitJob): boolean {
  return (
    command.tenant_id === first.tenant_id &&
    command.actor === first.actor &&
    command.reason === first.reason &&
    command.request_type === first.request_type &&
    command.schema_version === first.schema_version &&
    command.mode === first.mode &&
    command.tenantMode === first.tenantMode &&
    command.globalMode === first.globalMode &&
    command.inFlightLimit === first.inFlightLimit &&
    command.priority === first.priority &&
    command.on_dependency_failure === first.on_dependency_failure &&
    command.schedule_id === first.schedule_id &&
    command.pipeline_name === first.pipeline_name &&
    command.metadata === first.metadata &&
    command.tags === first.tags &&
    command.callback_urls === first.callback_urls &&
    command.correlation_id === first.correlation_id &&
    command.traceparent === first.traceparent &&
    (command.idempotency_key === null) === (first.idempotency_key === null) &&
    isPlain(command)
  )
}

/** What it asks for depends on nothing but itself. */
function isPlain(command: SubmitJob): boolean {
  return (
    command.isFreshId === true &&
    command.doc_id === null &&
    command.doc_key === null &&
    command.run_id === null &&
    command.workstream_id === null &&
    command.run_at === null &&
    command.delay_ms === null &&
    command.expires_at === null &&
    command.depends_on.length === 0 &&
    command.rungs.length === 0 &&
    !hasOwnSteps(command.payload)
  )
}

/** The same of a job that somebody submitted. */
function isPlainRecord(job: JobRecord): boolean {
  return (
    job.state === jobMachine.initial &&
    job.attempts_total === 0 &&
    job.job_attempts === 0 &&
    !job.unlimited &&
    job.doc_id === null &&
    job.doc_key === null &&
    job.run_id === null &&
    job.workstream_id === null &&
    job.run_at === null &&
    job.expires_at === null &&
    job.escalation === null &&
    job.depends_on.length === 0 &&
    !hasOwnSteps(job.payload)
  )
}

/** Some of its steps may have a payload of their own. */
function hasOwnSteps(payload: Json): boolean {
  return isJsonObject(payload) && payload.steps !== undefined
}

/** It waits for whoever takes it, and for nothing else. */
function isPlainJob(records: readonly LedgerRecord[]): boolean {
  const job = records.at(-1)
  if (job?.kind !== 'job' || job.ready === null || job.due_at !== null || job.waits_for.length > 0)
    return false
  return records.slice(0, -1).every(isPlainStep)
}

/** Limits may go by what the request says, and a gate looks at the time. */
function isPlainStep(put: LedgerRecord): boolean {
  return (
    put.kind === 'step' && put.state === stepMachine.initial && put.gate === null && put.limits.length === 0
  )
}

/** What was decided for the first that was submitted like this. */
interface Kept {
  readonly command: SubmitJob
  readonly form: JobForm
}

// The last form of each protocol: mostly one program submits many jobs in the same way.
const kept = new WeakMap<Protocol, Kept>()
let last: Kept | undefined

/** What was decided for another one and holds for this one, too; null when nothing was. */
export function formFor(command: SubmitJob): JobForm | null {
  const { protocol } = command
  if (last?.command.protocol !== protocol) last = kept.get(protocol)
  return last !== undefined && isLike(last.command, command) ? last.form : null
}

/** For those that will be submitted like it. */
export function keepForm(command: SubmitJob, change: Change): void {
  const form = JobForm.of(command, change)
  if (form === null) return
  last = { command, form }
  kept.set(command.protocol, last)
}
