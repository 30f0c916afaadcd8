import type { LedgerRecord } from '../../../core/aggregate.ts'
import { must } from '../../../core/must.ts'
import { comparePlaces, type Place } from '../../place.ts'
import { changeTime } from './block-header.ts'
import { mergeRun, type OldRun, type RunChange } from './merge-run.ts'
import type { PageEntry } from './page.ts'
import { parseRecordLine, recordLine } from './record-line.ts'
import { changedLine, RUN_FORMATS } from './run-format.ts'
import { type RunLine, RunWriter, type Section } from './run-writer.ts'
import { type Found, isRecordTable, type RecordTable, type TableName, type ValueOf } from './tables.ts'

export interface WrittenTable {
  readonly records: readonly PageEntry[]
  /** What it means for the list by time of change; the list has its place further down in the file. */
  readonly changes: readonly RunChange<LedgerRecord>[]
}

type Listed = RunChange<LedgerRecord>

/** The records of a table, old and given. What is given is sorted by tenant and id. */
export async function writeTable<T extends TableName>(
  table: T,
  sorted: readonly Found<T>[],
  old: OldRun | null,
  section: Section,
): Promise<WrittenTable> {
  const lineOf = (place: Place, value: ValueOf[T]): RunLine => ({
    place,
    line: recordLine(table, place, value),
    record: isRecordTable(table) ? (value as LedgerRecord) : null,
    header: null,
  })
  const removed: Listed[] = []
  const records = await mergeRun({
    old,
    changes: sorted.map(({ tenant_id, id, value }) => ({ at: 0, tenant_id, id, value })),
    lineOf,
    into: new RunWriter(table, RUN_FORMATS.records, section),
    onRemoved: (line) => {
      if (isRecordTable(table)) removed.push(removal(table, line))
    },
  })
  return { records, changes: isRecordTable(table) ? listed(removed, sorted) : [] }
}

/** The list of records by the time of their last change. */
export function writeByChanged(
  table: RecordTable,
  changes: readonly Listed[],
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

export function sortedByPlace<T extends TableName>(given: Iterable<Found<T>>): readonly Found<T>[] {
  const sorted = [...given].sort(compareGiven)
  for (let i = 1; i < sorted.length; i++) {
    const [before, after] = [sorted[i - 1] as Found<T>, sorted[i] as Found<T>]
    must(
      compareGiven(before, after) !== 0,
      `each record is given once, not so ${after.tenant_id} ${after.id}`,
    )
  }
  return sorted
}

function compareGiven(a: Found<TableName>, b: Found<TableName>): number {
  if (a.tenant_id !== b.tenant_id) return a.tenant_id < b.tenant_id ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** An old entry goes, a new one comes; where they have the same place, the new one is put in place of the old. */
function listed<T extends TableName>(
  removed: readonly Listed[],
  sorted: readonly Found<T>[],
): readonly Listed[] {
  const changes = [...removed]
  for (const { tenant_id, id, value } of sorted) {
    const record = value as LedgerRecord
    changes.push({ at: changeTime(record), tenant_id, id, value: record })
  }
  changes.sort(comparePlaces)
  return changes.filter((change, i) => {
    const next = changes[i + 1]
    return next === undefined || comparePlaces(change, next) !== 0
  })
}

function removal(table: RecordTable, line: string): Listed {
  const { tenant_id, id, value } = parseRecordLine(table, line)
  return { at: changeTime(value), tenant_id, id, value: null }
}
