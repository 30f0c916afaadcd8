import type { JobName } from '../../api/jobs.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { EVENT_NAMES, EVENTS } from '../../api/vocabulary.ts'
import { usePreferences } from '../../app/preferences.ts'
import { listIn, useUrlState } from '../../app/url-state.ts'
import { absolute, span } from '../../format/time.ts'
import { ChipFilter, Filters } from '../../parts/filters.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import styles from './events.module.css'
import jobStyles from './job.module.css'
import { PagesFoot } from './pages-foot.tsx'
import { ownPart, useEvents } from './use-events.ts'

const TONES = { moved: 'busy', noted: 'waiting', refused: 'warn', ignored: 'debug' } as const
const COLUMNS = ['Seq', 'When', 'Event', 'Record', 'From → to', 'After', 'Actor', 'Reason', 'Error']

/** The records themselves, with those that came to nothing. */
export function AuditTab({ name }: { readonly name: JobName }) {
  const pages = useEvents(name)
  const [url, setUrl] = useUrlState()
  const events = listIn(url.event)
  const shown = pages.items.filter(({ event }) => events.length === 0 || events.includes(event))
  const chips = EVENT_NAMES.map((event) => ({
    value: event,
    title: event,
    tone: TONES[event],
    about: EVENTS[event],
  }))
  return (
    <div className={jobStyles.stack}>
      <Filters>
        <ChipFilter name="event" label="Event" chips={chips} />
      </Filters>
      <Panel title="Records of the history" isFlush>
        <div
          className={styles.scroll}
          tabIndex={0}
          role="region"
          aria-label="Records of the history, as a table"
        >
          <table className={styles.table}>
            <thead>
              <tr>
                {COLUMNS.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((record) => (
                <AuditRow key={record.cursor} record={record} />
              ))}
            </tbody>
          </table>
        </div>
        {pages.items.length > 0 && shown.length === 0 ? (
          <Notice
            kind="no-match"
            title="Nothing of what was read is such an event"
            action={{ label: 'Show all events', run: () => setUrl({ event: null }) }}
          />
        ) : null}
        <PagesFoot pages={pages} />
      </Panel>
    </div>
  )
}

function AuditRow({ record }: { readonly record: HistoryRecord }) {
  const { zone } = usePreferences()
  const { duration_seconds, error_type, error_message } = record
  return (
    <tr data-event={record.event}>
      <td>{record.seq}</td>
      <td>
        <time title={absolute(record.timestamp, zone)}>{absolute(record.timestamp, zone).slice(5)}</time>
      </td>
      <td>
        <span className={styles.level} data-tone={TONES[record.event]}>
          {record.event}
        </span>
      </td>
      <td title={record.id}>
        {record.kind} {ownPart(record)}
      </td>
      <td className={styles.states}>
        {record.old_state ?? '–'} → {record.new_state}
      </td>
      <td>{duration_seconds === null ? '–' : span(duration_seconds * 1000)}</td>
      <td>{record.actor}</td>
      <td className={styles.text}>{record.reason ?? '–'}</td>
      <td className={styles.text}>{error_type === null ? '–' : `${error_type}: ${error_message ?? ''}`}</td>
    </tr>
  )
}
