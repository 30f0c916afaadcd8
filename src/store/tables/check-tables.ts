import { idOf, type LedgerRecord } from '../../core/aggregate.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { checkRecords } from '../check-records.ts'
import type { StateCounts } from '../live/state-counts.ts'
import type { Place } from '../place.ts'
import type { Finding } from '../store.ts'
import type { TableLog } from './table-log.ts'
import { recordsFor } from './table-reads.ts'
import type { Tables } from './tables.ts'

const PAGE = 1000

/** History up to which every record is compared with it: all of it is in memory for that. */
const MOST_HISTORY = 2_000_000

export async function checkTables(
  tables: Tables,
  log: TableLog,
  counts: () => Promise<StateCounts>,
): Promise<readonly Finding[]> {
  const { records, removed } = await tables.head()
  // What is left of a history that was removed in part does not tell of every record.
  const isTold = removed === 0 && records <= MOST_HISTORY
  return checkRecords({
    records: (kind) => everyRecord(tables, kind),
    counts: async (kind) => (await counts()).read(kind),
    history: (after) => log.after(after),
    lastSeq: async () => (await tables.head()).seq,
    isCompared: () => isTold,
    isNoneCompared: !isTold,
  })
}

async function* everyRecord(tables: Tables, kind: RecordKind): AsyncGenerator<LedgerRecord> {
  const all = { tenant_id: undefined, where: undefined, changedFrom: undefined, changedBefore: undefined }
  for (let after: Place | null = null; ; ) {
    const find = { ...all, order: 'id', isDescending: false, after, limit: PAGE } as const
    const page = await recordsFor(tables, kind, find)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = { at: 0, tenant_id: last.tenant_id, id: idOf(last) }
  }
}
