import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Stage, stageJobsQuery } from '../../api/stage-jobs.ts'
import { usePage } from '../../app/context.ts'
import { Answer } from '../../parts/answer.tsx'
import { IdLink } from '../../parts/id-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { When } from '../../parts/when.tsx'
import styles from './inspector.module.css'

const SHOWN = 6

/** Those that are at a stage now, and the way to all of them. */
export function StageJobs({ stage }: { readonly stage: Stage }) {
  const { states } = usePage().machines.job
  const open = Object.keys(states).filter((state) => states[state]?.terminal !== true)
  const jobs = useQuery(stageJobsQuery(stage, { states: open, limit: SHOWN, direction: 'asc' }))
  const search = { ...stage.filter, step_id: stage.stage, tenant: stage.tenant }
  return (
    <section className={styles.part}>
      <h3>Jobs at this stage</h3>
      <Answer
        query={jobs}
        instead={({ items }) =>
          items.length === 0 ? <p className={styles.quiet}>There is none at the moment.</p> : null
        }
      >
        {({ items }) => (
          <ul className={styles.jobs} aria-label="Jobs at this stage">
            {items.map(({ tenant_id, job_id, state, updated_at }) => (
              <li key={job_id}>
                <IdLink kind="job" tenant={tenant_id} id={job_id} />
                <StatePill kind="job" state={state} />
                <span className={styles.quiet}>
                  <When at={updated_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <p className={styles.links}>
        <Link to="/jobs" search={{ ...search, state: open.join(',') }}>
          All open jobs at this stage
        </Link>
        <Link to="/jobs" search={search}>
          Those that ended, too
        </Link>
      </p>
    </section>
  )
}
