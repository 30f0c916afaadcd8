import type { Backoff } from '../backoff.ts'
import type { Rate } from '../job/protocol.ts'
import { MINUTE_MS, SECOND_MS } from '../time.ts'
import type { BreakerPolicy } from './breaker.ts'

/** How a stage bears failure: how often and how long it tries, and when it lets the thing it calls be. */
export interface ResiliencePolicy {
  readonly max_attempts: number
  /** Longest that an attempt may take. */
  readonly timeout_ms: number
  readonly backoff: Backoff
  readonly breaker?: BreakerPolicy
  /** Most attempts that begin within a while. */
  readonly rate?: Rate
}

export const NO_BACKOFF: Backoff = { kind: 'none', baseMs: 0, capMs: 0 }

const BREAKER: BreakerPolicy = { failures: 5, recovery_ms: MINUTE_MS }

/** What a stage has that names no policy. */
export const DEFAULT_POLICY_NAME = 'default'

export const DEFAULT_RESILIENCE: ResiliencePolicy = {
  max_attempts: 3,
  timeout_ms: 30 * SECOND_MS,
  backoff: { kind: 'exponential', baseMs: SECOND_MS / 2, capMs: 30 * SECOND_MS, jitter: 0.5 },
  breaker: BREAKER,
}

/** The policies that every topology has, unless it gives their names to others. */
export const POLICIES: ReadonlyMap<string, ResiliencePolicy> = new Map<string, ResiliencePolicy>([
  [DEFAULT_POLICY_NAME, DEFAULT_RESILIENCE],
  ['gpu-bound', { max_attempts: 1, timeout_ms: MINUTE_MS, backoff: NO_BACKOFF, breaker: BREAKER }],
  [
    'polite-api',
    {
      max_attempts: 10,
      timeout_ms: 10 * SECOND_MS,
      backoff: { kind: 'linear', baseMs: SECOND_MS, capMs: 10 * SECOND_MS },
      rate: { max: 5, per_ms: SECOND_MS },
    },
  ],
])
