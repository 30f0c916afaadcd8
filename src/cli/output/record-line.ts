import type { AuditRecord } from '../../core/audit.ts'
import { fromEpochSeconds } from '../../core/time.ts'
import { safeText } from './safe-text.ts'
import type { Style, TextStream } from './text-stream.ts'
import { cutTo, widthOf } from './text-width.ts'
import { durationText, timeText } from './words.ts'

const STATES: { readonly [state: string]: Style } = {
  SUCCEEDED: 'green',
  SENT: 'green',
  completed: 'green',
  FAILED_FINAL: 'red',
  failed: 'red',
  FAILED_RETRY: 'yellow',
  retrying: 'yellow',
  paused: 'yellow',
  CANCELLING: 'yellow',
  CANCELLED: 'dim',
  skipped: 'dim',
  removed: 'dim',
}

const EVENTS: { readonly [event: string]: Style } = { refused: 'red', ignored: 'dim', noted: 'yellow' }

/** As wide as most names of states are. */
const STATE_WIDTH = 12

/** One entry of the history as one line; on a terminal it is cut to its width, and only has the time of the day. */
export function recordLine(out: TextStream, record: AuditRecord): string {
  const at = timeText(fromEpochSeconds(record.timestamp))
  const time = out.isTerminal ? at.slice(11, 19) : at
  const { event, new_state } = record
  const isMove = event === 'moved'
  const state = (isMove ? new_state : event).padEnd(STATE_WIDTH)
  const rest = safeText(
    [subject(record), isMove ? null : wanted(record), ...asides(record)].filter(Boolean).join('  '),
  )
  const room = out.columns - widthOf(time) - widthOf(state) - 4
  return `${out.paint('dim', time)}  ${out.paint(styleOf(record), state)}  ${cutTo(rest, room)}`
}

/** The day that a line belongs to, where lines themselves only have the time. */
export function dayOf({ timestamp }: AuditRecord): string {
  return timeText(fromEpochSeconds(timestamp)).slice(0, 10)
}

function styleOf({ event, new_state }: AuditRecord): Style | undefined {
  return event === 'moved' ? STATES[new_state] : EVENTS[event]
}

/** What it happened to. Parts of a job are told by the job, the step and the attempt. */
function subject({ kind, id, job_id, metadata }: AuditRecord): string {
  if (job_id === null || kind === 'job') return `${kind} ${id}`
  const { step_id, attempt_no } = metadata
  const attempt = typeof attempt_no === 'number' && attempt_no > 0 ? ` #${attempt_no}` : ''
  return `${kind} ${job_id}/${step_id}${attempt}`
}

function wanted({ old_state, new_state }: AuditRecord): string {
  return old_state === new_state ? `while ${new_state}` : `${old_state} → ${new_state}`
}

function asides(record: AuditRecord): readonly (string | null)[] {
  const { error_type, error_message, reason, actor, duration_seconds } = record
  const error = [error_type, error_message].filter(Boolean).join(': ')
  const took =
    duration_seconds === null || duration_seconds === 0 ? null : `after ${durationText(duration_seconds)}`
  return [error === '' ? null : error, took, `by ${actor}`, reason === null ? null : `(${reason})`]
}
