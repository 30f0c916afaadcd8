import type { AuditRecord } from '../../core/audit.ts'
import { fromEpochSeconds } from '../../core/time.ts'
import { safeText } from './safe-text.ts'
import { eventStyle, stateStyle } from './state-style.ts'
import type { Style, TextStream } from './text-stream.ts'
import { cutTo, widthOf } from './text-width.ts'
import { codedText, durationText, timeText } from './words.ts'

/** As wide as most names of states are. */
const STATE_WIDTH = 12

/** One entry of the history as one line; on a terminal it is cut to its width, and only has the time of the day. */
export function recordLine(out: TextStream, record: AuditRecord): string {
  const at = timeText(fromEpochSeconds(record.timestamp))
  const time = out.isTerminal ? at.slice(11, 19) : at
  const { event, new_state } = record
  const isMove = event === 'moved'
  const state = (isMove ? new_state : event).padEnd(STATE_WIDTH)
  const room = out.columns - widthOf(time) - widthOf(state) - 4
  const rest = safeText(restOf(record, record.job_id))
  // What went wrong is worth more than the middle of an id.
  const isTight = record.error_type !== null && widthOf(rest) > room
  const told = isTight ? safeText(restOf(record, shortened(record.job_id))) : rest
  return `${out.paint('dim', time)}  ${out.paint(styleOf(record), state)}  ${cutTo(told, room)}`
}

function restOf(record: AuditRecord, job_id: string | null): string {
  const isMove = record.event === 'moved'
  return [subject(record, job_id), isMove ? null : wanted(record), ...asides(record)]
    .filter(Boolean)
    .join('  ')
}

/** Ids that the ledger made begin with the time and end with chance. */
function shortened(id: string | null): string | null {
  return id === null || id.length < 20 ? id : `${id.slice(0, 8)}…${id.slice(-6)}`
}

/** The day that a line belongs to, where lines themselves only have the time. */
export function dayOf({ timestamp }: AuditRecord): string {
  return timeText(fromEpochSeconds(timestamp)).slice(0, 10)
}

function styleOf({ event, new_state }: AuditRecord): Style | undefined {
  return event === 'moved' ? stateStyle(new_state) : eventStyle(event)
}

/** What it happened to. Parts of a job are told by the job, the step and the attempt. */
function subject({ kind, id, metadata }: AuditRecord, job_id: string | null): string {
  if (job_id === null) return `${kind} ${id}`
  if (kind === 'job') return `${kind} ${job_id}`
  const { step_id, attempt_no } = metadata
  const attempt = typeof attempt_no === 'number' && attempt_no > 0 ? ` #${attempt_no}` : ''
  return `${kind} ${job_id}/${step_id}${attempt}`
}

function wanted({ old_state, new_state }: AuditRecord): string {
  return old_state === new_state ? `while ${new_state}` : `${old_state} → ${new_state}`
}

function asides(record: AuditRecord): readonly (string | null)[] {
  const { error_type, error_message, reason, actor, duration_seconds } = record
  const took =
    duration_seconds === null || duration_seconds === 0 ? null : `after ${durationText(duration_seconds)}`
  return [codedText(error_type, error_message), took, `by ${actor}`, reason === null ? null : `(${reason})`]
}
