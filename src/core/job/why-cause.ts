import type { JsonObject } from '../json.ts'
import type { QueueRecord } from '../queue/record.ts'
import { shellWord } from '../shell-word.ts'
import type { Obstacle } from './commands.ts'
import type { JobRecord } from './record.ts'

export interface Cause {
  readonly cause: CauseName
  readonly message: string
  /** When it ends by itself; null when only somebody can end it, or nobody knows. */
  readonly until: string | null
  readonly details: JsonObject
  /** What would get it moving; null when it has ended and there is nothing to move. */
  readonly unblock: Unblock | null
}

/**
 * `gate`: something has to come true. `dependency`, `delay`, `backoff`, `paused`, `limit`, `rate`: as they say. `turn`: others go first. `worker`: nobody has
 * taken it yet. `dispatcher`: nobody has taken its directive yet. `publishing`, `publish_backoff`: the directive is on its
 * way, or has to wait after a failure. `ack`, `lease`: a service or worker has it. `external`: another scheduler has to
 * report. `cancelling`: the worker was told to stop. `timer`: something is due and nobody has done it. `ended`.
 */
export type CauseName =
  | 'gate'
  | 'dependency'
  | 'delay'
  | 'backoff'
  | 'paused'
  | 'limit'
  | 'rate'
  | 'turn'
  | 'worker'
  | 'dispatcher'
  | 'publishing'
  | 'publish_backoff'
  | 'ack'
  | 'lease'
  | 'external'
  | 'cancelling'
  | 'timer'
  | 'ended'

export interface Unblock {
  readonly command: string
  readonly effect: string
  /** The same as a call, for those who have a button; null when only somebody elsewhere can do it. */
  readonly does: Does | null
}

/** What a command of `Unblock` does. `look`: what keeps another job is to be seen there. */
export type Does =
  | {
      readonly verb: 'expedite'
      readonly tenant_id: string
      readonly job_id: string
      readonly ignore: Obstacle | null
      /** The priority that it is given; null when it keeps its own. */
      readonly priority: 'critical' | null
    }
  | { readonly verb: 'resume_queue'; readonly queue: string }
  | {
      readonly verb: 'again' | 'cancel' | 'annotate' | 'look'
      readonly tenant_id: string
      readonly job_id: string
    }

export function paused({ queue, state_since }: QueueRecord): Cause {
  return {
    cause: 'paused',
    message: `Queue ${queue} is paused since ${state_since}`,
    until: null,
    details: { queue },
    unblock: {
      command: `waybill queue resume ${shellWord(queue)}`,
      effect: 'Hands its work out again.',
      does: { verb: 'resume_queue', queue },
    },
  }
}

/** The command that does not wait for this any longer. */
export function expedite(job: JobRecord, ignore: Obstacle | null, effect: string): Unblock {
  const { tenant_id, job_id } = job
  const command = commandOn(job, 'jobs expedite', job_id)
  return {
    command: ignore === null ? command : `${command} --ignore ${ignore}`,
    effect,
    does: { verb: 'expedite', tenant_id, job_id, ignore, priority: null },
  }
}

/** The command that puts it before others. */
export function hurry(job: JobRecord, effect: string): Unblock {
  const { tenant_id, job_id } = job
  return {
    command: `${commandOn(job, 'jobs expedite', job_id)} --priority critical`,
    effect,
    does: { verb: 'expedite', tenant_id, job_id, ignore: null, priority: 'critical' },
  }
}

const COMMANDS = { again: 'jobs again', cancel: 'jobs cancel', look: 'why' } as const

/** A command on this job, or on another one of its tenant. */
export function unblockBy(
  job: JobRecord,
  { verb, job_id = job.job_id }: { readonly verb: keyof typeof COMMANDS; readonly job_id?: string },
  effect: string,
): Unblock {
  const { tenant_id } = job
  return { command: commandOn(job, COMMANDS[verb], job_id), effect, does: { verb, tenant_id, job_id } }
}

/** Everybody's is the tenant of those who name none. */
const UNNAMED = 'default'

export function commandOn({ tenant_id }: JobRecord, command: string, id: string): string {
  const tenant = tenant_id === UNNAMED ? '' : ` --tenant ${shellWord(tenant_id)}`
  return `waybill ${command} ${shellWord(id)}${tenant}`
}
