import type { JobRow } from '../../api/jobs.ts'
import { count } from '../../format/numbers.ts'
import type { Column } from '../../lists/record-table.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { When } from '../../parts/when.tsx'
import styles from './jobs.module.css'

const NONE = <span className={styles.muted}>–</span>

export const JOB_COLUMNS: readonly Column<JobRow>[] = [
  {
    title: 'Job',
    width: 'minmax(10rem, 2fr)',
    cell: ({ tenant_id, job_id }) => <RecordLink kind="job" tenant={tenant_id} id={job_id} />,
  },
  { title: 'State', width: '8.5rem', cell: ({ state }) => <StatePill kind="job" state={state} /> },
  {
    title: 'Type',
    width: 'minmax(6rem, 1fr)',
    isExtra: true,
    cell: ({ request_type, pipeline_name, protocol_id }) => {
      const way = pipeline_name ?? protocol_id
      return (
        <span className={styles.type} title={way === request_type ? way : `${request_type} · ${way}`}>
          <span>{request_type}</span>
          {way === request_type ? null : <small>{way}</small>}
        </span>
      )
    },
  },
  {
    title: 'Step',
    width: 'minmax(5rem, 0.8fr)',
    isExtra: true,
    cell: ({ current_step_id, current_step_index }) => (
      <span title={`Step ${current_step_index + 1}: ${current_step_id}`}>
        <span className={`${styles.number} ${styles.muted}`}>{current_step_index + 1}</span> {current_step_id}
      </span>
    ),
  },
  {
    title: 'Attempts',
    width: '4rem',
    isExtra: true,
    cell: ({ attempts_total }) => <span className={styles.number}>{count(attempts_total)}</span>,
  },
  {
    title: 'Document',
    width: 'minmax(6rem, 1fr)',
    isExtra: true,
    cell: ({ tenant_id, doc_id }) =>
      doc_id === null ? (
        NONE
      ) : (
        <RecordLink kind="document" tenant={tenant_id} id={doc_id} isPlain isSameTenant />
      ),
  },
  {
    title: 'Run',
    width: 'minmax(4rem, 0.7fr)',
    isExtra: true,
    cell: ({ tenant_id, run_id }) =>
      run_id === null ? NONE : <RecordLink kind="run" tenant={tenant_id} id={run_id} isPlain isSameTenant />,
  },
  { title: 'Changed', width: '6rem', cell: ({ updated_at }) => <When at={updated_at} /> },
  {
    title: 'Error',
    width: 'minmax(5rem, 1fr)',
    isExtra: true,
    cell: ({ error_code, error_message }) =>
      error_code === null ? (
        NONE
      ) : (
        <span className={styles.bad} title={error_message ?? undefined}>
          {error_code}
        </span>
      ),
  },
]
