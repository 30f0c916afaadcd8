import { type AuditEntry, steeringEntry } from '../audit.ts'
import { change, type Decision, type Given, need, refuse } from '../decision.ts'
import type { Rate } from '../job/protocol.ts'
import type { JsonObject } from '../json.ts'
import type { QueueState } from '../machines/queue.ts'
import { queueMachine } from '../machines/queue.ts'
import { toIso } from '../time.ts'
import { EVERYBODY, type QueueRecord } from './record.ts'

/** Pause, resume or limit a queue; what is absent stays as it is. */
export interface SteerQueue {
  readonly type: 'steerQueue'
  readonly tenant_id: typeof EVERYBODY
  readonly queue: string
  readonly state?: QueueState | undefined
  readonly concurrency?: number | null | undefined
  readonly rate?: Rate | null | undefined
  readonly actor: string
  readonly reason: string | null
  readonly if_match?: string | undefined
}

export function decideQueue(command: SteerQueue, given: Given): Decision<QueueRecord> {
  const { queue } = command
  const before = given.get('queue', EVERYBODY, queue)
  if (before === undefined) return need([{ kind: 'queue', tenant_id: EVERYBODY, id: queue }])
  if (command.if_match !== undefined && command.if_match !== (before?.etag ?? '')) {
    return refuseStale(command, before, given.now)
  }
  const at = toIso(given.now)
  const from = before?.state ?? queueMachine.initial
  const state = command.state ?? from
  const after: QueueRecord = {
    kind: 'queue',
    tenant_id: EVERYBODY,
    queue,
    state,
    state_since: before !== null && state === from ? before.state_since : at,
    concurrency: command.concurrency === undefined ? (before?.concurrency ?? null) : command.concurrency,
    rate: command.rate === undefined ? (before?.rate ?? null) : command.rate,
    created_at: before?.created_at ?? at,
    updated_at: at,
    etag: '',
  }
  if (before !== null && isSame(before, after)) return change(before, {})
  const metadata = { concurrency: after.concurrency, rate: after.rate === null ? null : { ...after.rate } }
  return change(after, {
    puts: [after],
    audit: [entryOf(command, before, given.now, 'moved', state, metadata)],
  })
}

/** Pausing what is paused is no news. */
function isSame(a: QueueRecord, b: QueueRecord): boolean {
  return (
    a.state === b.state &&
    a.concurrency === b.concurrency &&
    a.rate?.max === b.rate?.max &&
    a.rate?.per_ms === b.rate?.per_ms
  )
}

function entryOf(
  command: SteerQueue,
  before: QueueRecord | null,
  now: number,
  event: 'moved' | 'refused',
  to: QueueState,
  metadata: JsonObject,
): AuditEntry {
  const told = {
    event,
    tenant_id: EVERYBODY,
    kind: 'queue',
    id: command.queue,
    path: [before?.state ?? queueMachine.initial, to],
    adapter: command.queue,
    metadata,
    actor: command.actor,
    reason: command.reason,
  } as const
  return steeringEntry(told, now, before?.state_since)
}

function refuseStale(command: SteerQueue, before: QueueRecord | null, now: number): Decision<never> {
  const { queue, if_match } = command
  const state = before?.state ?? queueMachine.initial
  const metadata = { refusal: 'STALE_ETAG', command: command.type }
  return refuse(
    {
      code: 'STALE_ETAG',
      message: `Queue ${queue} has changed since etag ${if_match} was read`,
      field: 'if_match',
      next: 'Read it again, look at what changed, and repeat the command with the new etag.',
      details: { queue, etag: before?.etag ?? null, state },
    },
    entryOf(command, before, now, 'refused', state, metadata),
  )
}
