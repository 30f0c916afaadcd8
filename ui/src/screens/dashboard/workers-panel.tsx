import { useQuery } from '@tanstack/react-query'
import type { Holder } from '../../../../src/ledger/overview.ts'
import { overviewQuery } from '../../api/overview.ts'
import { usePage } from '../../app/context.ts'
import { count, many } from '../../format/numbers.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { Since, When } from '../../parts/when.tsx'
import styles from './rows.module.css'

const SHOWN = 6

/** Who works on something now. */
export function WorkersPanel() {
  const { tenant } = usePage()
  const query = useQuery(overviewQuery(tenant))
  const workers = query.data?.workers
  const running = workers?.items.reduce((sum, one) => sum + one.running, 0) ?? 0
  const actions =
    running === 0 ? undefined : <span className={styles.muted}>{many(running, 'step')} under way</span>
  return (
    <Panel title="Workers" actions={actions} isFlush>
      <Answer
        query={query}
        instead={({ workers: { items } }) =>
          items.length > 0 ? null : (
            <Notice kind="empty" title="Nobody is at work">
              Who takes a step is shown here for as long as they have it.
            </Notice>
          )
        }
      >
        {({ workers: { items, is_more } }) => (
          <>
            <ul className={styles.rows}>
              {items.slice(0, SHOWN).map((holder) => (
                <Worker key={holder.name} holder={holder} />
              ))}
            </ul>
            {items.length <= SHOWN ? null : (
              <p className={styles.rest}>
                and {many(items.length - SHOWN, 'other')}
                {is_more ? ' or more' : ''}
              </p>
            )}
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Worker({
  holder: { name, queues, running, since, lease_expires_at, jobs },
}: {
  readonly holder: Holder
}) {
  return (
    <li>
      <details className={styles.details}>
        <summary>
          <span className={styles.line}>
            <span className={styles.id} title={name}>
              {name}
            </span>
            <span className={styles.end} data-tone="busy" title={many(running, 'step')}>
              {count(running)} running
            </span>
          </span>
          <span className={styles.line}>
            <span className={styles.about} title={queues.join(', ')}>
              {queues.join(', ')}
            </span>
            <span className={styles.muted}>
              for <Since at={since} />
            </span>
          </span>
        </summary>
        <ul className={styles.inner} aria-label={`What ${name} has`}>
          {jobs.map(({ tenant_id, job_id, step_id, since: begun }) => (
            <li key={`${tenant_id} ${job_id} ${step_id}`} className={styles.line}>
              <RecordLink kind="job" tenant={tenant_id} id={job_id} isPlain />
              <span className={styles.muted}>
                {step_id} · <Since at={begun} />
              </span>
            </li>
          ))}
          {lease_expires_at === null ? null : (
            <li className={styles.muted}>
              The first lease ends <When at={lease_expires_at} /> unless it is renewed.
            </li>
          )}
        </ul>
      </details>
    </li>
  )
}
