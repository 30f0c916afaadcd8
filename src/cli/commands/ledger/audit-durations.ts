import type { DurationRow } from '../../../core/durations.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import type { AuditQuery } from '../../../store/query.ts'
import { onePage, writeList } from '../../output/list.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { durationText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

/** What durations are not kept by. */
const NOT_KEPT = ['id', 'error_type', 'actor', 'event'] as const

const COLUMNS: readonly Column<DurationRow>[] = [
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'STATE', value: ({ state }) => state, least: 11, worth: NEEDED },
  { title: 'ADAPTER', value: ({ adapter }) => adapter, worth: NEEDED },
  { title: 'COUNT', value: ({ count }) => count, align: 'right', worth: NEEDED },
  time('P50', ({ p50_seconds }) => p50_seconds),
  time('P95', ({ p95_seconds }) => p95_seconds),
  time('P99', ({ p99_seconds }) => p99_seconds),
  time('MAX', ({ max_seconds }) => max_seconds),
  time('MEAN', ({ mean_seconds }) => mean_seconds),
]

function time(title: string, seconds: (row: DurationRow) => number): Column<DurationRow> {
  return { title, value: (row) => durationText(seconds(row)), align: 'right', least: 7 }
}

export async function writeDurations(session: Session, ledger: Ledger, query: AuditQuery): Promise<void> {
  const ignored = NOT_KEPT.find((field) => query[field] !== undefined)
  if (ignored !== undefined) {
    const option = ignored.replace('_', '-')
    throw new InvalidInput(
      option,
      `Durations are not kept by --${option}`,
      'Filter them with --kind, --state, --adapter, --since, --until and --tenant.',
    )
  }
  const { tenant_id, kind, state, adapter, from, before } = query
  const rows = await ledger.audit.durations({ tenant_id, kind, state, adapter, from, before })
  await writeList(session, onePage(rows), {
    columns: COLUMNS,
    what: 'row',
    empty: () => 'No record has left such a state yet.',
  })
}
