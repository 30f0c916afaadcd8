import { span } from '../../format/time.ts'
import type { Column } from '../../lists/record-table.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since } from '../../parts/when.tsx'
import type { ListedDocument } from './listed.ts'

const COMMON: readonly Column<ListedDocument>[] = [
  {
    title: 'Document',
    width: 'minmax(13rem, 2.2fr)',
    cell: ({ tenant_id, doc_id }) => <RecordLink kind="document" tenant={tenant_id} id={doc_id} />,
  },
  { title: 'State', width: '8rem', cell: ({ state }) => <StatePill kind="document" state={state} /> },
  { title: 'For', width: '6rem', cell: ({ since }) => <Since at={since} /> },
  { title: 'Adapter', width: 'minmax(6rem, 1fr)', isExtra: true, cell: ({ adapter }) => adapter || '–' },
]

const USUAL: readonly Column<ListedDocument>[] = [
  ...COMMON,
  { title: 'Retries', width: '5rem', isExtra: true, cell: ({ retries }) => retries ?? '–' },
  {
    title: 'Error',
    width: 'minmax(8rem, 2fr)',
    isExtra: true,
    cell: ({ error }) => (error === null ? '–' : <span title={error}>{error}</span>),
  },
]

const STUCK: readonly Column<ListedDocument>[] = [
  ...COMMON,
  {
    title: 'Too long is more than',
    width: 'minmax(10rem, 2fr)',
    isExtra: true,
    cell: ({ tooLong }) => (tooLong === null ? '–' : `${span(tooLong.ms)}, ${tooLong.why}`),
  },
]

export function columnsOf(isStuck: boolean): readonly Column<ListedDocument>[] {
  return isStuck ? STUCK : USUAL
}
