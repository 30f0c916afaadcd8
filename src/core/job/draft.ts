import { idOf, type JobAggregate, type LedgerRecord } from '../aggregate.ts'
import type { AuditEntry, AuditEvent } from '../audit.ts'
import { together } from '../changes-together.ts'
import {
  type Accepted,
  type Change,
  type Claim,
  change,
  type Given,
  type Signal,
  type SlotChange,
} from '../decision.ts'
import type { DocumentRecord } from '../document/record.ts'
import { EMPTY, type JsonObject } from '../json.ts'
import { isEdge, isTerminal } from '../machine.ts'
import { type JobState, jobMachine } from '../machines/job.ts'
import { type OutboxState, outboxMachine } from '../machines/outbox.ts'
import { type StepState, stepMachine } from '../machines/step.ts'
import { must, present } from '../must.ts'
import { fromIso, toEpochSeconds, toIso } from '../time.ts'
import { withOne } from '../with-one.ts'
import type { StepError } from './commands.ts'
import { policyOf } from './protocol.ts'
import type { JobRecord, OutboxRecord, StepRecord } from './record.ts'
import { activeStep, currentRow, dueOf, readyOf, sameReady, waitOf } from './waiting.ts'

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
type Trail = Mutable<AuditEntry> & { path: (string | null)[] }

const NONE: readonly never[] = Object.freeze([])

/**
 * One job while a decision is being made on it: copies each record when it is first changed, checks every move
 * against the machine, and keeps the trail for the history. Rules call it; it has none itself. `finish` turns it
 * into the change to write.
 */
export class JobDraft implements JobAggregate {
  readonly given: Given
  readonly at: string
  readonly steps: StepRecord[]
  outbox: readonly OutboxRecord[]
  #claims: readonly Claim[] = NONE
  #slots: readonly SlotChange[] = NONE
  #signals: readonly Signal[] = NONE
  /** The job's document, where somebody loaded it: null when there is none, undefined when nobody did. */
  document: DocumentRecord | null | undefined
  /** Jobs that come of this one. */
  children: readonly JobDraft[] = NONE
  readonly #by: By
  #trails: Trail[] | null = null
  #lastTold: JsonObject | null = null
  #joined: Change | null = null
  /** What was there: everything else is a copy, or new, and may be written to. Null when all of it is new. */
  #before: JobAggregate | null
  #job: JobRecord
  /** Nothing has changed since the last `reindex`. */
  #isIndexed = true

  constructor(aggregate: JobAggregate, by: By, given: Given) {
    this.#before = aggregate
    this.#job = aggregate.job
    this.steps = aggregate.steps.slice()
    this.outbox = aggregate.outbox
    this.given = given
    this.at = toIso(given.now)
    this.#by = by
  }

  /** A new job: everything is to be written, and its first state is in the history. */
  static born(aggregate: JobAggregate, by: By, given: Given): JobDraft {
    const draft = new JobDraft(aggregate, by, given)
    draft.#before = null
    draft.#isIndexed = false
    draft.#leave(draft.#job, null, null)
    // A step that is further than its first state was taken over from another job, and nothing else would tell.
    for (const step of draft.steps) if (step.state !== stepMachine.initial) draft.#leave(step, null, null)
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
    must(isEdge(jobMachine, state, to), () => `job ${job_id} may go from ${state} to ${to}`)
    const job = this.#ownJob()
    if (patch !== EMPTY) Object.assign(job, patch)
    job.updated_at = this.at
    job.state = to
    job.state_since = this.at
    if (isTerminal(jobMachine, to)) job.completed_at = this.at
    this.#leave(job, state, state_since, error)
  }

  setStep(index: number, patch: Partial<StepRecord>): StepRecord {
    const step = this.#ownStep(index)
    Object.assign(step, patch)
    step.updated_at = this.at
    return step
  }

  moveStep(index: number, to: StepState, patch: Partial<StepRecord>, error?: StepError): StepRecord {
    const { state, state_since, step_id } = present(this.steps[index], 'the step exists')
    must(isEdge(stepMachine, state, to), () => `step ${step_id} may go from ${state} to ${to}`)
    const step = this.#ownStep(index)
    Object.assign(step, patch)
    step.updated_at = this.at
    step.state = to
    step.state_since = this.at
    if (isTerminal(stepMachine, to)) step.completed_at = this.at
    if (error !== undefined) blame(step, error)
    this.#leave(step, state, state_since, error)
    return step
  }

  /** Steps that nobody knew of when the job was submitted come last. */
  addStep(step: StepRecord): void {
    this.steps.push(step)
    this.#isIndexed = false
  }

  /** Runs and workstreams that are made with it. */
  join({ puts, audit }: Pick<Change, 'puts' | 'audit'>): void {
    if (puts.length > 0) this.#joined = { puts, audit, claims: [], slots: [], signals: [] }
  }

  /** A new job that is written with this one. */
  bear(aggregate: JobAggregate): void {
    this.children = [...this.children, JobDraft.born(aggregate, this.#by, this.given)]
  }

  claim(claim: Claim): void {
    this.#claims = withOne(this.#claims, claim)
  }

  /** Takes or gives back a place under a limit. */
  slot(change: SlotChange): void {
    this.#slots = withOne(this.#slots, change)
  }

  signal(signal: Signal): void {
    this.#signals = withOne(this.#signals, signal)
  }

  addRow(row: OutboxRecord): void {
    this.outbox = [...this.outbox, row]
    this.#isIndexed = false
  }

  setRow(row: OutboxRecord, patch: Partial<OutboxRecord>): OutboxRecord {
    const own = this.#ownRow(row)
    Object.assign(own, patch)
    own.updated_at = this.at
    return own
  }

  moveRow(row: OutboxRecord, to: OutboxState, patch: Partial<OutboxRecord>, error?: StepError): void {
    const { state, state_since, outbox_id } = row
    must(isEdge(outboxMachine, state, to), () => `outbox row ${outbox_id} may go from ${state} to ${to}`)
    this.setRow(row, patch)
    const own = this.#ownRow(row)
    own.state = to
    own.state_since = this.at
    own.taken_until = null
    if (error !== undefined) blame(own, error)
    this.#leave(own, state, state_since, error)
  }

  /** Something went wrong that the state does not show: the history does. */
  note(row: OutboxRecord, error: StepError): void {
    const entry = this.#entry(row, 'noted', row.state, row.state)
    entry.error_type = error.code
    entry.error_message = error.message
    this.#keep(entry)
  }

  /** Somebody changed what the state does not show: the history does. */
  remark(metadata: JsonObject): void {
    const entry = this.#entry(this.#job, 'noted', this.#job.state, this.#job.state)
    entry.metadata = metadata
    this.#keep(entry)
  }

  /** What came of an attempt is told with the entry of its end. */
  tell(index: number, metadata: JsonObject): void {
    const step = present(this.steps[index], 'the step exists')
    const entry = this.#trails?.findLast(({ kind, id }) => kind === 'step' && id === idOf(step))
    const told = present(entry, 'its end is in the history')
    told.metadata = { ...told.metadata, ...metadata }
  }

  /** A late or repeated message: nothing changes, but the history says that it came. */
  ignore(command: string, record: JobRecord | StepRecord): void {
    const entry = this.#entry(record, 'ignored', record.state, record.state)
    entry.metadata = { command }
    this.#keep(entry)
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
    let attempts_total = 0
    for (const step of this.steps) attempts_total += step.attempt_no
    const same = due_at === this.#job.due_at && attempts_total === this.#job.attempts_total
    if (!same || !sameReady(ready, this.#job.ready)) {
      const job = this.#ownJob()
      job.due_at = due_at
      job.ready = ready
      job.attempts_total = attempts_total
      job.updated_at = this.at
    }
    this.#isIndexed = true
  }

  /**
   * The change. Puts come in an order whose every prefix is legal, for stores that write row by row: steps, then
   * outbox rows, then the job.
   */
  finish<A>(answer: A): Accepted<A> {
    if (!this.#isIndexed) this.reindex()
    const own = {
      puts: this.#puts(),
      audit: this.#trails ?? NONE,
      claims: this.#claims,
      slots: this.#slots,
      signals: this.#signals,
    }
    if (this.#joined !== null) return change(answer, together([this.#joined, own]))
    if (this.children.length === 0) return change(answer, own)
    const parts = this.children.map((child) => child.finish(null).change)
    // The new ones first: wherever it is cut off, the work is somebody's.
    return change(answer, together([...parts, own]))
  }

  #puts(): readonly LedgerRecord[] {
    const { steps, outbox } = this
    const only = steps.length === 1 && outbox.length === 0 ? steps[0] : undefined
    // Nearly always, and a list that grows takes room for many.
    if (only !== undefined && this.#ownsStep(0) && this.#ownsJob()) return [only, this.#job]
    const puts: LedgerRecord[] = []
    for (let index = 0; index < steps.length; index++) {
      if (this.#ownsStep(index)) puts.push(steps[index] as StepRecord)
    }
    for (const row of outbox) if (this.#ownsRow(row)) puts.push(row)
    if (this.#ownsJob()) puts.push(this.#job)
    return puts
  }

  #ownsJob(): boolean {
    return this.#job !== this.#before?.job
  }

  #ownsStep(index: number): boolean {
    return this.steps[index] !== this.#before?.steps[index]
  }

  #ownsRow(row: OutboxRecord): boolean {
    return this.#before?.outbox.includes(row) !== true
  }

  #ownJob(): Mutable<JobRecord> {
    this.#isIndexed = false
    if (!this.#ownsJob()) this.#job = { ...this.#job }
    return this.#job
  }

  #ownStep(index: number): Mutable<StepRecord> {
    this.#isIndexed = false
    const step = present(this.steps[index], 'the step exists')
    if (this.#ownsStep(index)) return step
    const copy = { ...step }
    this.steps[index] = copy
    return copy
  }

  #ownRow(row: OutboxRecord): Mutable<OutboxRecord> {
    this.#isIndexed = false
    const place = this.outbox.findIndex(({ outbox_id }) => outbox_id === row.outbox_id)
    const current = present(this.outbox[place], 'the row belongs to this job')
    if (this.#ownsRow(current)) return current
    const copy = { ...current }
    this.outbox = this.outbox.with(place, copy)
    return copy
  }

  #leave(record: Part, from: string | null, since: string | null, error?: StepError): void {
    let entry = this.#trailOf(record)
    if (entry !== undefined) {
      entry.path.push(record.state)
    } else {
      entry = this.#entry(record, 'moved', from, record.state)
      if (since !== null) entry.duration_seconds = toEpochSeconds(this.given.now - fromIso(since))
      this.#keep(entry)
    }
    if (error !== undefined) {
      entry.error_type = error.code
      entry.error_message = error.message
      if (error.details !== undefined) entry.metadata = { ...entry.metadata, error_details: error.details }
    }
  }

  #keep(entry: Trail): void {
    if (this.#trails === null) this.#trails = [entry]
    else this.#trails.push(entry)
  }

  /** The one that goes on when this record moves. A row moves once, and then it has ended. */
  #trailOf(record: Part): Trail | undefined {
    for (const trail of this.#trails ?? NONE) {
      if (trail.kind !== record.kind || trail.event !== 'moved' || trail.error_type !== null) continue
      if (record.kind === 'job') return trail
      // Ids of steps are not put together for it.
      if (record.kind === 'step' && trail.metadata.step_id === record.step_id) return trail
    }
    return undefined
  }

  #entry(record: Part, event: AuditEvent, from: string | null, to: string): Trail {
    const step = this.#stepOf(record.kind === 'job' ? record.current_step_id : record.step_id)
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
      metadata: this.#told(step),
      actor: this.#by.actor,
      reason: this.#by.reason,
    }
  }

  /** What an entry says beside the states. */
  #told({ step_id, attempt_no, lease_id }: StepRecord): JsonObject {
    const { run_id, workstream_id } = this.#job
    if (run_id !== null || workstream_id !== null) {
      return { step_id, attempt_no, lease_id, run_id, workstream_id }
    }
    const last = this.#lastTold
    // Step and job mostly move together, and then the same is told of both.
    if (last?.step_id === step_id && last.attempt_no === attempt_no && last.lease_id === lease_id) return last
    this.#lastTold = { step_id, attempt_no, lease_id }
    return this.#lastTold
  }

  #stepOf(step_id: string): StepRecord {
    const { steps } = this
    let index = 0
    while (index < steps.length && (steps[index] as StepRecord).step_id !== step_id) index++
    return present(steps[index], 'every record of a job belongs to one of its steps')
  }
}

function blame(record: Mutable<StepRecord> | Mutable<OutboxRecord>, error: StepError): void {
  record.last_error_code = error.code
  record.last_error_message = error.message
}
