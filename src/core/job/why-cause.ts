import type { JsonObject } from '../json.ts'
import type { QueueRecord } from '../queue/record.ts'
import { shellWord } from '../shell-word.ts'
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
}

export function paused({ queue, state_since }: QueueRecord): Cause {
  return {
    cause: 'paused',
    message: `Queue ${queue} is paused since ${state_since}`,
    until: null,
    details: { queue },
    unblock: { command: `waybill queue resume ${shellWord(queue)}`, effect: 'Hands its work out again.' },
  }
}

/** The command that does not wait for this any longer. */
export function expedite(job: JobRecord, ignoring: string | null, effect: string): Unblock {
  const command = commandOn(job, 'jobs expedite', job.job_id)
  return { command: ignoring === null ? command : `${command} --ignore ${ignoring}`, effect }
}

/** Everybody's is the tenant of those who name none. */
const UNNAMED = 'default'

export function commandOn({ tenant_id }: JobRecord, command: string, id: string): string {
  const tenant = tenant_id === UNNAMED ? '' : ` --tenant ${shellWord(tenant_id)}`
  return `waybill ${command} ${shellWord(id)}${tenant}`
}
