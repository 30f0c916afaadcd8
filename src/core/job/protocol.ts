import type { Backoff } from '../backoff.ts'
import type { JsonObject } from '../json.ts'
import type { BreakerPolicy } from '../pipeline/breaker.ts'
import type { Gate } from '../pipeline/gate.ts'
import type { StageDocument } from '../pipeline/stage-document.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts'

/** How a kind of request is answered: the steps, in order, and who does each. */
export interface Protocol {
  readonly protocol_id: string
  readonly request_type: string
  readonly steps: readonly ProtocolStep[]
  /** Its steps are the stages of a pipeline, and say in the metadata of the job how they went. */
  readonly pipeline?: { readonly name: string; readonly version: string }
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
  /** What has to come true before it begins. */
  readonly gate?: Gate
  /** The states that the job's document goes through with it. */
  readonly document?: StageDocument
  /** When workers let the thing it calls be. */
  readonly breaker?: BreakerPolicy
  /** A JSON Schema that its part of the payload has to fit. */
  readonly payload_schema?: JsonObject
}

/**
 * `push`: a directive goes out through the outbox, callbacks come back. `pull`: workers claim it.
 * `external`: another scheduler runs it and reports.
 */
export type Delivery = 'push' | 'pull' | 'external'

/**
 * The first step of a job whose stages another scheduler runs, and reports as they come: until the first of them starts, the
 * run is being prepared.
 */
export const BOOTSTRAP = 'bootstrap'

/** Workers and dispatchers look in different places, though a service may go by one name. */
export const PUSHED = 'push:'

/**
 * At most `max` attempts at once hold this key; with `per_ms`, at most `max` begin within so many milliseconds. Limits
 * are kept for each tenant. A part of the key in braces, as in `customer:{payload.customer.id}`, comes from the request.
 */
export interface Limit {
  readonly key: string
  readonly max: number
  readonly per_ms?: number
}

/** One for all who have none: records of one kind are compared field by field. */
export const NO_LIMITS: readonly Limit[] = Object.freeze([])

/** At most so many within so many milliseconds, whichever they are. */
export interface Rate {
  readonly max: number
  readonly per_ms: number
}

/** Times and tries of a step; what is absent has the default. */
export interface StepPolicy {
  readonly max_attempts?: number
  readonly ack_timeout_ms?: number
  readonly lease_ms?: number
  /** Longest that an attempt may work, however often it says that it is still there; no end unless given. */
  readonly timeout_ms?: number
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
  timeout_ms: Number.MAX_SAFE_INTEGER,
  backoff: { kind: LIST, delaysMs: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] },
  publish_tries: 4,
  publish_timeout_ms: 30 * SECOND_MS,
  publish_backoff: { kind: LIST, delaysMs: [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS] },
} as const satisfies Required<StepPolicy>

/**
 * Another scheduler reports when it gets round to it: its lease is long, and any report renews it. It tries again as often
 * as it likes.
 */
const EXTERNAL_POLICY = {
  ...DEFAULT_POLICY,
  lease_ms: 24 * HOUR_MS,
  max_attempts: Number.MAX_SAFE_INTEGER,
} as const satisfies Required<StepPolicy>

/** Attempts that were given back unused do not count. */
export function attemptsLeft(step: {
  readonly policy: StepPolicy
  readonly delivery: Delivery
  readonly attempt_no: number
  readonly released: number
}): number {
  return policyOf(step, 'max_attempts') + step.released - step.attempt_no
}

export function policyOf<K extends keyof StepPolicy>(
  step: { readonly policy: StepPolicy; readonly delivery: Delivery },
  key: K,
): Required<StepPolicy>[K] {
  const own = step.policy[key]
  if (own !== undefined) return own as Required<StepPolicy>[K]
  const defaults = step.delivery === 'external' ? EXTERNAL_POLICY : DEFAULT_POLICY
  return defaults[key] as Required<StepPolicy>[K]
}
