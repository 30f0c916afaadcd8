import { idOf, type LedgerRecord } from '../../../core/aggregate.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import type { Change } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { isJobPart, type Move } from '../../live/live-state.ts'
import type { Encodable, EncodedCommit, Nths } from './encode.ts'
import { documentFields, fieldsOf, lineOf } from './fields.ts'
import { type ChangeFields, type PutFields, placesOfEntries } from './line.ts'

/** What one line tells: entries of one aggregate that follow each other, and the records it puts. */
interface Group {
  readonly aggregate: string
  readonly entries: AuditEntry[]
  readonly puts: LedgerRecord[]
}

const NONE: Nths = new Map()

/** A commit of any kind, sorted into lines by the aggregates that it is about. */
export function encodeGroups({ change, audit, first, moves, nths = NONE }: Encodable): EncodedCommit {
  const lines: string[] = []
  const moved = new Set<string>()
  let seq = first
  const groups = groupsOf(change, audit)
  for (const [index, { aggregate, entries, puts }] of groups.entries()) {
    const [entry, ...also] = entries
    let rest: ChangeFields = {
      ...(seq === first ? null : { commit: first }),
      ...(also.length === 0 ? null : { also: also.map((one) => fieldsOf(one, nths.get(one))) }),
      ...(index > 0 ? null : devicesOf(change)),
      // In the last line: whoever waits for it may come into being in this very commit.
      ...(index < groups.length - 1 || change.signals.length === 0 ? null : { signals: change.signals }),
    }
    const told = puts.find((put): put is DocumentRecord => put.kind === 'document' && tells(entry, put))
    if (entry?.kind === 'document' && entry.event === 'moved') {
      rest = { ...rest, ...documentFields(told, entry, !moved.has(aggregate) && isNew(entry, moves)) }
      moved.add(aggregate)
    }
    const others = puts.filter((put) => put !== told)
    const listed = others.length === 0 ? null : { puts: others.map((put) => putFields(put, moves)) }
    const line = entry === undefined ? { seq } : lineOf(seq, entry, nths.get(entry))
    lines.push(JSON.stringify({ ...line, ...rest, ...listed }))
    seq += placesOfEntries(entries)
  }
  return { lines, places: seq - first }
}

function devicesOf({ claims, slots }: Change): ChangeFields {
  return {
    ...(claims.length === 0 ? null : { claims }),
    ...(slots.length === 0 ? null : { slots }),
  }
}

function isNew({ tenant_id, id }: AuditEntry, moves: readonly Move[]): boolean {
  const of = moves.find(({ to }) => 'kind' in to && to.tenant_id === tenant_id && idOf(to) === id)
  return of?.before === null
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

function putFields(put: LedgerRecord, moves: readonly Move[]): PutFields {
  const { kind, tenant_id } = put
  const id = idOf(put)
  const there = recordBefore(put, moves)
  if (there === null) return { kind, new: put }
  const set: { [field: string]: unknown } = {}
  const old = there as unknown as { readonly [field: string]: unknown }
  for (const [field, value] of Object.entries(put)) {
    if (field !== 'etag' && value !== old[field]) set[field] = value
  }
  return { kind, tenant_id, id, set }
}

/** A record as it was before the commit; null when it is new. A document is always written whole. */
function recordBefore(put: LedgerRecord, moves: readonly Move[]): LedgerRecord | null {
  if (put.kind === 'document') return null
  const move = moves.find(({ to, parts }) => (parts === null ? to === put : parts.includes(put as never)))
  if (move === undefined || move.before === null) return null
  if (!isJobPart(put)) return move.before as LedgerRecord
  const { job, steps, outbox } = move.before as Extract<
    Move,
    { readonly parts: readonly unknown[] }
  >['before'] &
    object
  if (put.kind === 'job') return job
  if (put.kind === 'step') return steps[put.step_index] ?? null
  return outbox.find((row) => row.outbox_id === put.outbox_id) ?? null
}
