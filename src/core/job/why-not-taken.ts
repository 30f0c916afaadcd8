import type { HeldBy, Picked, ReadyHead, WorkView } from '../pick.ts'
import { pick } from '../pick.ts'
import { QUEUE_LIMIT, type QueueRecord } from '../queue/record.ts'
import { shellWord } from '../shell-word.ts'
import { toIso } from '../time.ts'
import { slotKey } from './limits.ts'
import type { JobRecord, StepRecord } from './record.ts'
import { type Cause, expedite, hurry, paused } from './why-cause.ts'

/** Where a job stands among ready work, by the choice that a worker with room for all of it would make. */
export interface Place {
  readonly cause: 'next' | 'turn' | 'paused' | 'limit' | 'rate'
  /** How many are chosen before it. */
  readonly ahead: number
  /** There are more than were looked at, and it is behind those. */
  readonly isBeyond: boolean
  readonly limit: (HeldBy & { readonly used: number; readonly holders: readonly string[] }) | null
}

const NOBODY: ReadonlyMap<string, number> = new Map()

/** Asks the chooser. `heads` are the first few of each group. */
export function placeOf(job: JobRecord, heads: readonly ReadyHead[], view: WorkView): Place {
  const isIt = ({ key }: ReadyHead) => key.id === job.job_id && key.tenant_id === job.tenant_id
  const picked = pick(heads, { limit: heads.length, running: NOBODY, view })
  const ahead = picked.chosen.findIndex(isIt)
  if (ahead >= 0) return { cause: ahead === 0 ? 'next' : 'turn', ahead, isBeyond: false, limit: null }
  return heldPlace(picked, isIt, view)
}

function heldPlace({ chosen, held }: Picked, isIt: (head: ReadyHead) => boolean, view: WorkView): Place {
  const own = held.find(({ head }) => isIt(head))
  const ahead = chosen.length
  if (own === undefined) return { cause: 'turn', ahead, isBeyond: true, limit: null }
  const { cause, limit } = own
  if (limit === null) return { cause, ahead, isBeyond: false, limit: null }
  const used = view.used(limit.tenant_id, slotKey(limit))
  // There is room, and those before it in line will take it.
  if (used < limit.max) return { cause: 'turn', ahead, isBeyond: false, limit: null }
  const holders = view.holders(limit.tenant_id, slotKey(limit))
  return { cause, ahead, isBeyond: false, limit: { ...limit, used, holders } }
}

/** Holders that a message names; the details have more. */
const NAMED = 3
const LISTED = 100

/** Why nobody has taken work that is ready. */
export function whyNotTaken(
  job: JobRecord,
  step: StepRecord,
  queue: QueueRecord | null,
  place: Place | null,
): Cause[] {
  if (queue?.state === 'paused') return [paused(queue)]
  if (place?.limit != null) return [limited(job, step, place.limit)]
  const untaken = nobodyTook(step)
  return place?.cause === 'turn' ? [othersFirst(job, step, place), untaken] : [untaken]
}

function limited(job: JobRecord, step: StepRecord, limit: NonNullable<Place['limit']>): Cause {
  const { key, max, per_ms, used, holders, until } = limit
  const isQueue = key.startsWith(QUEUE_LIMIT)
  const what = isQueue ? `The limit of queue ${step.queue}` : `Limit ${key}`
  const details = { limit: key, used, max, per_ms: per_ms ?? null, holders: holders.slice(0, LISTED) }
  const unblock = isQueue
    ? {
        command: `waybill queue limit ${shellWord(step.queue)} ${per_ms === undefined ? `--concurrency ${max + 1}` : '--rate none'}`,
        effect: per_ms === undefined ? 'Lets one more run at once.' : 'Takes the limit on starts away.',
        does: null,
      }
    : expedite(job, 'limits', 'Lets this one pass all limits.')
  if (per_ms !== undefined) {
    const message = `${what} is used up: ${used} of ${max} were begun within ${per_ms} ms`
    return { cause: 'rate', message, until: until === null ? null : toIso(until), details, unblock }
  }
  const more = holders.length > NAMED ? ` and ${holders.length - NAMED} more` : ''
  const message = `${what} is reached: ${used} of ${max} are held, by ${holders.slice(0, NAMED).join(', ')}${more}`
  return { cause: 'limit', message, until: null, details, unblock }
}

function othersFirst(job: JobRecord, step: StepRecord, { ahead, isBeyond }: Place): Cause {
  const many = isBeyond ? `more than ${ahead}` : String(ahead)
  return {
    cause: 'turn',
    message: `It is its turn in queue ${step.queue} after ${many} others`,
    until: null,
    details: { queue: step.queue, ahead, is_more: isBeyond },
    unblock: hurry(job, 'Puts it before work that is less urgent.'),
  }
}

function nobodyTook({ queue, delivery, service, step_id }: StepRecord): Cause {
  if (delivery === 'push') {
    return {
      cause: 'dispatcher',
      message: `The directive of step ${step_id} is ready to go out to ${service}, and no dispatcher has taken it yet`,
      until: null,
      details: { queue, service },
      unblock: {
        command: `waybill worker --queue ${shellWord(queue)}`,
        effect: 'Starts one, with the publishers of a module; ledger.dispatch does so in code.',
        does: null,
      },
    }
  }
  return {
    cause: 'worker',
    message: `Step ${step_id} is ready in queue ${queue}, and no worker has taken it yet`,
    until: null,
    details: { queue },
    unblock: {
      command: `waybill worker --queue ${shellWord(queue)}`,
      effect: 'Starts one, with the handlers of a module; ledger.work does so in code.',
      does: null,
    },
  }
}
