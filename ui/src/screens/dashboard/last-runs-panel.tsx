import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunRecord } from '../../../../src/core/group/run-record.ts'
import { overviewQuery } from '../../api/overview.ts'
import { usePage } from '../../app/context.ts'
import { percent } from '../../format/numbers.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { When } from '../../parts/when.tsx'
import styles from './rows.module.css'

const LISTED = 5

/** How the runs that ended last came out. */
export function LastRunsPanel() {
  const { tenant } = usePage()
  const query = useQuery(overviewQuery(tenant))
  return (
    <Panel
      title="Last runs"
      actions={
        <Link className={styles.all} to="/runs">
          All runs
        </Link>
      }
      isFlush
    >
      <Answer
        query={query}
        instead={({ runs: { items } }) =>
          items.length > 0 ? null : (
            <Notice kind="empty" title="No run has ended yet">
              Jobs that belong together make a run: give them the same run_id.
            </Notice>
          )
        }
      >
        {({ runs: { items } }) => (
          <>
            <Rate runs={items} />
            <ol className={styles.rows}>
              {items.slice(0, LISTED).map(({ tenant_id, run_id, state, completed_at, updated_at }) => (
                <li key={`${tenant_id} ${run_id}`} className={styles.line}>
                  <RecordLink kind="run" tenant={tenant_id} id={run_id} isPlain />
                  <span className={styles.pair}>
                    <StatePill kind="run" state={state} />
                    <span className={styles.muted}>
                      <When at={completed_at ?? updated_at} />
                    </span>
                  </span>
                </li>
              ))}
            </ol>
          </>
        )}
      </Answer>
    </Panel>
  )
}

/** The newest is the rightmost. */
function Rate({ runs }: { readonly runs: readonly RunRecord[] }) {
  const { machines } = usePage()
  const toneOf = (state: string) => machines.run.states[state]?.tone ?? 'waiting'
  const well = runs.filter(({ state }) => toneOf(state) === 'good').length
  return (
    <div className={styles.rate}>
      <strong data-tone={well === runs.length ? 'good' : 'retry'}>{percent(well, runs.length)}</strong>
      <span className={styles.muted}>
        {well} of the last {runs.length} succeeded
      </span>
      <ol className={styles.dots} aria-label="The last runs, the newest at the end">
        {runs.toReversed().map(({ tenant_id, run_id, state }) => (
          <li key={`${tenant_id} ${run_id}`}>
            <Link
              to="/runs/$tenant/$id"
              params={{ tenant: tenant_id, id: run_id }}
              data-tone={toneOf(state)}
              aria-label={`${run_id}: ${state}`}
              title={`${run_id}: ${state}`}
            >
              <span aria-hidden="true" />
            </Link>
          </li>
        ))}
      </ol>
    </div>
  )
}
