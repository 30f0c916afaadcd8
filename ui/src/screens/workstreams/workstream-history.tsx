import { useNavigate } from '@tanstack/react-router'
import type { HistoryRecord } from '../../api/live.ts'
import { historyOfWorkstream } from '../../api/workstreams.ts'
import { type Column, RecordTable } from '../../lists/record-table.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { Notice } from '../../parts/notice.tsx'
import { pathOf } from '../../parts/record-link.tsx'
import { When } from '../../parts/when.tsx'
import styles from './workstream.module.css'

interface OfWorkstream {
  readonly tenant: string
  readonly id: string
}

const COLUMNS: readonly Column<HistoryRecord>[] = [
  { title: 'What', width: 'minmax(10rem, 1.5fr)', cell: (record) => <What record={record} /> },
  { title: 'Went', width: 'minmax(10rem, 1.4fr)', cell: (record) => <Went record={record} /> },
  { title: 'By', width: 'minmax(6rem, 0.8fr)', cell: ({ actor }) => actor, isExtra: true },
  { title: 'Why', width: 'minmax(8rem, 1.5fr)', cell: (record) => <Why record={record} />, isExtra: true },
  { title: 'When', width: '7rem', cell: ({ timestamp }) => <When at={timestamp} /> },
]

export function WorkstreamHistory({ tenant, id }: OfWorkstream) {
  const navigate = useNavigate()
  const pages = usePages<HistoryRecord>({
    key: ['audit', 'of-workstream', tenant, id],
    topics: ['workstream', 'job', 'step', 'outbox'],
    fetchPage: (after, signal) => historyOfWorkstream({ tenant, id }, after, signal),
    keyOf,
  })
  return (
    <div className={styles.list}>
      <RecordTable
        label="History of the workstream"
        pages={pages}
        columns={COLUMNS}
        keyOf={keyOf}
        onOpen={({ job_id }) => {
          if (job_id !== null) void navigate({ to: pathOf('job', tenant, job_id) as never })
        }}
        nothing={
          <Notice kind="empty" title="Nothing is known to have happened">
            It may be older than the history that is kept.
          </Notice>
        }
      />
    </div>
  )
}

function keyOf({ cursor, kind, id, new_state }: HistoryRecord): string {
  return `${cursor} ${kind} ${id} ${new_state}`
}

function What({ record: { kind, id } }: { readonly record: HistoryRecord }) {
  return (
    <span title={`${kind} ${id}`}>
      <span className={styles.kind}>{kind}</span> <code>{id}</code>
    </span>
  )
}

function Went({ record }: { readonly record: HistoryRecord }) {
  const { event, old_state, new_state, level } = record
  const isMove = event === 'moved'
  return (
    <span className={styles.went} data-tone={level}>
      {isMove ? '' : `${event}: `}
      {old_state === null || old_state === new_state ? '' : `${old_state} `}→ {new_state}
    </span>
  )
}

function Why({ record: { reason, error_type, error_message } }: { readonly record: HistoryRecord }) {
  const text = reason ?? (error_type === null ? '' : `${error_type}: ${error_message ?? ''}`)
  return <span title={text}>{text === '' ? '–' : text}</span>
}
