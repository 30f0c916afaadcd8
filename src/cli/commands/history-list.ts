import type { AuditRecord } from '../../core/audit.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { fromEpochSeconds } from '../../core/time.ts'
import { type PagingOptions, pagesOf } from '../options/page.ts'
import { writeList } from '../output/list.ts'
import { eventStyle } from '../output/state-style.ts'
import { type Column, NEEDED } from '../output/table.ts'
import { codedText, durationText, timeText } from '../output/words.ts'
import type { Session } from '../session.ts'

const time: Column<AuditRecord> = {
  title: 'TIME',
  value: ({ timestamp }) => timeText(fromEpochSeconds(timestamp)),
  least: 20,
  worth: 5,
}

const what: Column<AuditRecord> = {
  title: 'EVENT',
  value: ({ event }) => event,
  style: ({ event }) => eventStyle(event),
  least: 7,
  worth: 4,
}

const change: Column<AuditRecord> = {
  title: 'STATE',
  value: ({ old_state, new_state }) => (old_state === null ? new_state : `${old_state} → ${new_state}`),
  style: ({ event, error_type }) => (error_type !== null ? 'red' : eventStyle(event)),
  least: 18,
  worth: NEEDED,
}

const after: Column<AuditRecord> = {
  title: 'AFTER',
  value: ({ duration_seconds }) => (duration_seconds === null ? '' : durationText(duration_seconds)),
  align: 'right',
  least: 6,
}

const about: readonly Column<AuditRecord>[] = [
  { title: 'ADAPTER', value: ({ adapter }) => adapter },
  { title: 'ACTOR', value: ({ actor }) => actor, worth: 2 },
  {
    title: 'ERROR',
    value: ({ error_type, error_message }) => codedText(error_type, error_message),
    least: 12,
    worth: 3,
  },
  { title: 'REASON', value: ({ reason }) => reason, least: 12, worth: 1 },
]

/** For the history of one record. */
const ownColumns: readonly Column<AuditRecord>[] = [time, change, what, after, ...about]

/** For the history of many. */
export const auditColumns: readonly Column<AuditRecord>[] = [
  time,
  { title: 'KIND', value: ({ kind }) => kind, least: 8 },
  { title: 'ID', value: ({ id }) => id, least: 10, worth: NEEDED },
  change,
  what,
  ...about,
]

/** For the history of a job with all its parts: which of them it is, and which attempt. */
export const partColumns: readonly Column<AuditRecord>[] = [
  time,
  { title: 'WHAT', value: partOf, least: 10, worth: NEEDED },
  {
    // Where it came from is in the line before.
    title: 'STATE',
    value: ({ event, new_state }) => (event === 'moved' ? new_state : `${event} in ${new_state}`),
    style: ({ event, error_type }) => (error_type !== null ? 'red' : eventStyle(event)),
    least: 12,
    worth: NEEDED,
  },
  after,
  ...about,
]

function partOf({ kind, metadata }: AuditRecord): string {
  const { step_id, attempt_no } = metadata
  if (kind === 'job' || typeof step_id !== 'string') return kind
  const name = kind === 'step' ? step_id : `${kind} ${step_id}`
  return typeof attempt_no === 'number' && attempt_no > 0 ? `${name} #${attempt_no}` : name
}

/** Everything that happened to one record, oldest first. One that nobody knows has none, which is no failure. */
export async function writeHistory(
  session: Session,
  record: { readonly kind: RecordKind; readonly id: string },
  paging: PagingOptions & { readonly desc?: boolean },
): Promise<void> {
  const ledger = await session.openToRead()
  const tenant_id = session.options.tenant ?? 'default'
  const direction = paging.desc === true ? 'desc' : 'asc'
  const pages = pagesOf((page) => ledger.audit.query({ ...record, ...page, tenant_id, direction }), paging)
  await writeList(session, pages, {
    columns: ownColumns,
    what: 'entry',
    empty: () => `Nothing is known of a ${record.kind} ${JSON.stringify(record.id)}.`,
  })
}
