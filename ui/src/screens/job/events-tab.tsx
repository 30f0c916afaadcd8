import type { JobName } from '../../api/jobs.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { LEVEL_NAMES, LEVELS } from '../../api/vocabulary.ts'
import { listIn, useUrlState } from '../../app/url-state.ts'
import { span } from '../../format/time.ts'
import { ChipFilter, Filters } from '../../parts/filters.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { At, When } from '../../parts/when.tsx'
import styles from './events.module.css'
import jobStyles from './job.module.css'
import { PagesFoot } from './pages-foot.tsx'
import { ownPart, useEvents } from './use-events.ts'

/** What happened to the job, its steps and its directives, the newest first. */
export function EventsTab({ name }: { readonly name: JobName }) {
  const pages = useEvents(name)
  const [url, setUrl] = useUrlState()
  const levels = listIn(url.level)
  const shown = pages.items.filter(({ level }) => levels.length === 0 || levels.includes(level))
  return (
    <div className={jobStyles.stack}>
      <Filters>
        <ChipFilter
          name="level"
          label="Level"
          chips={LEVEL_NAMES.map((level) => ({
            value: level,
            title: level,
            tone: level,
            about: LEVELS[level],
          }))}
        />
      </Filters>
      <Panel title="What happened, the newest first" isFlush>
        <ol className={styles.events}>
          {shown.map((record) => (
            <EventItem key={record.cursor} record={record} />
          ))}
        </ol>
        {pages.items.length > 0 && shown.length === 0 ? (
          <Notice
            kind="no-match"
            title="Nothing of what was read has such a level"
            action={{ label: 'Show all levels', run: () => setUrl({ level: null }) }}
          />
        ) : null}
        <PagesFoot pages={pages} />
      </Panel>
    </div>
  )
}

function EventItem({ record }: { readonly record: HistoryRecord }) {
  const { level, kind, event, old_state, new_state, error_type, error_message } = record
  return (
    <li className={styles.event} data-tone={level} data-level={level}>
      <details>
        <summary>
          <span className={styles.level}>{level}</span>
          <span className={styles.time}>
            <At at={record.timestamp} />
          </span>
          <span className={styles.what} title={record.id}>
            <span className={styles.kind}>{kind}</span> {ownPart(record)}
          </span>
          <span className={styles.move}>
            {event === 'moved' ? null : <em>{event} </em>}
            {old_state === null ? '' : `${old_state} → `}
            <strong>{new_state}</strong>
          </span>
          <span className={styles.actor}>{record.actor}</span>
          {error_type === null && record.reason === null ? null : (
            <span className={styles.message}>
              {error_type === null ? record.reason : `${error_type}: ${error_message ?? ''}`}
            </span>
          )}
        </summary>
        <EventDetails record={record} />
      </details>
    </li>
  )
}

function EventDetails({ record }: { readonly record: HistoryRecord }) {
  const { duration_seconds, traceback, retry_count, max_retries } = record
  return (
    <div className={styles.details}>
      <p>
        <When at={record.timestamp} />, through {record.adapter}
        {duration_seconds === null ? null : `, after ${span(duration_seconds * 1000)}`}
        {`, try ${retry_count} of ${max_retries}`}
        {record.reason === null ? null : `, because: ${record.reason}`}
      </p>
      <JsonView value={record.metadata} label="metadata" />
      {traceback === null ? null : (
        <pre className={styles.traceback} tabIndex={0} aria-label="traceback">
          {traceback}
        </pre>
      )}
    </div>
  )
}
