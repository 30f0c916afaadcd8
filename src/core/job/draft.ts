import { idOf, type JobAggregate, type LedgerRecord } from '../aggregate.ts'
import type { AuditEntry, AuditEvent } from '../audit.ts'
import { type Accepted, type Claim, change, type Given, type Signal, type SlotChange } from '../decision.ts'
import { EMPTY, type JsonObject } from '../json.ts'
import { isEdge, isTerminal } from '../machine.ts'
import { type JobState, jobMachine } from '../machines/job.ts'
import { type OutboxState, outboxMachine } from '../machines/outbox.ts'
import { type StepState, stepMachine } from '../machines/step.ts'
import { must, present } from '../must.ts'
import { fromIso, toEpochSeconds, toIso } from '../time.ts'
import type { StepError } from './commands.ts'
import { policyOf } from './protocol.ts'
import type { JobRecord, OutboxRecord, Ready, StepRecord } from './record.ts'
import { activeStep, currentRow, dueOf, readyOf, waitOf } from './waiting.ts'

/** On whose behalf a decision is made. */
interface By {
  readonly actor: string
  readonly reason: string | null
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

type Part = JobRecord | StepRecord | OutboxRecord

/**
 * An entry of the history in the making. A record that moves twice in one commit has one, with a longer path; an
 * error ends it, because readers find the error with the last state of an entry.
 */
interface Trail {
  readonly kind: Part['kind']
  readonly place: number
  readonly entry: Mutable<AuditEntry> & { path: (string | null)[] }
}

const JOB = 0
const NOWHERE = -1

/**
 * One job while a decision is being made on it: copies each record when it is first changed, checks every move
 * against the machine, and keeps the trail for the history. Rules call it; it has none itself. `finish` turns it
 * into the change to write.
 */
export class JobDraft implements JobAggregate {
  readonly given: Given
  readonly at: string
  readonly steps: StepRecord[]
  readonly outbox: OutboxRecord[]
  readonly claims: Claim[] = []
  readonly slots: SlotChange[] = []
  readonly signals: Signal[] = []
  readonly #by: By
  readonly #trails: Trail[] = []
  /** Copies that this draft may write to, in the order in which they were first changed. */
  readonly #own = new Set<LedgerRecord>()
  #job: JobRecord

  constructor(aggregate: JobAggregate, by: By, given: Given) {
    this.#job = aggregate.job
    this.steps = aggregate.steps.slice()
    this.outbox = aggregate.outbox.slice()
    this.given = given
    this.at = toIso(given.now)
    this.#by = by
  }

  /** A new job: everything is to be written, and its first state is in the history. */
  static born(aggregate: JobAggregate, by: By, given: Given): JobDraft {
    const draft = new JobDraft(aggregate, by, given)
    draft.#own.add(draft.#job)
    for (const step of draft.steps) draft.#own.add(step)
    draft.#leave(draft.#job, JOB, null, null)
    return draft
  }

  get job(): JobRecord {
    return this.#job
  }

  /** The lowest step that has not ended. */
  get active(): StepRecord | undefined {
    return activeStep(this.steps)
  }

  /** The row that carries the directive of the attempt being dispatched. */
  get currentRow(): OutboxRecord | undefined {
    return currentRow(this)
  }

  /** The instant so many milliseconds from now. */
  after(ms: number): string {
    return toIso(this.given.now + ms)
  }

  setJob(patch: Partial<JobRecord>): void {
    const job = this.#ownJob()
    Object.assign(job, patch)
    job.updated_at = this.at
  }

  moveJob(to: JobState, patch: Partial<JobRecord> = EMPTY, error?: StepError): void {
    const { state, state_since, job_id } = this.#job
    must(isEdge(jobMachine, state, to), `job ${job_id} may go from ${state} to ${to}`)
    this.setJob(patch)
    const job = this.#ownJob()
    job.state = to
    job.state_since = this.at
    if (isTerminal(jobMachine, to)) job.completed_at = this.at
    this.#leave(job, JOB, state, state_since, error)
  }

  setStep(index: number, patch: Partial<StepRecord>): StepRecord {
    const step = this.#ownStep(index)
    Object.assign(step, patch)
    step.updated_at = this.at
    return step
  }

  moveStep(index: number, to: StepState, patch: Partial<StepRecord> = EMPTY, error?: StepError): StepRecord {
    const { state, state_since, step_id } = present(this.steps[index], 'the step exists')
    must(isEdge(stepMachine, state, to), `step ${step_id} may go from ${state} to ${to}`)
    this.setStep(index, patch)
    const step = this.#ownStep(index)
    step.state = to
    step.state_since = this.at
    if (isTerminal(stepMachine, to)) step.completed_at = this.at
    if (error !== undefined) blame(step, error)
    this.#leave(step, index, state, state_since, error)
    return step
  }

  addRow(row: OutboxRecord): void {
    this.outbox.push(row)
    this.#own.add(row)
  }

  setRow(row: OutboxRecord, patch: Partial<OutboxRecord>): OutboxRecord {
    const own = this.#ownRow(row)
    Object.assign(own, patch)
    own.updated_at = this.at
    return own
  }

  moveRow(row: OutboxRecord, to: OutboxState, patch: Partial<OutboxRecord>, error?: StepError): void {
    const { state, state_since, outbox_id } = row
    must(isEdge(outboxMachine, state, to), `outbox row ${outbox_id} may go from ${state} to ${to}`)
    this.setRow(row, patch)
    const own = this.#ownRow(row)
    own.state = to
    own.state_since = this.at
    own.taken_until = null
    if (error !== undefined) blame(own, error)
    this.#leave(own, this.outbox.indexOf(own), state, state_since, error)
  }

  /** Something went wrong that the state does not show: the history does. */
  note(row: OutboxRecord, error: StepError): void {
    const entry = this.#entry(row, 'noted', row.state, row.state)
    entry.error_type = error.code
    entry.error_message = error.message
    this.#trails.push({ kind: row.kind, place: NOWHERE, entry })
  }

  /** Somebody changed what the state does not show: the history does. */
  remark(metadata: JsonObject): void {
    const entry = this.#entry(this.#job, 'noted', this.#job.state, this.#job.state)
    entry.metadata = metadata
    this.#trails.push({ kind: 'job', place: NOWHERE, entry })
  }

  /** A late or repeated message: nothing changes, but the history says that it came. */
  ignore(command: string, record: JobRecord | StepRecord): void {
    const entry = this.#entry(record, 'ignored', record.state, record.state)
    entry.metadata = { command }
    this.#trails.push({ kind: record.kind, place: NOWHERE, entry })
  }

  /** What the history keeps of a refusal on this job or step. */
  refusalEntry(code: string, command: string, record: JobRecord | StepRecord): AuditEntry {
    const entry = this.#entry(record, 'refused', record.state, record.state)
    entry.metadata = { refusal: code, command }
    return entry
  }

  /** Stores find work by `due_at` and `ready`; like the count of attempts they follow from the rest. */
  reindex(): void {
    const wait = waitOf(this, this.given.now)
    const due_at = dueOf(this, wait)
    const ready = readyOf(this, wait)
    const attempts_total = this.steps.reduce((sum, step) => sum + step.attempt_no, 0)
    const same = due_at === this.#job.due_at && attempts_total === this.#job.attempts_total
    if (!same || !sameReady(ready, this.#job.ready)) this.setJob({ due_at, ready, attempts_total })
  }

  /**
   * The change. Puts come in an order whose every prefix is legal, for stores that write row by row: steps, then
   * outbox rows, then the job.
   */
  finish<A>(answer: A): Accepted<A> {
    if (this.#own.size > 0) this.reindex()
    const puts: LedgerRecord[] = []
    for (const step of this.steps) if (this.#own.has(step)) puts.push(step)
    for (const row of this.outbox) if (this.#own.has(row)) puts.push(row)
    if (this.#own.has(this.#job)) puts.push(this.#job)
    return change(answer, {
      puts,
      audit: this.#trails.map(({ entry }) => entry),
      claims: this.claims,
      slots: this.slots,
      signals: this.signals,
    })
  }

  #ownJob(): Mutable<JobRecord> {
    if (!this.#own.has(this.#job)) {
      this.#job = { ...this.#job }
      this.#own.add(this.#job)
    }
    return this.#job
  }

  #ownStep(index: number): Mutable<StepRecord> {
    const step = present(this.steps[index], 'the step exists')
    if (this.#own.has(step)) return step
    const copy = { ...step }
    this.steps[index] = copy
    this.#own.add(copy)
    return copy
  }

  #ownRow(row: OutboxRecord): Mutable<OutboxRecord> {
    const place = this.outbox.findIndex(({ outbox_id }) => outbox_id === row.outbox_id)
    const current = present(this.outbox[place], 'the row belongs to this job')
    if (this.#own.has(current)) return current
    const copy = { ...current }
    this.outbox[place] = copy
    this.#own.add(copy)
    return copy
  }

  #leave(record: Part, place: number, from: string | null, since: string | null, error?: StepError): void {
    const trail = this.#trails.find(
      (known) => known.kind === record.kind && known.place === place && known.entry.error_type === null,
    )
    const entry = trail?.entry ?? this.#entry(record, 'moved', from, record.state)
    if (trail !== undefined) {
      entry.path.push(record.state)
    } else {
      if (since !== null) entry.duration_seconds = toEpochSeconds(this.given.now - fromIso(since))
      this.#trails.push({ kind: record.kind, place, entry })
    }
    if (error !== undefined) {
      entry.error_type = error.code
      entry.error_message = error.message
      if (error.details !== undefined) entry.metadata = { ...entry.metadata, error_details: error.details }
    }
  }

  #entry(record: Part, event: AuditEvent, from: string | null, to: string): Trail['entry'] {
    const stepId = record.kind === 'job' ? record.current_step_id : record.step_id
    const step = present(
      this.steps.find((candidate) => candidate.step_id === stepId),
      'every record of a job belongs to one of its steps',
    )
    return {
      event,
      tenant_id: record.tenant_id,
      kind: record.kind,
      id: idOf(record),
      doc_id: this.#job.doc_id,
      job_id: record.job_id,
      path: [from, to],
      timestamp: toEpochSeconds(this.given.now),
      adapter: step.service,
      error_type: null,
      error_message: null,
      traceback: null,
      retry_count: Math.max(step.attempt_no - 1, 0),
      max_retries: policyOf(step, 'max_attempts') - 1,
      duration_seconds: null,
      metadata: { step_id: step.step_id, attempt_no: step.attempt_no, lease_id: step.lease_id },
      actor: this.#by.actor,
      reason: this.#by.reason,
    }
  }
}

function blame(record: Mutable<StepRecord> | Mutable<OutboxRecord>, error: StepError): void {
  record.last_error_code = error.code
  record.last_error_message = error.message
}

function sameReady(a: Ready | null, b: Ready | null): boolean {
  return (
    a === b || (a !== null && b !== null && a.queue === b.queue && a.group === b.group && a.rank === b.rank)
  )
}
