import { idOf, type LedgerRecord } from '../../../core/aggregate.ts'
import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import type { Change } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { Current } from './decode.ts'
import { type ChangeFields, type EntryFields, type PutFields, placesOfEntries } from './line.ts'

/** A commit as lines: each an object without its closing brace, which place in the batch and checksum will follow. */
export interface EncodedCommit {
  readonly starts: readonly string[]
  readonly places: number
}

/** What one line tells: entries of one aggregate that follow each other, and the records it puts. */
interface Group {
  readonly aggregate: string
  readonly entries: AuditEntry[]
  readonly puts: LedgerRecord[]
}

/** Which of its record's kept refusals an entry is; undefined when it moved. */
export type Nths = ReadonlyMap<AuditEntry, number>

const NONE: Nths = new Map()

/** Puts have their etag already: the first seq of the commit. */
export function encodeCommit(
  change: Change,
  audit: readonly AuditEntry[],
  first: number,
  before: Current,
  nths: Nths = NONE,
): EncodedCommit {
  const [entry] = audit
  const [put] = change.puts
  if (isPlainMove(change, audit) && put?.kind === 'document' && entry !== undefined && tells(entry, put)) {
    const line = lineOf(first, entry, undefined, documentFields(put, entry, isNew(entry, before), {}))
    return { starts: [startOf(line)], places: hopsOf(entry) }
  }
  return encodeGroups(change, groupsOf(change, audit), first, before, nths)
}

/** Nearly every commit is one document that moves, and then there is nothing to sort out. */
function isPlainMove({ puts, claims, slots, signals }: Change, audit: readonly AuditEntry[]): boolean {
  return (
    puts.length === 1 &&
    audit.length === 1 &&
    claims.length === 0 &&
    slots.length === 0 &&
    signals.length === 0
  )
}

function encodeGroups(
  change: Change,
  groups: readonly Group[],
  first: number,
  before: Current,
  nths: Nths,
): EncodedCommit {
  const starts: string[] = []
  const moved = new Set<string>()
  let seq = first
  for (const [index, { aggregate, entries, puts }] of groups.entries()) {
    const [entry, ...also] = entries
    let rest: ChangeFields = {
      ...(seq === first ? null : { commit: first }),
      ...(also.length === 0 ? null : { also: also.map((one) => fieldsOf(one, nths.get(one))) }),
      ...(index > 0 ? null : devicesOf(change)),
    }
    const told = puts.find((put): put is DocumentRecord => put.kind === 'document' && tells(entry, put))
    if (entry?.kind === 'document' && entry.event === 'moved') {
      rest = documentFields(told, entry, !moved.has(aggregate) && isNew(entry, before), rest)
      moved.add(aggregate)
    }
    const others = puts.filter((put) => put !== told)
    const listed = others.length === 0 ? null : { puts: others.map((put) => putFields(put, before)) }
    const nth = entry === undefined ? undefined : nths.get(entry)
    starts.push(startOf(lineOf(seq, entry, nth, { ...rest, ...listed })))
    seq += placesOfEntries(entries)
  }
  return { starts, places: seq - first }
}

function devicesOf({ claims, slots, signals }: Change): ChangeFields {
  return {
    ...(claims.length === 0 ? null : { claims }),
    ...(slots.length === 0 ? null : { slots }),
    ...(signals.length === 0 ? null : { signals }),
  }
}

function isNew({ tenant_id, id }: AuditEntry, before: Current): boolean {
  return before({ kind: 'document', tenant_id, id }) === null
}

/** Whether a document can be read off its entry. */
function tells(entry: AuditEntry | undefined, put: DocumentRecord): boolean {
  return entry?.event === 'moved' && entry.kind === 'document' && entry.path.at(-1) === put.state
}

/** A document has a line for each of its entries; everything else one for all that follow each other. */
function groupsOf(change: Change, audit: readonly AuditEntry[]): readonly Group[] {
  const groups: Group[] = []
  for (const entry of audit) {
    const aggregate = aggregateOfEntry(entry)
    const last = groups.at(-1)
    if (last?.aggregate === aggregate && entry.kind !== 'document') last.entries.push(entry)
    else groups.push({ aggregate, entries: [entry], puts: [] })
  }
  for (const put of change.puts) {
    const aggregate = aggregateOfPut(put)
    let group = groups.findLast(
      (one) => one.aggregate === aggregate && (put.kind !== 'document' || tells(one.entries[0], put)),
    )
    group ??= groups.findLast((one) => one.aggregate === aggregate)
    if (group === undefined) {
      group = { aggregate, entries: [], puts: [] }
      groups.push(group)
    }
    group.puts.push(put)
  }
  if (groups.length === 0) groups.push({ aggregate: '', entries: [], puts: [] })
  return groups
}

function aggregateOfEntry({ kind, tenant_id, id, job_id }: AuditEntry): string {
  const isAlone = kind === 'document' || kind === 'run' || kind === 'workstream'
  return isAlone ? `${kind}\n${tenant_id}\n${id}` : `job\n${tenant_id}\n${job_id ?? id}`
}

function aggregateOfPut(put: LedgerRecord): string {
  const isAlone = put.kind === 'document' || put.kind === 'run' || put.kind === 'workstream'
  return isAlone ? `${put.kind}\n${put.tenant_id}\n${idOf(put)}` : `job\n${put.tenant_id}\n${put.job_id}`
}

/** Fields come in a fixed order: what a person looks for first, first. */
function lineOf(
  seq: number,
  entry: AuditEntry | undefined,
  nth: number | undefined,
  rest: ChangeFields,
): object {
  return entry === undefined ? { seq, ...rest } : { seq, ...fieldsOf(entry, nth), ...rest }
}

function fieldsOf(entry: AuditEntry, nth: number | undefined): EntryFields {
  const { path } = entry
  const last = path.length - 1
  return {
    doc_id: entry.doc_id,
    old_state: path[0] ?? null,
    new_state: path[last] ?? null,
    timestamp: entry.timestamp,
    adapter: entry.adapter,
    error_type: entry.error_type,
    error_message: entry.error_message,
    traceback: entry.traceback,
    retry_count: entry.retry_count,
    max_retries: entry.max_retries,
    duration_seconds: entry.duration_seconds,
    metadata: entry.metadata,
    event: entry.event,
    kind: entry.kind,
    tenant_id: entry.tenant_id,
    actor: entry.actor,
    reason: entry.reason,
    ...(entry.kind === 'document' ? null : { id: entry.id, job_id: entry.job_id }),
    ...(last === 1 ? null : { path }),
    ...(nth === undefined ? null : { nth }),
  }
}

/** What of a document its entry does not say. */
function documentFields(
  put: DocumentRecord | undefined,
  entry: AuditEntry,
  created: boolean,
  rest: ChangeFields,
): ChangeFields {
  const first = created ? { ...rest, created } : rest
  if (put === undefined) return first
  const record: { -readonly [F in keyof DocumentRecord]?: DocumentRecord[F] } = {}
  if (put.updated_at !== entry.timestamp) record.updated_at = put.updated_at
  if (put.adapter !== entry.adapter) record.adapter = put.adapter
  if (put.metadata !== entry.metadata) record.metadata = put.metadata
  if (put.retry_count !== entry.retry_count) record.retry_count = put.retry_count
  if (put.max_retries !== entry.max_retries) record.max_retries = put.max_retries
  if (put.error_type !== entry.error_type) record.error_type = put.error_type
  if (put.error_message !== entry.error_message) record.error_message = put.error_message
  for (const _ in record) return { ...first, record }
  return first
}

function putFields(put: LedgerRecord, before: Current): PutFields {
  const { kind, tenant_id } = put
  const id = idOf(put)
  const there = before({ kind, tenant_id, id })
  if (there === null) return { kind, new: put }
  const set: { [field: string]: unknown } = {}
  const old = there as unknown as { readonly [field: string]: unknown }
  for (const [field, value] of Object.entries(put)) {
    if (field !== 'etag' && value !== old[field]) set[field] = value
  }
  return { kind, tenant_id, id, set }
}

function startOf(line: object): string {
  const text = JSON.stringify(line)
  return text.slice(0, -1)
}
