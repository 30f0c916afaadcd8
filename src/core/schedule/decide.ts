import { type AuditEntry, steeringEntry } from '../audit.ts'
import { change, type Decision, type Given, need, type Refused, refuse } from '../decision.ts'
import { decideSubmit } from '../job/submit.ts'
import type { JsonObject } from '../json.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { type ScheduleState, scheduleMachine } from '../machines/schedule.ts'
import { must } from '../must.ts'
import type { Refusal } from '../refusal.ts'
import { fromIso, MINUTE_MS, SECOND_MS, toIso } from '../time.ts'
import type { FireAnswer, FireSchedule, MoveSchedule, PutSchedule, ScheduleCommand } from './commands.ts'
import { type ScheduleRecord, scheduleDueAt } from './record.ts'

/** A job that could not be submitted is tried again after this. */
const RETRY_MS = 30 * SECOND_MS

/** Nobody is on time to the millisecond: a time is missed only when it is this long ago. */
const MISSED_AFTER_MS = MINUTE_MS

type Patch = Partial<Omit<ScheduleRecord, 'state'>> & { readonly state?: ScheduleState }

export function decideSchedule(command: ScheduleCommand, given: Given): Decision<unknown> {
  const { tenant_id, schedule_id } = command
  const before = given.get('schedule', tenant_id, schedule_id)
  if (before === undefined) return need([{ kind: 'schedule', tenant_id, id: schedule_id }])
  if (command.if_match !== undefined && command.if_match !== (before?.etag ?? '')) {
    return refuseStale(command, before, given.now)
  }
  if (command.type === 'putSchedule') return put(command, before, given)
  if (before === null || (before.state === 'removed' && command.type === 'moveSchedule')) {
    return notFound(command)
  }
  return command.type === 'moveSchedule' ? move(command, before, given) : fire(command, before, given)
}

function put(command: PutSchedule, before: ScheduleRecord | null, given: Given): Decision<ScheduleRecord> {
  const { cron, timezone, request, overlap, catch_up } = command
  const at = toIso(given.now)
  const state = before?.state === 'paused' ? 'paused' : 'active'
  const after: ScheduleRecord = {
    kind: 'schedule',
    tenant_id: command.tenant_id,
    schedule_id: command.schedule_id,
    state,
    state_since: before?.state === state ? before.state_since : at,
    cron,
    timezone,
    request,
    overlap,
    catch_up,
    next_at: timeAfter(command, command, given.now),
    retry_at: null,
    last_at: before?.last_at ?? null,
    last_job_id: before?.last_job_id ?? null,
    last_error_code: null,
    last_error_message: null,
    created_at: before?.created_at ?? at,
    updated_at: at,
    etag: '',
  }
  const metadata = { cron, timezone, next_at: after.next_at }
  return change(after, { puts: [after], audit: [entryOf(command, before, after, given.now, metadata)] })
}

function move(command: MoveSchedule, before: ScheduleRecord, given: Given): Decision<ScheduleRecord> {
  const { state } = command
  if (state === before.state) return change(before, {})
  const after = patched(before, given.now, {
    state,
    retry_at: null,
    next_at: state === 'active' ? timeAfter(command, before, given.now) : before.next_at,
  })
  const metadata = { next_at: after.next_at }
  return change(after, { puts: [after], audit: [entryOf(command, before, after, given.now, metadata)] })
}

/** Schedule and job are one change: a time is never dealt with twice, and never lost. */
function fire(command: FireSchedule, before: ScheduleRecord, given: Given): Decision<FireAnswer> {
  const due = scheduleDueAt(before)
  if (before.next_at !== command.at || due === null || due > toIso(given.now)) {
    return change({ job_id: null }, {})
  }
  const next_at = nextTime(command, before, given.now)
  // One that was refused at its time was not missed, however long it is put off.
  if (before.catch_up === 'none' && given.now - fromIso(due) > MISSED_AFTER_MS) {
    return passOver(command, before, given.now, next_at, 'missed: nobody was there to submit it')
  }
  const open = openJob(before, given)
  if (open === 'unknown') return need([lastJobKey(before)])
  if (open)
    return passOver(command, before, given.now, next_at, `skipped: job ${before.last_job_id} is still open`)
  const submitted = decideSubmit(command.submit, given)
  if (submitted.kind === 'need') return submitted
  if (submitted.kind === 'refusal') return putOff(command, before, given.now, submitted.refusal)
  const { job_id } = submitted.answer
  const after = patched(before, given.now, {
    next_at,
    retry_at: null,
    last_at: command.at,
    last_job_id: job_id,
    last_error_code: null,
    last_error_message: null,
  })
  const entry = entryOf(command, before, after, given.now, { job_id, time: command.at, next_at })
  const { puts, audit, claims, slots, signals } = submitted.change
  return change({ job_id }, { puts: [...puts, after], audit: [...audit, entry], claims, slots, signals })
}

/** For `all` the next time that was not dealt with, which may be long past; else the next one to come. */
function nextTime(command: FireSchedule, before: ScheduleRecord, now: number): string | null {
  const at = fromIso(command.at)
  return timeAfter(command, before, before.catch_up === 'all' ? at : Math.max(at, now))
}

function openJob({ overlap, tenant_id, last_job_id }: ScheduleRecord, given: Given): boolean | 'unknown' {
  if (overlap === 'allow' || last_job_id === null) return false
  const last = given.get('job', tenant_id, last_job_id)
  if (last === undefined) return 'unknown'
  return last !== null && !isTerminal(jobMachine, last.job.state)
}

function lastJobKey({ tenant_id, last_job_id }: ScheduleRecord) {
  return { kind: 'job', tenant_id, id: last_job_id as string } as const
}

function passOver(
  command: FireSchedule,
  before: ScheduleRecord,
  now: number,
  next_at: string | null,
  why: string,
): Decision<FireAnswer> {
  const after = patched(before, now, { next_at, retry_at: null, last_at: command.at })
  const entry = entryOf(command, before, after, now, { job_id: null, time: command.at, next_at, why })
  return change({ job_id: null }, { puts: [after], audit: [entry] })
}

/** A tenant at its limit, say: the same time is tried again, so that it is not lost in silence. */
function putOff(
  command: FireSchedule,
  before: ScheduleRecord,
  now: number,
  { code, message }: Refusal,
): Decision<FireAnswer> {
  const retry_at = toIso(now + RETRY_MS)
  const after = patched(before, now, { retry_at, last_error_code: code, last_error_message: message })
  // Said once: it may be put off for hours.
  if (before.retry_at !== null && before.last_error_code === code)
    return change({ job_id: null }, { puts: [after] })
  const entry = entryOf(command, before, after, now, { job_id: null, time: command.at, retry_at })
  const failed = { ...entry, error_type: code, error_message: message }
  return change({ job_id: null }, { puts: [after], audit: [failed] })
}

function patched(before: ScheduleRecord, now: number, patch: Patch): ScheduleRecord {
  const at = toIso(now)
  const state = patch.state ?? before.state
  must(
    scheduleMachine.states[before.state].to.includes(state),
    `a schedule may go from ${before.state} to ${state}`,
  )
  const state_since = state === before.state ? before.state_since : at
  return { ...before, ...patch, state, state_since, updated_at: at }
}

function timeAfter(
  { calendar }: ScheduleCommand,
  times: Pick<ScheduleRecord, 'cron' | 'timezone'>,
  ms: number,
): string | null {
  const next = calendar(times, ms)
  return next === null ? null : toIso(next)
}

function entryOf(
  command: ScheduleCommand,
  before: ScheduleRecord | null,
  after: ScheduleRecord | null,
  now: number,
  metadata: JsonObject,
): AuditEntry {
  const told = {
    event: after === null ? 'refused' : 'moved',
    tenant_id: command.tenant_id,
    kind: 'schedule',
    id: command.schedule_id,
    path: [before?.state ?? null, after?.state ?? before?.state ?? scheduleMachine.initial],
    adapter: 'schedule',
    metadata,
    actor: command.actor,
    reason: command.reason,
  } as const
  return steeringEntry(told, now, before?.state_since)
}

function refuseStale(command: ScheduleCommand, before: ScheduleRecord | null, now: number): Refused {
  const { schedule_id, if_match } = command
  return refuse(
    {
      code: 'STALE_ETAG',
      message: `Schedule ${schedule_id} has changed since etag ${if_match} was read`,
      field: 'if_match',
      next: 'Read it again, look at what changed, and repeat the command with the new etag.',
      details: { schedule_id, etag: before?.etag ?? null },
    },
    entryOf(command, before, null, now, { refusal: 'STALE_ETAG', command: command.type }),
  )
}

function notFound({ schedule_id }: ScheduleCommand): Refused {
  return refuse({
    code: 'NOT_FOUND',
    message: `Schedule ${schedule_id} is not known here`,
    field: 'schedule_id',
    next: 'Check its name and the tenant it was made for.',
    details: { schedule_id },
  })
}
