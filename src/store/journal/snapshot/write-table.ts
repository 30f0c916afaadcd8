import type { LedgerRecord } from '../../../core/aggregate.ts'
import { must } from '../../../core/must.ts'
import { comparePlaces, type Place } from '../../place.ts'
import { changeTime } from './block-header.ts'
import { mergeRun, type OldRun, type RunChange } from './merge-run.ts'
import type { PageEntry } from './page.ts'
import { parseRecordLine, recordLine } from './record-line.ts'
import { changedLine, RUN_FORMATS } from './run-format.ts'
import { type RunLine, RunWriter, type Section } from './run-writer.ts'
import { type Given, isRecordTable, type RecordTable, type TableName, type ValueOf } from './tables.ts'

export interface WrittenTable {
  readonly open: readonly PageEntry[]
  readonly settled: readonly PageEntry[]
  /** What it means for the list by time of change; the list has its place further down in the file. */
  readonly changes: readonly RunChange<LedgerRecord>[]
}

type Settled = RunChange<LedgerRecord>

/**
 * The records of a table: the open ones as they were given, then the settled ones, old and given. What is given is
 * sorted by tenant and id.
 */
export async function writeTable<T extends TableName>(
  table: T,
  sorted: readonly Given<T>[],
  old: OldRun | null,
  section: Section,
): Promise<WrittenTable> {
  const lineOf = (place: Place, value: ValueOf[T]): RunLine => ({
    place,
    line: recordLine(table, place, value),
    record: isRecordTable(table) ? (value as LedgerRecord) : null,
    header: null,
  })
  const open = new RunWriter(table, RUN_FORMATS.open, section)
  for (const record of sorted) {
    if (record.open) open.add(lineOf(changeOf(record), record.value))
    if (open.isFull) await open.cut()
  }
  const openPages = await open.end()
  const removed: Settled[] = []
  const settled = await mergeRun({
    old,
    changes: settledChanges(sorted, old),
    lineOf,
    into: new RunWriter(table, RUN_FORMATS.settled, section),
    onRemoved: (line) => {
      if (isRecordTable(table)) removed.push(removal(table, line))
    },
  })
  return { open: openPages, settled, changes: isRecordTable(table) ? listed(removed, sorted) : [] }
}

/** The list of settled records by the time of their last change. */
export function writeByChanged(
  table: RecordTable,
  changes: readonly Settled[],
  old: OldRun | null,
  section: Section,
): Promise<readonly PageEntry[]> {
  return mergeRun({
    old,
    changes,
    lineOf: (place, record) => ({ place, line: changedLine(place, record), record, header: null }),
    into: new RunWriter(table, RUN_FORMATS.by_changed, section),
  })
}

export function sortedByPlace<T extends TableName>(given: Iterable<Given<T>>): readonly Given<T>[] {
  const sorted = [...given].sort(compareGiven)
  for (let i = 1; i < sorted.length; i++) {
    const [before, after] = [sorted[i - 1] as Given<T>, sorted[i] as Given<T>]
    must(
      compareGiven(before, after) !== 0,
      `each record is given once, not so ${after.tenant_id} ${after.id}`,
    )
  }
  return sorted
}

function compareGiven(a: Given<TableName>, b: Given<TableName>): number {
  if (a.tenant_id !== b.tenant_id) return a.tenant_id < b.tenant_id ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** What is open now leaves the settled ones, should it be among them. */
function settledChanges<T extends TableName>(
  sorted: readonly Given<T>[],
  old: OldRun | null,
): readonly RunChange<ValueOf[T]>[] {
  const changes: RunChange<ValueOf[T]>[] = []
  for (const record of sorted) {
    if (!record.open || old !== null) changes.push(changeOf(record))
  }
  return changes
}

/** An old entry goes, a new one comes; where they have the same place, the new one is put in place of the old. */
function listed<T extends TableName>(
  removed: readonly Settled[],
  sorted: readonly Given<T>[],
): readonly Settled[] {
  const changes = [...removed]
  for (const { tenant_id, id, value, open } of sorted) {
    const record = value as LedgerRecord
    if (!open) changes.push({ at: changeTime(record), tenant_id, id, value: record })
  }
  changes.sort(comparePlaces)
  return changes.filter((change, i) => {
    const next = changes[i + 1]
    return next === undefined || comparePlaces(change, next) !== 0
  })
}

function removal(table: RecordTable, line: string): Settled {
  const { tenant_id, id, value } = parseRecordLine(table, line)
  return { at: changeTime(value), tenant_id, id, value: null }
}

function changeOf<T extends TableName>({ tenant_id, id, value, open }: Given<T>): RunChange<ValueOf[T]> {
  return { at: 0, tenant_id, id, value: open ? null : value }
}
