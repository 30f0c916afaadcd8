import type { JsonObject } from './json.ts'

/**
 * A refusal is a value: the kernel says no, why, and what the caller can do. Outside the kernel it becomes the
 * exception with the same code (see the error table).
 */
export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
  /** The input at fault, where there is one. */
  readonly field?: string
  readonly next: string
  readonly details: JsonObject
}

export type RefusalCode =
  | 'INVALID_STATE_TRANSITION'
  | 'STALE_ETAG'
  | 'NOT_FOUND'
  | 'LEASE_MISMATCH'
  | 'NOT_CLAIMABLE'
  | 'NOTHING_TO_PUBLISH'
  | 'IN_FLIGHT_LIMIT'
  | 'CONCURRENCY_LIMIT'
  | 'RATE_LIMIT'
  | 'QUEUE_PAUSED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'JOB_EXISTS'
  | 'DOC_ID_REQUIRED'
  | 'DEPENDENCY_UNKNOWN'
  | 'DEPENDENCY_CYCLE'
  | 'LIMIT_KEY_MISSING'
  | 'JOB_NOT_ENDED'
  | 'STEP_UNKNOWN'
  | 'STEP_NOT_REACHED'
  | 'NOT_EXTERNAL'
  | 'STAGE_LIMIT'
  | 'RUN_CLOSED'
  | 'RUN_EXISTS'
  | 'TOKEN_EXISTS'
  | 'BROKEN_RECORD'
