import { idOf, isJobPart, type LedgerRecord } from '../../../core/aggregate.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import type { Change, Claim, Signal, SlotChange } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { Move } from '../../live/move.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import type { Encodable, Nths } from './encode.ts'
import { isAbout, writeJobLine } from './encode-job.ts'
import { partIn } from './encode-parts.ts'
import { documentFields, fieldsOf, lineOf } from './fields.ts'
import { type ChangeFields, type PutFields, placesOfEntries } from './line.ts'

/** What one line tells: entries of one aggregate that follow each other, and the records it puts. */
interface Group {
  readonly aggregate: string
  readonly entries: AuditEntry[]
  /** Made when there is one: a large commit has thousands of lines without. */
  puts: LedgerRecord[] | undefined
}

type Devices = Pick<Change, 'claims' | 'slots' | 'signals'>

const NONE: Nths = new Map()
const NO_PUTS: readonly LedgerRecord[] = []
const NO_DEVICES: Devices = { claims: [], slots: [], signals: [] }

/**
 * A commit of any kind, sorted into lines by the aggregates that it is about. It may have thousands of them, so
 * nothing here looks through all of them for each of them.
 */
export function encodeGroups(
  { change, audit, first, moves, nths = NONE }: Encodable,
  into: BatchBuffer,
): number {
  const created = createdDocuments(moves)
  const moveOf = movesByRecord(moves)
  const groups = groupsOf(change, audit)
  const devicesOf = devicesByGroup(change, groups)
  let seq = first
  for (const group of groups) {
    const { entries, puts = NO_PUTS } = group
    const devices = devicesOf.get(group) ?? NO_DEVICES
    const move = jobMoveOf(puts, moveOf)
    if (move !== null && isAbout(entries, move.to.job)) {
      const { parts, before } = move
      writeJobLine({ seq, first, entries, nths, parts, before, devices }, into)
    } else {
      const line = longLine(group, { seq, first, nths, devices }, moveOf, created)
      into.add(JSON.stringify(line))
    }
    seq += placesOfEntries(entries)
  }
  return seq - first
}

interface LinePlace {
  readonly seq: number
  readonly first: number
  readonly nths: Nths
  readonly devices: Devices
}

/** With everything in it, whether it is usual or not. */
function longLine(
  group: Group,
  { seq, first, nths, devices }: LinePlace,
  moveOf: ReadonlyMap<LedgerRecord, Move>,
  created: Set<string>,
): ChangeFields & { readonly seq: number } {
  const { aggregate, entries } = group
  const puts: readonly LedgerRecord[] = group.puts ?? NO_PUTS
  const entry = entries[0]
  const line: { -readonly [F in keyof ChangeFields]: ChangeFields[F] } & { readonly seq: number } =
    entry === undefined ? { seq } : lineOf(seq, entry, nths.get(entry))
  if (seq !== first) line.commit = first
  if (entries.length > 1) line.also = entries.slice(1).map((one) => fieldsOf(one, nths.get(one)))
  if (devices.claims.length > 0) line.claims = devices.claims
  if (devices.slots.length > 0) line.slots = devices.slots
  if (devices.signals.length > 0) line.signals = devices.signals
  const told = puts.find((put): put is DocumentRecord => put.kind === 'document' && tells(entry, put))
  if (entry?.kind === 'document' && entry.event === 'moved') {
    // The first of its lines is the one that makes it.
    Object.assign(line, documentFields(told, entry, created.delete(aggregate)))
  }
  const others = told === undefined ? puts : puts.filter((put) => put !== told)
  if (others.length > 0) line.puts = others.map((put) => putFields(put, moveOf))
  return line
}

/** What the records of a job are part of; null when they are not of a job. */
function jobMoveOf(puts: readonly LedgerRecord[], moveOf: ReadonlyMap<LedgerRecord, Move>): JobMove | null {
  const move = puts[0] === undefined ? undefined : moveOf.get(puts[0])
  return move === undefined || move.parts === null ? null : move
}

type JobMove = Extract<Move, { readonly parts: readonly unknown[] }>

/** In the line of the job that owns them, or else in the first. */
function devicesByGroup(
  { claims, slots, signals }: Change,
  groups: readonly Group[],
): ReadonlyMap<Group, Devices> {
  const devices = new Map<Group, { claims: Claim[]; slots: SlotChange[]; signals: readonly Signal[] }>()
  if (claims.length === 0 && slots.length === 0 && signals.length === 0) return devices
  const byName = new Map(groups.map((group) => [group.aggregate, group]))
  const of = (group: Group) => {
    const known = devices.get(group) ?? { claims: [], slots: [], signals: [] }
    devices.set(group, known)
    return known
  }
  const owned = ({ tenant_id, owner }: Claim | SlotChange) =>
    of(byName.get(`job\n${tenant_id}\n${owner}`) ?? (groups[0] as Group))
  for (const claim of claims) owned(claim).claims.push(claim)
  for (const slot of slots) owned(slot).slots.push(slot)
  // In the last line: whoever waits for it may come into being in this very commit.
  if (signals.length > 0) of(groups.at(-1) as Group).signals = signals
  return devices
}

/** The documents that come into being. */
function createdDocuments(moves: readonly Move[]): Set<string> {
  const created = new Set<string>()
  for (const { to, before } of moves) {
    if ('kind' in to && to.kind === 'document' && before === null) created.add(aggregateOfPut(to))
  }
  return created
}

/** Which move a record is part of; documents are always written whole and need none. */
function movesByRecord(moves: readonly Move[]): ReadonlyMap<LedgerRecord, Move> {
  const byRecord = new Map<LedgerRecord, Move>()
  for (const move of moves) {
    if (move.parts !== null) for (const part of move.parts) byRecord.set(part, move)
    else if (move.to.kind !== 'document') byRecord.set(move.to, move)
  }
  return byRecord
}

/** Whether a document can be read off its entry. */
function tells(entry: AuditEntry | undefined, put: DocumentRecord): boolean {
  return entry?.event === 'moved' && entry.kind === 'document' && entry.path.at(-1) === put.state
}

/** A document has a line for each of its entries; everything else one for all that follow each other. */
function groupsOf(change: Change, audit: readonly AuditEntry[]): readonly Group[] {
  const groups: Group[] = []
  const last = new Map<string, Group>()
  for (const entry of audit) {
    const aggregate = aggregateOfEntry(entry)
    const newest = groups.at(-1)
    if (newest?.aggregate === aggregate && entry.kind !== 'document') newest.entries.push(entry)
    else {
      const group = { aggregate, entries: [entry], puts: undefined }
      groups.push(group)
      last.set(aggregate, group)
    }
  }
  for (const put of change.puts) {
    const aggregate = aggregateOfPut(put)
    let group = last.get(aggregate)
    if (group !== undefined && put.kind === 'document' && !tells(group.entries[0], put)) {
      // Refused after it moved: rare, and then there are few.
      group = groups.findLast((one) => one.aggregate === aggregate && tells(one.entries[0], put)) ?? group
    }
    if (group === undefined) {
      group = { aggregate, entries: [], puts: undefined }
      groups.push(group)
      last.set(aggregate, group)
    }
    group.puts ??= []
    group.puts.push(put)
  }
  if (groups.length === 0) groups.push({ aggregate: '', entries: [], puts: undefined })
  return groups
}

function aggregateOfEntry({ kind, tenant_id, id, job_id }: AuditEntry): string {
  const isPart = kind === 'job' || kind === 'step' || kind === 'outbox'
  return !isPart ? `${kind}\n${tenant_id}\n${id}` : `job\n${tenant_id}\n${job_id ?? id}`
}

function aggregateOfPut(put: LedgerRecord): string {
  return isJobPart(put)
    ? `job\n${put.tenant_id}\n${put.job_id}`
    : `${put.kind}\n${put.tenant_id}\n${idOf(put)}`
}

function putFields(put: LedgerRecord, moveOf: ReadonlyMap<LedgerRecord, Move>): PutFields {
  const { kind, tenant_id } = put
  const id = idOf(put)
  const there = recordBefore(put, moveOf.get(put))
  if (there === null) return { kind, new: put }
  const set: { [field: string]: unknown } = {}
  const old = there as unknown as { readonly [field: string]: unknown }
  for (const [field, value] of Object.entries(put)) {
    if (field !== 'etag' && value !== old[field]) set[field] = value
  }
  return { kind, tenant_id, id, set }
}

/** A record as it was before the commit; null when it is new. */
function recordBefore(put: LedgerRecord, move: Move | undefined): LedgerRecord | null {
  if (move === undefined || move.before === null) return null
  if (!isJobPart(put)) return move.before as LedgerRecord
  return partIn(move.before as JobMove['before'] & object, put)
}
