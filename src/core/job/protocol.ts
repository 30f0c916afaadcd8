import type { Backoff } from '../backoff.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts'

/** How a kind of request is answered: the steps, in order, and who does each. */
export interface Protocol {
  readonly protocol_id: string
  readonly request_type: string
  readonly steps: readonly ProtocolStep[]
}

export interface ProtocolStep {
  readonly step_id: string
  readonly step_type: string
  readonly service: string
  readonly delivery: Delivery
  /** Where workers look for it; the service's name when absent. */
  readonly queue?: string
  readonly limits?: readonly Limit[]
  readonly policy?: StepPolicy
}

/**
 * `push`: a directive goes out through the outbox, callbacks come back. `pull`: workers claim it.
 * `external`: another scheduler runs it and reports.
 */
export type Delivery = 'push' | 'pull' | 'external'

/** At most `max` attempts at once hold this key. */
export interface Limit {
  readonly key: string
  readonly max: number
}

/** Times and tries of a step; what is absent has the default. */
export interface StepPolicy {
  readonly max_attempts?: number
  readonly ack_timeout_ms?: number
  readonly lease_ms?: number
  readonly backoff?: Backoff
  readonly publish_tries?: number
  readonly publish_timeout_ms?: number
  readonly publish_backoff?: Backoff
}

const LIST = 'list'

const DEFAULT_POLICY = {
  max_attempts: 3,
  ack_timeout_ms: 30 * SECOND_MS,
  lease_ms: 15 * MINUTE_MS,
  backoff: { kind: LIST, delaysMs: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] },
  publish_tries: 4,
  publish_timeout_ms: 30 * SECOND_MS,
  publish_backoff: { kind: LIST, delaysMs: [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS] },
} as const satisfies Required<StepPolicy>

/** Another scheduler reports when it gets round to it: its lease is long, and any report renews it. */
const EXTERNAL_LEASE_MS = 24 * HOUR_MS

export function policyOf<K extends keyof StepPolicy>(
  step: { readonly policy: StepPolicy; readonly delivery: Delivery },
  key: K,
): Required<StepPolicy>[K] {
  const own = step.policy[key]
  if (own !== undefined) return own as Required<StepPolicy>[K]
  const external = key === 'lease_ms' && step.delivery === 'external'
  return (external ? EXTERNAL_LEASE_MS : DEFAULT_POLICY[key]) as Required<StepPolicy>[K]
}
