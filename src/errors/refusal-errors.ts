import { notFound } from '../core/job/not-found.ts'
import type { Refusal, RefusalCode } from '../core/refusal.ts'
import { type ErrorParts, WaybillError } from './waybill-error.ts'

/** The edge is not declared. Says the record, both states, and where it may go. */
export class InvalidStateTransition extends WaybillError {
  get from(): string {
    return String(this.details.from)
  }

  get to(): string {
    return String(this.details.to)
  }

  get legal(): readonly string[] {
    return this.details.legal as readonly string[]
  }
}

/** The record changed since the etag that the caller demands. */
export class StaleEtag extends WaybillError {}

/** Not there, or not this tenant's: the answer is the same. */
export class NotFound extends WaybillError {}

/** The callback belongs to an attempt that no longer holds the step. */
export class LeaseMismatch extends WaybillError {}

/** A bounded number is used up; try again after `retryAfterSeconds`. */
export class LimitReached extends WaybillError {
  get retryAfterSeconds(): number {
    return Number(this.details.retry_after_seconds ?? 1)
  }
}

/** As many wait for work as may. */
export class TooManyWaiting extends LimitReached {
  constructor(most: number) {
    super({
      code: 'TOO_MANY_WAITING',
      message: `${most} wait for work already, and more may not`,
      next: 'Ask again in a second, or have fewer workers wait at a time.',
      details: { limit: most, retry_after_seconds: 1 },
    })
  }
}

/** It clashes with what is there: an id or key that is taken, work that somebody else took. */
export class Conflict extends WaybillError {}

/** More match a filter now than were expected, and nothing was done: `details` has how many. */
export class CountChanged extends Conflict {
  constructor(expected: number, now: { readonly count: number; readonly is_more: boolean }) {
    const { count, is_more } = now
    super({
      code: 'COUNT_CHANGED',
      message: `${is_more ? 'More than ' : ''}${count} match now, and ${expected} were expected`,
      field: 'expect',
      next: is_more
        ? 'Narrow the filter, by times or states, and do it in several goes.'
        : `Look at what has come, and expect ${count} if that is right.`,
      details: { expected, count, is_more },
    })
  }
}

/** A job names dependencies that are unknown or circular, or lacks a field that its mode needs. */
export class InvalidRequest extends WaybillError {}

/** The job did not succeed: `state` says how it ended, the message why. */
export class JobFailed extends WaybillError {
  get state(): string {
    return String(this.details.state)
  }
}

const CLASSES: { readonly [code in RefusalCode]: new (parts: ErrorParts) => WaybillError } = {
  INVALID_STATE_TRANSITION: InvalidStateTransition,
  STALE_ETAG: StaleEtag,
  NOT_FOUND: NotFound,
  LEASE_MISMATCH: LeaseMismatch,
  NOT_CLAIMABLE: Conflict,
  NOTHING_TO_PUBLISH: Conflict,
  IN_FLIGHT_LIMIT: LimitReached,
  CONCURRENCY_LIMIT: LimitReached,
  RATE_LIMIT: LimitReached,
  QUEUE_PAUSED: Conflict,
  IDEMPOTENCY_CONFLICT: Conflict,
  JOB_EXISTS: Conflict,
  DOC_ID_REQUIRED: InvalidRequest,
  DEPENDENCY_UNKNOWN: InvalidRequest,
  DEPENDENCY_CYCLE: InvalidRequest,
  LIMIT_KEY_MISSING: InvalidRequest,
  JOB_NOT_ENDED: Conflict,
  STEP_UNKNOWN: InvalidRequest,
  STEP_NOT_REACHED: Conflict,
  NOT_EXTERNAL: Conflict,
  STAGE_LIMIT: Conflict,
  RUN_CLOSED: Conflict,
  RUN_EXISTS: Conflict,
  TOKEN_EXISTS: Conflict,
  BROKEN_RECORD: WaybillError,
}

/** A rule said no to this one: it need not say so to the next. */
export function isRefusal(error: unknown): error is WaybillError {
  return error instanceof WaybillError && Object.hasOwn(CLASSES, error.code)
}

/** No such job, or no such step of it, or another tenant's: the kernel says it in these words. */
export function jobNotFound(what: { readonly job_id: string; readonly step_id?: string }): WaybillError {
  return errorOf(notFound(what).refusal)
}

/** How a refusal leaves the kernel's world of values. */
export function errorOf(refusal: Refusal): WaybillError {
  return new CLASSES[refusal.code](refusal)
}

/** An error that was thrown elsewhere and told here, as it was there. */
export function errorFrom(parts: ErrorParts): WaybillError {
  const Own = Object.hasOwn(CLASSES, parts.code) ? CLASSES[parts.code as RefusalCode] : WaybillError
  return new Own(parts)
}
