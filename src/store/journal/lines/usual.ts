import type { AuditEntry } from '../../../core/audit.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { outboxMachine } from '../../../core/machines/outbox.ts'
import { stepMachine } from '../../../core/machines/step.ts'
import { fromEpochSeconds, toIso } from '../../../core/time.ts'

// Records as lines have them, beside what is usual of every record. Writing and reading ask the same functions.

type Part = JobRecord | StepRecord | OutboxRecord

/** What a line says for all its records. */
export interface LineFacts {
  readonly tenant_id: string
  readonly job_id: string
  /** Its timestamp, as records have times. */
  readonly at: string
  readonly etag: string
  readonly entries: readonly AuditEntry[]
}

export function factsOf(entries: readonly [AuditEntry, ...AuditEntry[]], etag: string): LineFacts {
  const { tenant_id, job_id, id, timestamp } = entries[0]
  return { tenant_id, job_id: job_id ?? id, at: toIso(fromEpochSeconds(timestamp)), etag, entries }
}

type Mutable<T> = { -readonly [F in keyof T]?: T[F] }

/** Makes of a record with the fields of `USUAL_JOB` what a new job usually is. */
export function usualJob<T extends Mutable<JobRecord>>(job: T, facts: LineFacts): T {
  tellPart(job, 'job', facts)
  job.state = (lastState(facts, 'job', '') ?? jobMachine.initial) as JobRecord['state']
  job.routing_key_used = facts.tenant_id
  return job
}

/** Where the steps of a new job begin and end, unless told otherwise. */
export interface Refs {
  readonly input_ref?: JobRecord['input_ref'] | undefined
  readonly output_ref?: JobRecord['output_ref'] | undefined
}

interface NewStep {
  readonly step_id: string
  readonly service: string
  /** Its place in the list. */
  readonly index: number
  readonly refs: Refs
}

/** The same of a step, from `USUAL_STEP`. */
export function usualStep<T extends Mutable<StepRecord>>(
  step: T,
  facts: LineFacts,
  { step_id, service, index, refs }: NewStep,
): T {
  tellPart(step, 'step', facts)
  step.step_index = index
  step.queue = service
  step.state = (lastState(facts, 'step', step_id) ?? stepMachine.initial) as StepRecord['state']
  step.input_ref = refs.input_ref as StepRecord['input_ref']
  step.output_ref = refs.output_ref as StepRecord['output_ref']
  return step
}

/** The same of an outbox row, from `USUAL_ROW`. */
export function usualRow<T extends Mutable<OutboxRecord>>(row: T, facts: LineFacts, outbox_id: string): T {
  tellPart(row, 'outbox', facts)
  row.state = (lastState(facts, 'outbox', outbox_id) ?? outboxMachine.initial) as OutboxRecord['state']
  return row
}

/** What all records of a line that are new have in common. */
function tellPart(part: Mutable<Part>, kind: Part['kind'], { tenant_id, job_id, at, etag }: LineFacts): void {
  part.kind = kind
  part.tenant_id = tenant_id
  part.job_id = job_id
  part.state_since = at
  part.created_at = at
  part.updated_at = at
  part.etag = etag
}

/** A record that was there: as it was, in the state that the history of the line says. `id` is its id within the job. */
export function usualAfter<P extends Part>(before: P, facts: LineFacts, id: string): P {
  const { at, etag } = facts
  const state = lastState(facts, before.kind, id)
  return state === null
    ? { ...before, updated_at: at, etag }
    : { ...before, state, state_since: at, updated_at: at, etag }
}

/** The last state that a record entered; null when the line does not say that it moved. */
export function lastState({ entries, job_id }: LineFacts, kind: Part['kind'], id: string): string | null {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as AuditEntry
    if (entry.kind !== kind || entry.event !== 'moved') continue
    const isIts = kind === 'step' ? isStepKey(entry.id, job_id, id) : kind === 'job' || entry.id === id
    if (isIts) return entry.path[entry.path.length - 1] as string
  }
  return null
}

/** Whether an id is that of a step of a job. Ids are not put together for it: that is done for every step written. */
export function isStepKey(id: string, job_id: string, step_id: string): boolean {
  return (
    id.length === job_id.length + 1 + step_id.length &&
    id.startsWith(job_id) &&
    id.charCodeAt(job_id.length) === SLASH &&
    id.endsWith(step_id)
  )
}

const SLASH = 0x2f
