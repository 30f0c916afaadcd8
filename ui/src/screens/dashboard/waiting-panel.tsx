import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../../api/overview.ts'
import { usePage } from '../../app/context.ts'
import { many } from '../../format/numbers.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { Told } from '../../parts/told.tsx'
import { Since } from '../../parts/when.tsx'
import styles from './rows.module.css'

/** The jobs that nobody works on for longest, and why. */
export function WaitingPanel() {
  const { tenant } = usePage()
  const query = useQuery(overviewQuery(tenant))
  const waiting = query.data?.waiting
  const actions =
    waiting === undefined || waiting.count === 0 ? undefined : (
      <span className={styles.muted}>{many(waiting.count, 'job waits', 'jobs wait')}</span>
    )
  return (
    <Panel title="Oldest waiting" actions={actions} isFlush>
      <Answer
        query={query}
        instead={({ waiting: { oldest } }) =>
          oldest.length > 0 ? null : (
            <Notice kind="empty" title="Nothing waits">
              No open job is without somebody who works on it.
            </Notice>
          )
        }
      >
        {({ waiting: { oldest } }) => (
          <ol className={styles.rows}>
            {oldest.map(({ tenant_id, job_id, since, cause, message }) => (
              <li key={`${tenant_id} ${job_id}`}>
                <div className={styles.line}>
                  <RecordLink kind="job" tenant={tenant_id} id={job_id} isPlain />
                  <span className={styles.end}>
                    <Since at={since} />
                  </span>
                </div>
                <p className={styles.about} title={message} data-cause={cause}>
                  <Told text={message} />
                </p>
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </Panel>
  )
}
