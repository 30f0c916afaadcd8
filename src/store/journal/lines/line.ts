import { idOf, type LedgerRecord, type RecordKey } from '../../../core/aggregate.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { hopsOf } from '../../../core/audit.ts'
import type { Claim, Signal, SlotChange } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { RecordKind } from '../../../core/machines/all.ts'

/** A history entry as it stands in a line. What is left out follows from the rest. */
export interface EntryFields extends Omit<AuditEntry, 'path' | 'id' | 'job_id'> {
  readonly old_state: string | null
  readonly new_state: string | null
  /** Absent for a document: it is the `doc_id`. */
  readonly id?: string
  readonly job_id?: string | null
  /** Absent when exactly one state was entered. */
  readonly path?: readonly (string | null)[]
  /** Which of the refusals kept for the record this is, from 1; absent when it moved. */
  readonly nth?: number
}

/** What became of a record other than a document. */
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
  readonly claims?: readonly Claim[]
  readonly slots?: readonly SlotChange[]
  readonly signals?: readonly Signal[]
}

/** First seq of the batch, how many lines it has, and which of them this is. */
type BatchPlace = readonly [first: number, lines: number, index: number]

/** What happened to one aggregate in one commit. */
export interface ChangeLine extends ChangeFields, Partial<EntryFields> {
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
  /** As it stands in the delta, without its newline. */
  readonly bytes: Uint8Array
}

export function isControl(line: Line): line is ControlLine {
  return line.event === ('closed' as string) || line.event === ('repaired' as string)
}

/** The history entries of a line, in their order. */
export function entriesOf(line: Line): readonly AuditEntry[] {
  if (isControl(line) || line.event === undefined) return []
  const first = entryOf(line as EntryFields)
  return line.also === undefined ? [first] : [first, ...line.also.map(entryOf)]
}

/** The refusals and the like that a line keeps, and which of its record's each of them is. */
export function refusalsOf(line: Line): readonly Refusal[] {
  if (isControl(line) || line.event === undefined) return []
  if (line.also === undefined && line.nth === undefined) return []
  const entries = [line as EntryFields, ...(line.also ?? [])]
  return entries.flatMap(({ nth, kind, tenant_id, id, doc_id }) =>
    nth === undefined ? [] : { tenant_id, name: refusalName(kind, id ?? (doc_id as string)), nth },
  )
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
  for (const put of line.puts ?? []) {
    const { tenant_id } = 'new' in put ? put.new : put
    const id = 'new' in put ? idOf(put.new) : put.id
    // All that a line lists is about one aggregate.
    if (put.kind === 'job' && 'new' in put) return
    if (put.kind === 'step') yield { kind: 'job', tenant_id, id: id.slice(0, id.lastIndexOf('/')) }
    else if (put.kind !== 'outbox') yield { kind: put.kind, tenant_id, id }
    else yield { kind: 'job', tenant_id, id: jobOfRow(put, line) }
  }
}

function jobOfRow(put: PutFields, { job_id, id }: ChangeLine): string {
  return 'new' in put && put.new.kind === 'outbox' ? put.new.job_id : (job_id ?? (id as string))
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

function entryOf(fields: EntryFields): AuditEntry {
  const { kind, doc_id } = fields
  return {
    event: fields.event,
    tenant_id: fields.tenant_id,
    kind,
    id: kind === 'document' ? (doc_id as string) : (fields.id as string),
    doc_id,
    job_id: fields.job_id ?? null,
    path: fields.path ?? [fields.old_state, fields.new_state],
    timestamp: fields.timestamp,
    adapter: fields.adapter,
    error_type: fields.error_type,
    error_message: fields.error_message,
    traceback: fields.traceback,
    retry_count: fields.retry_count,
    max_retries: fields.max_retries,
    duration_seconds: fields.duration_seconds,
    metadata: fields.metadata,
    actor: fields.actor,
    reason: fields.reason,
  }
}
