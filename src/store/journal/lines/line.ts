import { idOf, type LedgerRecord, type RecordKey, stepKey } from '../../../core/aggregate.ts'
import { type AuditEntry, type AuditEvent, hopsOf } from '../../../core/audit.ts'
import type { Claim, Signal, SlotChange } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { RecordKind } from '../../../core/machines/all.ts'

/**
 * A history entry as it stands in a line. What is left out follows from the rest: of the first entry of a line it is
 * what is usual, of those after it what the first one says.
 */
export interface EntryFields extends Partial<Omit<AuditEntry, 'path'>> {
  readonly old_state?: string | null
  readonly new_state?: string | null
  /** Absent in the first entry when exactly one state was entered. */
  readonly path?: readonly (string | null)[]
  /** Which of the refusals kept for the record this is, from 1; absent when it moved. */
  readonly nth?: number
}

/** Records of the job that a line is about: what of each is not as one would take it to be anyway. */
export interface JobFields {
  readonly steps?: readonly Partial<StepRecord>[]
  readonly outbox?: readonly Partial<OutboxRecord>[]
  readonly job?: Partial<JobRecord>
}

/** What became of a record other than a document, in the long form. */
export type PutFields =
  | { readonly kind: RecordKind; readonly new: LedgerRecord }
  | {
      readonly kind: RecordKind
      readonly tenant_id: string
      readonly id: string
      readonly set: { readonly [field: string]: unknown }
    }

/** Everything a line holds beside its first history entry. */
export interface ChangeFields {
  /** First seq of the commit; absent when it is the line's own. */
  readonly commit?: number
  readonly created?: true
  readonly record?: Partial<DocumentRecord>
  readonly also?: readonly EntryFields[]
  readonly puts?: readonly PutFields[]
  /** Those of the tenant and the job that the line is about do not name them. */
  readonly claims?: readonly OfLine<Claim>[] | typeof OWN_CLAIM
  readonly slots?: readonly OfLine<SlotChange>[]
  readonly signals?: readonly OfLine<Signal>[]
  /** Records of a job, in the short form: those that came into being, and those that were there. */
  readonly new?: JobFields
  readonly set?: JobFields
}

/** What makes the request of a new job count once, and nothing else: it is told from the job. */
export const OWN_CLAIM = 'own'

type OfLine<Device> = Device extends unknown
  ? Omit<Device, 'tenant_id' | 'owner'> & { readonly tenant_id?: string; readonly owner?: string }
  : never

/** First seq of the batch, how many lines it has, and which of them this is. */
type BatchPlace = readonly [first: number, lines: number, index: number]

/** What happened to one aggregate in one commit. */
export interface ChangeLine extends ChangeFields, EntryFields {
  readonly seq: number
  readonly batch: BatchPlace
}

/** About the file itself: its writer ended in good order, or a repair could not save some seqs. */
export interface ControlLine {
  readonly seq: number
  readonly event: 'closed' | 'repaired'
  readonly timestamp: number
  /** The last seq that was lost. */
  readonly until?: number
  readonly batch: BatchPlace
}

export type Line = ChangeLine | ControlLine

/** A line, and what was learnt of it when it was read. */
export interface ReadLine {
  readonly line: Line
  readonly entries: readonly AuditEntry[]
  /** As it stands in the delta if it is said as a whole, without its newline. */
  readonly bytes: Uint8Array
}

export function isControl(line: Line): line is ControlLine {
  return line.event === ('closed' as string) || line.event === ('repaired' as string)
}

/** The history entries of a line, in their order. */
export function entriesOf(line: Line): readonly AuditEntry[] {
  if (isControl(line) || line.event === undefined) return []
  const first = firstEntry(line)
  return line.also === undefined ? [first] : [first, ...line.also.map((fields) => entryAfter(first, fields))]
}

/** The refusals and the like that a line with these entries keeps, and which of its record's each of them is. */
export function refusalsOf(line: Line, entries: readonly AuditEntry[]): readonly Refusal[] {
  if (isControl(line) || line.event === undefined) return []
  if (line.also === undefined && line.nth === undefined) return []
  const nths = [line.nth, ...(line.also ?? []).map(({ nth }) => nth)]
  return entries.flatMap(({ kind, tenant_id, id }, index) => {
    const nth = nths[index]
    return nth === undefined ? [] : { tenant_id, name: refusalName(kind, id), nth }
  })
}

export interface Refusal {
  readonly tenant_id: string
  readonly name: string
  readonly nth: number
}

/** What refusals are counted under, within a tenant. */
export function refusalName(kind: RecordKind, id: string): string {
  return `${kind}/${id}`
}

/** The aggregates whose records a line lists and does not make. */
export function* changedAggregates(line: Line): Generator<RecordKey> {
  if (isControl(line)) return
  if (line.set !== undefined || (line.new !== undefined && line.new.job === undefined)) {
    yield { kind: 'job', tenant_id: line.tenant_id as string, id: line.job_id ?? (line.id as string) }
  }
  for (const put of line.puts ?? []) {
    const { tenant_id } = 'new' in put ? put.new : put
    const id = 'new' in put ? idOf(put.new) : put.id
    // All that a line lists is about one aggregate.
    if (put.kind === 'job' && 'new' in put) return
    if (put.kind === 'step') yield { kind: 'job', tenant_id, id: id.slice(0, id.lastIndexOf('/')) }
    else if (put.kind !== 'outbox') yield { kind: put.kind, tenant_id, id }
    else {
      const job_id = jobOfRow(put, line)
      if (job_id !== undefined) yield { kind: 'job', tenant_id, id: job_id }
    }
  }
}

/** A line of which no history tells does not say it: it lists the job as well. */
function jobOfRow(put: PutFields, { job_id, id }: ChangeLine): string | undefined {
  return 'new' in put && put.new.kind === 'outbox' ? put.new.job_id : (job_id ?? id)
}

/** How many seqs a line takes. */
export function placesOf(line: Line, entries: readonly AuditEntry[] = entriesOf(line)): number {
  if (isControl(line)) return line.until === undefined ? 1 : line.until - line.seq + 1
  return placesOfEntries(entries)
}

export function placesOfEntries(entries: readonly AuditEntry[]): number {
  let places = 0
  for (const entry of entries) places += hopsOf(entry)
  return Math.max(1, places)
}

function firstEntry(fields: EntryFields): AuditEntry {
  const { doc_id = null, job_id = null, metadata } = fields as AuditEntry
  const kind = fields.kind as RecordKind
  return {
    event: fields.event as AuditEvent,
    tenant_id: fields.tenant_id as string,
    kind,
    id: fields.id ?? idOfEntry(kind, doc_id, job_id, metadata),
    doc_id,
    job_id,
    path: fields.path ?? [fields.old_state ?? null, fields.new_state ?? null],
    timestamp: fields.timestamp as number,
    adapter: fields.adapter as string,
    error_type: fields.error_type ?? null,
    error_message: fields.error_message ?? null,
    traceback: fields.traceback ?? null,
    retry_count: fields.retry_count ?? 0,
    max_retries: fields.max_retries as number,
    duration_seconds: fields.duration_seconds ?? null,
    metadata,
    actor: fields.actor as string,
    reason: fields.reason ?? null,
  }
}

function entryAfter(first: AuditEntry, fields: EntryFields): AuditEntry {
  const { path, old_state = null, new_state = null, nth: _, ...own } = fields
  const entry = { ...first, ...own, path: path ?? [old_state, new_state] }
  const { kind, doc_id, metadata } = entry
  // A document belongs to no job, unless it says so itself.
  const job_id = kind === 'document' ? (fields.job_id ?? null) : entry.job_id
  return { ...entry, job_id, id: fields.id ?? idOfEntry(kind, doc_id, job_id, metadata) }
}

/** An entry does not say its id when it can be told from the rest. */
function idOfEntry(
  kind: RecordKind,
  doc_id: string | null,
  job_id: string | null,
  metadata: JsonObject,
): string {
  if (kind === 'document') return doc_id as string
  return kind === 'step' ? stepKey(job_id as string, metadata.step_id as string) : (job_id as string)
}
