// What happened to something, the newest first: from where to where, when, by whom and why, and how long it was there before.
import type { HistoryRecord } from '../api/live.ts'
import { usePage } from '../app/context.ts'
import { usePreferences } from '../app/preferences.ts'
import { absolute, span } from '../format/time.ts'
import { Loading } from '../parts/answer.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNotice, Notice } from '../parts/notice.tsx'
import { type LinkedKind, RecordLink } from '../parts/record-link.tsx'
import { StatePill } from '../parts/state-pill.tsx'
import { When } from '../parts/when.tsx'
import styles from './timeline.module.css'
import type { Pages } from './use-pages.ts'

interface TimelineProps {
  readonly label: string
  readonly pages: Pages<HistoryRecord>
  /** Not said again in every entry. */
  readonly of: { readonly kind: string; readonly id: string }
  /** Shows what it was like then; null where that makes no sense. */
  readonly onThen?: (record: HistoryRecord) => (() => void) | null
}

export function Timeline({ label, pages, of, onThen }: TimelineProps) {
  const { items, isPending, error, hasMore, isLoadingMore, loadMore, retry } = pages
  if (isPending) return <Loading />
  if (items.length === 0) {
    if (error !== null) return <ErrorNotice error={error} retry={retry} />
    return (
      <Notice kind="empty" title="Nothing is known of its past">
        What is older than history is kept was removed.
      </Notice>
    )
  }
  return (
    <>
      <ol className={styles.timeline} aria-label={label}>
        {items.map((record) => (
          <Entry
            key={`${record.tenant_id} ${record.cursor}`}
            record={record}
            of={of}
            then={onThen?.(record) ?? null}
          />
        ))}
      </ol>
      {error === null ? null : <ErrorNotice error={error} retry={loadMore} />}
      {hasMore ? (
        <p className={styles.more}>
          <Button onClick={loadMore} isBusy={isLoadingMore}>
            {isLoadingMore ? 'Reading on…' : 'Show what happened before'}
          </Button>
        </p>
      ) : null}
    </>
  )
}

const EVENTS = {
  moved: null,
  noted: 'noted',
  refused: 'refused',
  ignored: 'ignored',
} as const

interface EntryProps {
  readonly record: HistoryRecord
  readonly of: TimelineProps['of']
  readonly then: (() => void) | null
}

function Entry({ record, of, then }: EntryProps) {
  const { machines } = usePage()
  const { zone } = usePreferences()
  const { kind, id, event, old_state, new_state, timestamp, actor, adapter, reason, duration_seconds } =
    record
  const tone = event === 'moved' ? (machines[kind].states[new_state]?.tone ?? 'waiting') : record.level
  const said = EVENTS[event]
  return (
    <li className={styles.entry} data-tone={tone} data-event={event}>
      <div className={styles.line}>
        {kind === of.kind && id === of.id ? null : <Whom record={record} />}
        {said === null ? null : <span className={styles.event}>{said}</span>}
        {old_state === null || old_state === new_state ? null : (
          <span className={styles.from}>
            {old_state} <span aria-hidden="true">→</span>
            <span className={styles.unseen}> to </span>
          </span>
        )}
        <StatePill kind={kind} state={new_state} />
        <span className={styles.when}>
          <When at={timestamp} />
          <span className={styles.exact}>{absolute(timestamp, zone)}</span>
          {then === null ? null : (
            <button type="button" className={styles.then} title="What it was like then" onClick={then}>
              Then
            </button>
          )}
        </span>
      </div>
      <p className={styles.by}>
        by <bdi>{actor}</bdi>
        {adapter === '' || adapter === actor ? null : (
          <>
            {' '}
            with <bdi>{adapter}</bdi>
          </>
        )}
        {duration_seconds === null || old_state === null
          ? null
          : `, after ${span(duration_seconds * 1000)} in ${old_state}`}
        {record.retry_count === 0 ? null : `, retry ${record.retry_count} of ${record.max_retries}`}
      </p>
      {reason === null ? null : <p className={styles.reason}>{reason}</p>}
      <WhatWentWrong record={record} />
    </li>
  )
}

const LINKED: readonly string[] = ['job', 'document', 'run', 'workstream'] satisfies LinkedKind[]

function Whom({ record: { kind, tenant_id, id, job_id } }: { readonly record: HistoryRecord }) {
  if (LINKED.includes(kind)) {
    return (
      <span className={styles.whom}>
        {kind} <RecordLink kind={kind as LinkedKind} tenant={tenant_id} id={id} isPlain />
      </span>
    )
  }
  return (
    <span className={styles.whom}>
      {kind} {job_id === null ? id : <RecordLink kind="job" tenant={tenant_id} id={job_id} isPlain />}
    </span>
  )
}

function WhatWentWrong({
  record: { error_type, error_message, traceback },
}: {
  readonly record: HistoryRecord
}) {
  if (error_type === null && error_message === null) return null
  return (
    <div className={styles.error}>
      <p>
        {error_type === null ? null : <strong>{error_type}</strong>} {error_message}
      </p>
      {traceback === null ? null : (
        <details>
          <summary>Traceback</summary>
          <pre tabIndex={0} aria-label="Traceback">
            {traceback}
          </pre>
        </details>
      )}
    </div>
  )
}
