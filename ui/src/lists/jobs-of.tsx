// The jobs of a document, of a run, or of a workstream.
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type Belonging, type JobRecord, jobsOfPage } from '../api/jobs-of.ts'
import { Notice } from '../parts/notice.tsx'
import { pathOf, RecordLink } from '../parts/record-link.tsx'
import { StatePill } from '../parts/state-pill.tsx'
import { Since, When } from '../parts/when.tsx'
import styles from './jobs-of.module.css'
import { type Column, RecordTable } from './record-table.tsx'
import { usePages } from './use-pages.ts'

const COLUMNS: readonly Column<JobRecord>[] = [
  {
    title: 'Job',
    width: 'minmax(11rem, 2fr)',
    cell: ({ tenant_id, job_id }) => <RecordLink kind="job" tenant={tenant_id} id={job_id} />,
  },
  { title: 'State', width: '9rem', cell: ({ state }) => <StatePill kind="job" state={state} /> },
  { title: 'Kind', width: 'minmax(6rem, 1fr)', isExtra: true, cell: ({ request_type }) => request_type },
  { title: 'At', width: 'minmax(5rem, 1fr)', isExtra: true, cell: ({ current_step_id }) => current_step_id },
  { title: 'For', width: '5rem', isExtra: true, cell: ({ state_since }) => <Since at={state_since} /> },
  { title: 'Made', width: '7rem', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
]

const ROW_PX = 38
const HEAD_PX = 34
const MOST_ROWS = 10

interface JobsOfProps {
  readonly tenant: string
  readonly of: Belonging
  readonly label: string
}

export function JobsOf({ tenant, of, label }: JobsOfProps) {
  const navigate = useNavigate()
  const { doc_id, run_id, workstream_id } = of
  const what = useMemo(
    () => ({
      ...(doc_id === undefined ? null : { doc_id }),
      ...(run_id === undefined ? null : { run_id }),
      ...(workstream_id === undefined ? null : { workstream_id }),
    }),
    [doc_id, run_id, workstream_id],
  )
  const key = useMemo(() => ['jobs of', tenant, what], [tenant, what])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) => jobsOfPage(tenant, what, after, signal),
    [tenant, what],
  )
  const pages = usePages<JobRecord>({ key, topics: ['job', 'step'], fetchPage, keyOf })
  const rows = Math.min(MOST_ROWS, pages.items.length)
  const nothing = (
    <Notice kind="empty" title="No job has anything to do with it">
      A job that names it when it is submitted is listed here.
    </Notice>
  )
  return (
    <div className={styles.jobs} style={pages.items.length === 0 ? {} : { height: HEAD_PX + rows * ROW_PX }}>
      <RecordTable
        label={label}
        pages={pages}
        columns={COLUMNS}
        keyOf={keyOf}
        onOpen={({ tenant_id, job_id }) => void navigate({ to: pathOf('job', tenant_id, job_id) } as never)}
        nothing={nothing}
      />
    </div>
  )
}

function keyOf({ tenant_id, job_id }: JobRecord): string {
  return `${tenant_id} ${job_id}`
}
