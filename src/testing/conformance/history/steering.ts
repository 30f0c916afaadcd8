import type { Command } from '../../../core/command.ts'
import { EVERYBODY } from '../../../core/queue/record.ts'
import { MINUTE_MS } from '../../../core/time.ts'
import {
  expedite,
  fireSchedule,
  mintToken,
  moveSchedule,
  putSchedule,
  revokeToken,
  runAgain,
  steerQueue,
} from '../commands.ts'
import type {
  AgainIntent,
  CommandIntent,
  FireIntent,
  ScheduleIntent,
  SteerIntent,
  TokenIntent,
} from './intents.ts'
import { nameOf, type ReferenceLedger } from './reference-ledger.ts'
import { jobsIn } from './reference-reads.ts'
import { etagFor, fromEnd, type Seen, UNKNOWN_JOB } from './seen.ts'

const SCHEDULE = 'often'

type Steering = Extract<
  CommandIntent,
  { what: 'steer' | 'schedule' | 'fire' | 'token' | 'expedite' | 'again' }
>

/** What operators and calendars mean, given what is there now. */
export function steeringOf(intent: Steering, model: ReferenceLedger, seen: Seen): Command {
  switch (intent.what) {
    case 'steer':
      return steerOf(intent, model, seen)
    case 'schedule':
      return scheduleOf(intent, model, seen)
    case 'fire':
      return fireOf(intent, model)
    case 'token':
      return tokenOf(intent, model, seen)
    case 'again':
      return againOf(intent, model)
    case 'expedite': {
      const job = fromEnd(jobsIn(model), intent.job)
      const tenant = job === undefined ? null : { tenant_id: job.tenant_id }
      return expedite(job?.job_id ?? UNKNOWN_JOB, intent.ignore, { priority: intent.priority, ...tenant })
    }
  }
}

function steerOf({ queue, set, match }: SteerIntent, model: ReferenceLedger, seen: Seen): Command {
  const etag = model.get('queue', EVERYBODY, queue)?.etag
  return steerQueue(queue, {
    ...set,
    if_match: etagFor(match, etag, seen, nameOf('queue', EVERYBODY, queue)),
  })
}

function scheduleOf(intent: ScheduleIntent, model: ReferenceLedger, seen: Seen): Command {
  const { tenant: tenant_id, to, overlap, catchUp } = intent
  const etag = model.get('schedule', tenant_id, SCHEDULE)?.etag
  const if_match = etagFor(intent.match, etag, seen, nameOf('schedule', tenant_id, SCHEDULE))
  if (to !== 'put') return moveSchedule(SCHEDULE, to, { tenant_id, if_match })
  const cron = String(MINUTE_MS)
  return putSchedule(SCHEDULE, { tenant_id, cron, overlap, catch_up: catchUp, if_match })
}

function fireOf({ tenant: tenant_id, late, limit }: FireIntent, model: ReferenceLedger): Command {
  const schedule = model.get('schedule', tenant_id, SCHEDULE)
  if (schedule?.kind !== 'schedule') return moveSchedule(SCHEDULE, 'paused', { tenant_id })
  const command = fireSchedule(schedule, `fired-${model.log.length % 89}`)
  const at = late ? (schedule.last_at ?? command.at) : command.at
  return { ...command, at, submit: { ...command.submit, inFlightLimit: limit } }
}

function tokenOf({ id, to, match }: TokenIntent, model: ReferenceLedger, seen: Seen): Command {
  const etag = model.get('token', EVERYBODY, id)?.etag
  const if_match = etagFor(match, etag, seen, nameOf('token', EVERYBODY, id))
  return (to === 'mint' ? mintToken : revokeToken)(id, { if_match })
}

function againOf(intent: AgainIntent, model: ReferenceLedger): Command {
  const job = fromEnd(jobsIn(model), intent.job)
  const steps =
    job === undefined
      ? []
      : (model.load({ kind: 'job', tenant_id: job.tenant_id, id: job.job_id })?.steps ?? [])
  const from = intent.from === null ? null : (steps[intent.from]?.step_id ?? 'no such step')
  return runAgain(job?.job_id ?? UNKNOWN_JOB, `again-${model.log.length % 97}`, {
    from_step: from,
    idempotency_key: intent.key,
    inFlightLimit: intent.limit,
    ...(job === undefined ? null : { tenant_id: job.tenant_id }),
  })
}
