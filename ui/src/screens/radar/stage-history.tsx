import { useQuery } from '@tanstack/react-query'
import type { HistoryRecord } from '../../api/live.ts'
import { lastEventsQuery, type StageJob } from '../../api/stage-jobs.ts'
import { Answer } from '../../parts/answer.tsx'
import { IdLink } from '../../parts/id-link.tsx'
import { Told } from '../../parts/told.tsx'
import { At, When } from '../../parts/when.tsx'
import styles from './inspector.module.css'
import { atStage, lastErrorOf } from './last-error.ts'

interface StageHistoryProps {
  readonly tenant: string
  /** The job that is told of; null when there is none to tell of. */
  readonly id: string | null
  readonly stage: string
  readonly lastFailed: StageJob | undefined
}

const SHOWN = 8

/** What happened last, and the last thing that went wrong. */
export function StageHistory({ tenant, id, stage, lastFailed }: StageHistoryProps) {
  const events = useQuery({ ...lastEventsQuery(tenant, id ?? ''), enabled: id !== null })
  const error = lastErrorOf(atStage(events.data?.items ?? [], stage), lastFailed)
  return (
    <>
      <section className={styles.part}>
        <h3>The last error</h3>
        {error === null ? (
          <p className={styles.quiet}>None is known of.</p>
        ) : (
          <div className={styles.error} data-tone="bad">
            <p>
              <strong>{error.code}</strong> <Told text={error.message} />
            </p>
            <p className={styles.line}>
              <IdLink kind="job" tenant={tenant} id={error.job_id} /> <When at={error.at} />
            </p>
          </div>
        )}
      </section>
      {id === null ? null : (
        <section className={styles.part}>
          <h3>What happened last</h3>
          <p className={styles.line}>
            <span className={styles.quiet}>to</span> <IdLink kind="job" tenant={tenant} id={id} />
          </p>
          <Answer query={events}>{({ items }) => <Timeline records={shownOf(items, stage)} />}</Answer>
        </section>
      )}
    </>
  )
}

/** What concerns the stage; everything, when nothing does yet. */
function shownOf(items: readonly HistoryRecord[], stage: string): readonly HistoryRecord[] {
  const own = atStage(items, stage)
  return (own.length === 0 ? items : own).slice(0, SHOWN)
}

function Timeline({ records }: { readonly records: readonly HistoryRecord[] }) {
  if (records.length === 0) return <p className={styles.quiet}>Nothing yet.</p>
  return (
    <ol className={styles.timeline} aria-label="What happened last">
      {records.map(({ cursor, kind, timestamp, event, old_state, new_state, actor, level, ...rest }) => (
        <li key={`${cursor} ${kind} ${new_state}`} data-tone={level}>
          <span className={styles.when}>
            <At at={timestamp} />
          </span>
          <span>
            {kind} {event === 'moved' ? '' : `${event}: `}
            {old_state === null || old_state === new_state ? '' : `${old_state} `}→ {new_state}
            <span className={styles.quiet}> by {actor}</span>
            {rest.error_message === null ? null : (
              <span className={styles.wrong}>
                {rest.error_type}: {rest.error_message}
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
