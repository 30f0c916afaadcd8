import type { Ledger } from '../../../ledger/ledger.ts'
import type { AuditQuery } from '../../../store/query.ts'
import { onePage, writeList } from '../../output/list.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import type { Session } from '../../session.ts'

/** Fields of the history that each word stands for. */
const FIELDS = {
  error_type: ['error_type'],
  adapter: ['adapter'],
  state: ['kind', 'new_state'],
  actor: ['actor'],
  event: ['event'],
  transition: ['kind', 'old_state', 'new_state'],
} as const

export type CountedBy = keyof typeof FIELDS

export const COUNTED_BY = Object.keys(FIELDS) as CountedBy[]

type Row = { readonly [field: string]: string | number | null }

const TITLES: { readonly [field: string]: string } = { old_state: 'FROM', new_state: 'TO' }

export async function writeCounts(
  session: Session,
  ledger: Ledger,
  query: AuditQuery,
  by: CountedBy,
): Promise<void> {
  const counted = await ledger.audit.countBy(FIELDS[by], query)
  // Most of what happens is no error: without one it does not belong in a list of errors.
  const rows = by === 'error_type' ? counted.filter((row) => (row as Row).error_type !== null) : counted
  const columns = FIELDS[by].map(
    (field): Column<Row> => ({
      title: titleOf(by, field),
      value: (row) => row[field] ?? null,
      worth: NEEDED,
    }),
  )
  await writeList<Row>(session, onePage(rows as readonly Row[]), {
    columns: [
      ...columns,
      { title: 'COUNT', value: ({ count }) => count ?? 0, align: 'right', worth: NEEDED },
    ],
    what: 'row',
    empty: () => (by === 'error_type' ? 'No errors match.' : 'Nothing in the history matches.'),
  })
}

function titleOf(by: CountedBy, field: string): string {
  if (by === 'state' && field === 'new_state') return 'STATE'
  return TITLES[field] ?? field.replace('_', ' ').toUpperCase()
}
