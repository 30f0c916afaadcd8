import type { Limit, Rate } from '../job/protocol.ts'
import type { QueueState } from '../machines/queue.ts'

/** Whose queue it is: everybody's. Tenants share queues and take turns in them. */
export const EVERYBODY = '*'

/** What somebody decided about a queue: whether it is paused, and how much of it may run. */
export interface QueueRecord {
  readonly kind: 'queue'
  readonly tenant_id: typeof EVERYBODY
  readonly queue: string
  readonly state: QueueState
  readonly state_since: string
  /** Most attempts at once, over all tenants; null when nobody said. */
  readonly concurrency: number | null
  /** Most attempts begun in a while, over all tenants; null when nobody said. */
  readonly rate: Rate | null
  readonly created_at: string
  readonly updated_at: string
  etag: string
}

/** Limits of queues are kept beside those of protocols, whose keys may not begin like this. */
export const QUEUE_LIMIT = 'queue:'

/** The limits that a queue itself has. */
export function queueLimits(queue: QueueRecord | null): readonly Limit[] {
  if (queue === null) return []
  const key = `${QUEUE_LIMIT}${queue.queue}`
  return [
    ...(queue.concurrency === null ? [] : [{ key, max: queue.concurrency }]),
    ...(queue.rate === null ? [] : [{ key, ...queue.rate }]),
  ]
}
