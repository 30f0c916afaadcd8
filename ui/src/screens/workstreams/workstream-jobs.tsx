import { useNavigate } from '@tanstack/react-router'
import type { JobRecord } from '../../../../src/core/job/record.ts'
import { jobsOfWorkstream } from '../../api/workstreams.ts'
import { type Column, RecordTable } from '../../lists/record-table.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { Notice } from '../../parts/notice.tsx'
import { pathOf, RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { When } from '../../parts/when.tsx'
import styles from './workstream.module.css'

interface OfWorkstream {
  readonly tenant: string
  readonly id: string
}

const COLUMNS: readonly Column<JobRecord>[] = [
  {
    title: 'Job',
    width: 'minmax(12rem, 2fr)',
    cell: ({ tenant_id, job_id }) => <RecordLink kind="job" tenant={tenant_id} id={job_id} />,
  },
  { title: 'State', width: '9rem', cell: ({ state }) => <StatePill kind="job" state={state} /> },
  { title: 'Type', width: 'minmax(8rem, 1fr)', cell: ({ request_type }) => request_type, isExtra: true },
  {
    title: 'Step',
    width: 'minmax(6rem, 1fr)',
    cell: ({ current_step_id }) => current_step_id,
    isExtra: true,
  },
  {
    title: 'Error',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ error_code, error_message }) =>
      error_code === null ? (
        '–'
      ) : (
        <span title={error_message ?? ''}>{`${error_code}: ${error_message ?? ''}`}</span>
      ),
    isExtra: true,
  },
  { title: 'Changed', width: '7rem', cell: ({ updated_at }) => <When at={updated_at} /> },
]

export function WorkstreamJobs({ tenant, id }: OfWorkstream) {
  const navigate = useNavigate()
  const pages = usePages<JobRecord>({
    key: ['jobs', 'of-workstream', tenant, id],
    topics: ['job'],
    fetchPage: (after, signal) => jobsOfWorkstream({ tenant, id }, after, signal),
    keyOf: ({ job_id }) => job_id,
  })
  return (
    <div className={styles.list}>
      <RecordTable
        label="Jobs of the workstream"
        pages={pages}
        columns={COLUMNS}
        keyOf={({ job_id }) => job_id}
        onOpen={({ tenant_id, job_id }) => void navigate({ to: pathOf('job', tenant_id, job_id) as never })}
        nothing={
          <Notice kind="empty" title="It has no jobs yet">
            A job belongs to it when <code>workstream_id</code> names it as it is submitted.
          </Notice>
        }
      />
    </div>
  )
}
