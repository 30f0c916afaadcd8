import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lastRunsQuery, type RunRecord } from '../../api/runs.ts'
import { usePage } from '../../app/context.ts'
import { percent } from '../../format/numbers.ts'
import { pathOf } from '../../parts/record-link.tsx'
import styles from './runs.module.css'

/** How the last ten ended, the newest at the right. */
export function LastRuns() {
  const { tenant } = usePage()
  const { data } = useQuery(lastRunsQuery(tenant))
  if (data === undefined || data.ended === 0) return null
  const { items, succeeded, ended } = data
  return (
    <div className={styles.last}>
      <span>
        <strong>{percent(succeeded, ended)}</strong> of the last {ended === 1 ? 'run' : `${ended} runs`} went
        well
      </span>
      <ul aria-label="The last runs">
        {items.toReversed().map((run) => (
          <li key={`${run.tenant_id} ${run.run_id}`}>
            <Mark run={run} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Mark({ run: { tenant_id, run_id, state } }: { readonly run: RunRecord }) {
  const tone = usePage().machines.run.states[state]?.tone
  return (
    <Link
      className={styles.mark}
      data-tone={tone}
      to={pathOf('run', tenant_id, run_id) as never}
      aria-label={`${run_id}: ${state}`}
      title={`${run_id}: ${state}`}
    />
  )
}
