import { memo } from 'react'
import type { HistoryRecord } from '../../api/live.ts'
import { usePage } from '../../app/context.ts'
import { absolute, msOf, type Zone } from '../../format/time.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import styles from './log-list.module.css'

interface LogCellsProps {
  readonly record: HistoryRecord
  readonly zone: Zone
  /** `2026-11-17`, as the zone has it. */
  readonly today: string
  readonly isOpen: boolean
  readonly linkOf: (record: HistoryRecord) => string
  readonly onToggle: (record: HistoryRecord) => void
}

/** One entry on one line. */
export const LogCells = memo(function LogCells(props: LogCellsProps) {
  const { record, zone, today, isOpen, linkOf, onToggle } = props
  const { level, kind, actor, adapter, error_type, error_message, reason, timestamp } = record
  const time = absolute(timestamp, zone)
  const text = [error_type, error_message, reason].filter((part) => part !== null && part !== '').join(' · ')
  return (
    <div role="presentation" className={styles.cells}>
      <div role="cell" className={styles.time}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-label={`The whole entry of ${time}`}
          onClick={() => onToggle(record)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <time dateTime={new Date(msOf(timestamp)).toISOString()} title={time}>
          {time.startsWith(today) ? time.slice(11, 23) : time.slice(5, 19)}
        </time>
      </div>
      <div role="cell" className={styles.level} data-tone={level} title={level}>
        <span aria-hidden="true">{level[0]?.toUpperCase()}</span>
        <span className={styles.hidden}>{level}</span>
      </div>
      <div role="cell" className={styles.kind}>
        {kind}
      </div>
      <div role="cell" className={styles.id}>
        <Subject record={record} />
      </div>
      <div role="cell" className={styles.change}>
        <Change record={record} />
      </div>
      <div role="cell" className={styles.actor} title={actor}>
        {actor}
      </div>
      <div role="cell" className={styles.adapter} title={adapter}>
        {adapter}
      </div>
      <div role="cell" className={styles.text} title={text === '' ? undefined : text}>
        {text}
      </div>
      <div role="cell" className={styles.link}>
        <CopyId id={linkOf(record)} what="link to this entry" />
      </div>
    </div>
  )
})

function Subject({ record }: { readonly record: HistoryRecord }) {
  const { kind, tenant_id, id, job_id } = record
  if (kind === 'job' || kind === 'document' || kind === 'run' || kind === 'workstream') {
    return <RecordLink kind={kind} tenant={tenant_id} id={id} isPlain={true} />
  }
  // A step or a message has no screen of its own: it is shown with its job.
  if (job_id !== null) return <RecordLink kind="job" tenant={tenant_id} id={job_id} isPlain={true} />
  return (
    <span className={styles.plainId} title={id}>
      {id}
    </span>
  )
}

function Change({ record }: { readonly record: HistoryRecord }) {
  const { machines } = usePage()
  const { kind, event, old_state, new_state, id, job_id } = record
  const spec = machines[kind].states[new_state]
  // What the link beside it does not say.
  const part = job_id !== null && kind !== 'job' && kind !== 'document' ? shortOf(id, job_id) : null
  return (
    <>
      {part === null ? null : <span className={styles.part}>{part}</span>}
      {event === 'moved' ? null : <span className={styles.event}>{event}</span>}
      {old_state === null || old_state === new_state ? null : (
        <>
          <span className={styles.old}>{old_state}</span>
          <span className={styles.arrow} aria-label="to">
            →
          </span>
        </>
      )}
      <span className={styles.new} data-tone={spec?.tone ?? 'waiting'} title={spec?.about}>
        {new_state}
      </span>
    </>
  )
}

/** `job-1/parse` of `job-1` is `parse`. */
function shortOf(id: string, job_id: string): string | null {
  if (id === job_id) return null
  return id.startsWith(job_id) ? id.slice(job_id.length).replace(/^[^\p{L}\p{N}]+/u, '') : id
}
