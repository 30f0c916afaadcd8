import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recentJobsQuery } from '../../api/recent-jobs.ts'
import { usePage } from '../../app/context.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since } from '../../parts/when.tsx'
import styles from './rows.module.css'

const SHOWN = 8

/** The jobs that something happened to last. */
export function RecentJobsPanel() {
  const { tenant } = usePage()
  const query = useQuery(recentJobsQuery(tenant, SHOWN))
  return (
    <Panel
      title="Recent jobs"
      actions={
        <Link className={styles.all} to="/jobs">
          All jobs
        </Link>
      }
      isFlush
    >
      <Answer
        query={query}
        instead={({ items }) =>
          items.length > 0 ? null : (
            <Notice kind="empty" title="There is no job yet">
              Submit one: <code>waybill submit --help</code> says how.
            </Notice>
          )
        }
      >
        {({ items }) => (
          <ol className={styles.rows}>
            {items.map(({ tenant_id, job_id, state, updated_at }) => (
              <li key={`${tenant_id} ${job_id}`} className={styles.line}>
                <RecordLink kind="job" tenant={tenant_id} id={job_id} isPlain />
                <span className={styles.pair}>
                  <StatePill kind="job" state={state} />
                  <span className={styles.ago}>
                    <Since at={updated_at} />
                  </span>
                </span>
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </Panel>
  )
}
