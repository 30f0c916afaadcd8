import { idOf, type JobAggregate, type LedgerRecord, stepKey } from '../aggregate.ts'
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
import { activeStep, currentRow, dueOf, readyOf } from './waiting.ts'

/** On whose behalf a decision is made. */
interface By {
  readonly actor: string
  readonly reason: string | null
}

type Trail = { -readonly [K in keyof AuditEntry]: AuditEntry[K] } & { path: (string | null)[] }

/**
 * One job while a decision is being made on it: copies what is changed, checks every move against the machine, and
 * keeps the trail for the history. Rules call it; it has none itself. `finish` turns it into the change to write.
 */
export class JobDraft {
  readonly given: Given
  readonly at: string
  job: JobRecord
  readonly steps: StepRecord[]
  readonly rows: OutboxRecord[]
  readonly claims: Claim[] = []
  readonly slots: SlotChange[] = []
  readonly signals: Signal[] = []
  readonly #by: By
  readonly #changed = new Set<string>()
  readonly #trails = new Map<string, Trail>()

  constructor(aggregate: JobAggregate, by: By, given: Given) {
    this.job = aggregate.job
    this.steps = aggregate.steps.slice()
    this.rows = aggregate.outbox.slice()
    this.given = given
    this.at = toIso(given.now)
    this.#by = by
  }

  /** A new job: everything is to be written, and its first state is in the history. */
  static born(aggregate: JobAggregate, by: By, given: Given): JobDraft {
    const draft = new JobDraft(aggregate, by, given)
    draft.#changed.add('job')
    for (const step of draft.steps) draft.#changed.add(stepKey(step.job_id, step.step_id))
    draft.#leave(draft.job, null, draft.job.state)
    return draft
  }

  /** The lowest step that has not ended. */
  get active(): StepRecord | undefined {
    return activeStep(this.steps)
  }

  /** The row that carries the directive of the attempt being dispatched. */
  get currentRow(): OutboxRecord | undefined {
    return currentRow({ job: this.job, steps: this.steps, outbox: this.rows })
  }

  /** The instant so many milliseconds from now. */
  after(ms: number): string {
    return toIso(this.given.now + ms)
  }

  setJob(patch: Partial<JobRecord>): void {
    this.job = { ...this.job, ...patch, updated_at: this.at }
    this.#changed.add('job')
  }

  moveJob(to: JobState, patch: Partial<JobRecord> = EMPTY, error?: StepError): void {
    const from = this.job
    must(isEdge(jobMachine, from.state, to), `job ${from.job_id} may go from ${from.state} to ${to}`)
    const ended = isTerminal(jobMachine, to) ? { completed_at: this.at } : null
    this.setJob({ ...patch, ...ended, state: to, state_since: this.at })
    this.#leave(this.job, from, to, error)
  }

  setStep(index: number, patch: Partial<StepRecord>): StepRecord {
    const before = present(this.steps[index], 'the step exists')
    const step = { ...before, ...patch, updated_at: this.at }
    this.steps[index] = step
    this.#changed.add(stepKey(step.job_id, step.step_id))
    return step
  }

  moveStep(index: number, to: StepState, patch: Partial<StepRecord> = EMPTY, error?: StepError): StepRecord {
    const from = present(this.steps[index], 'the step exists')
    must(isEdge(stepMachine, from.state, to), `step ${from.step_id} may go from ${from.state} to ${to}`)
    const ended = isTerminal(stepMachine, to) ? { completed_at: this.at } : null
    const failed = error && { last_error_code: error.code, last_error_message: error.message }
    const step = this.setStep(index, { ...patch, ...ended, ...failed, state: to, state_since: this.at })
    this.#leave(step, from, to, error)
    return step
  }

  addRow(row: OutboxRecord): void {
    this.rows.push(row)
    this.#changed.add(row.outbox_id)
  }

  setRow(row: OutboxRecord, patch: Partial<OutboxRecord>): OutboxRecord {
    const next = { ...row, ...patch, updated_at: this.at }
    this.rows[this.rows.indexOf(row)] = next
    this.#changed.add(row.outbox_id)
    return next
  }

  moveRow(row: OutboxRecord, to: OutboxState, patch: Partial<OutboxRecord>, error?: StepError): OutboxRecord {
    must(
      isEdge(outboxMachine, row.state, to),
      `outbox row ${row.outbox_id} may go from ${row.state} to ${to}`,
    )
    const failed = error && { last_error_code: error.code, last_error_message: error.message }
    const next = this.setRow(row, { ...patch, ...failed, taken_until: null, state: to, state_since: this.at })
    this.#leave(next, row, to, error)
    return next
  }

  /** A late or repeated message: nothing changes, but the history says that it came. */
  ignore(command: string, record: JobRecord | StepRecord): void {
    this.#trails.set(`${record.kind} ignored`, {
      ...this.#entry(record, 'ignored', record.state, record.state),
      metadata: { command },
    })
  }

  /** What the history keeps of a refusal on this job or step. */
  refusalEntry(code: string, command: string, record: JobRecord | StepRecord): AuditEntry {
    return {
      ...this.#entry(record, 'refused', record.state, record.state),
      metadata: { refusal: code, command },
    }
  }

  /** Stores find work by `due_at` and `ready`; like the count of attempts they follow from the rest. */
  reindex(): void {
    const view = { job: this.job, steps: this.steps, outbox: this.rows }
    const due_at = dueOf(view, this.given.now)
    const ready = readyOf(view, this.given.now)
    const attempts_total = this.steps.reduce((sum, step) => sum + step.attempt_no, 0)
    const same = due_at === this.job.due_at && attempts_total === this.job.attempts_total
    if (!same || !sameReady(ready, this.job.ready)) this.setJob({ due_at, ready, attempts_total })
  }

  finish<A>(answer: (draft: JobDraft) => A): Accepted<A> {
    if (this.#changed.size > 0) this.reindex()
    const puts: LedgerRecord[] = []
    if (this.#changed.has('job')) puts.push(this.job)
    for (const step of this.steps) if (this.#changed.has(idOf(step))) puts.push(step)
    for (const row of this.rows) if (this.#changed.has(row.outbox_id)) puts.push(row)
    return change(answer(this), {
      puts,
      audit: [...this.#trails.values()],
      claims: this.claims,
      slots: this.slots,
      signals: this.signals,
    })
  }

  #leave(
    record: JobRecord | StepRecord | OutboxRecord,
    from: JobRecord | StepRecord | OutboxRecord | null,
    to: string,
    error?: StepError,
  ): void {
    const key = idOf(record)
    let trail = this.#trails.get(key)
    if (trail === undefined) {
      trail = this.#entry(record, 'moved', from?.state ?? null, to)
      if (from !== null) trail.duration_seconds = (this.given.now - fromIso(from.state_since)) / 1000
      this.#trails.set(key, trail)
    } else {
      trail.path.push(to)
    }
    if (error !== undefined) {
      trail.error_type = error.code
      trail.error_message = error.message
      if (error.details !== undefined) trail.metadata = { ...trail.metadata, error_details: error.details }
    }
  }

  #entry(
    record: JobRecord | StepRecord | OutboxRecord,
    event: AuditEvent,
    from: string | null,
    to: string,
  ): Trail {
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
      doc_id: this.job.doc_id,
      job_id: record.job_id,
      path: [from, to],
      timestamp: toEpochSeconds(this.given.now),
      adapter: step.service,
      error_type: null,
      error_message: null,
      traceback: null,
      retry_count: Math.max(step.attempt_no - 1, 0),
      max_retries: policyOf(step).max_attempts - 1,
      duration_seconds: null,
      metadata: aboutAttempt(step),
      actor: this.#by.actor,
      reason: this.#by.reason,
    }
  }
}

function aboutAttempt(step: StepRecord): JsonObject {
  return { step_id: step.step_id, attempt_no: step.attempt_no, lease_id: step.lease_id }
}

function sameReady(a: Ready | null, b: Ready | null): boolean {
  return (
    a === b || (a !== null && b !== null && a.queue === b.queue && a.group === b.group && a.rank === b.rank)
  )
}
