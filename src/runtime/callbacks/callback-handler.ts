// The address that services call back to. A request is looked at in an order in which each step is worth more trouble
// than the one before: path and method, size, signature, fields, and only then the ledger.

import { CALLBACKS, type CallbackName } from '../../core/job/callback-urls.ts'
import type { CallbackAnswer } from '../../core/job/commands.ts'
import { fromIso } from '../../core/time.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { MethodNotAllowed, UnknownPath } from '../../errors/message-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import type { Jobs } from '../../ledger/jobs.ts'
import type { CallOptions } from '../../ledger/settings.ts'
import type { WebHandler } from '../../wire/listen.ts'
import { problemResponse } from '../../wire/problem.ts'
import { readBody } from '../../wire/read-body.ts'
import { keysOf, type Secrets } from '../../wire/secrets.ts'
import { verifySignature } from '../../wire/verify-signature.ts'
import { type Clock, systemClock } from '../../world/clock.ts'
import { debugLogger, type Logger } from '../../world/logger.ts'
import type { Callback } from './callback.ts'
import { badMessageOf, parseCallback } from './callback-body.ts'

export interface CallbackOptions {
  /** What services sign with; several while they are exchanged. */
  readonly secrets: Secrets
  /** Longest body that is read; 1 MiB when absent. */
  readonly maxBytes?: number | undefined
  /** How far the time of a signature may be off, to either side; 5 minutes when absent. */
  readonly windowMs?: number | undefined
  /** Who the history says it was; `service` when absent. */
  readonly actor?: string | undefined
  readonly clock?: Clock | undefined
  readonly logger?: Logger | undefined
}

/** `ledger.jobs`, or what is needed of it. */
export type CallbackJobs = Pick<Jobs, 'ack' | 'heartbeat' | 'result' | 'release'>

export const MAX_BYTES = 1024 * 1024

/** Answers POST requests whose path ends with `/ack`, `/heartbeat` or `/result`; never throws. */
export function callbackHandler(jobs: CallbackJobs, options: CallbackOptions): WebHandler {
  const { clock = systemClock, logger = debugLogger, actor = 'service' } = options
  const keys = keysOf(options.secrets)
  return async (request) => {
    try {
      const name = callbackNameOf(request)
      const body = await readBody(request, options.maxBytes ?? MAX_BYTES)
      const { headers } = request
      verifySignature({ headers, body, secrets: keys, now: clock.now(), windowMs: options.windowMs })
      const answer = await tellCallback(jobs, name, parseCallback(name, body), { actor })
      return Response.json(callbackAnswer(answer, clock.now()))
    } catch (thrown) {
      const error = thrown instanceof InvalidInput ? badMessageOf(thrown) : thrown
      logRefusal(logger, error)
      return problemResponse(error)
    }
  }
}

function callbackNameOf(request: Request): CallbackName {
  const last = new URL(request.url).pathname.split('/').at(-1)
  const name = CALLBACKS.find((known) => known === last)
  if (name === undefined) throw new UnknownPath(CALLBACKS.map((known) => `…/${known}`))
  if (request.method !== 'POST') throw new MethodNotAllowed('POST')
  return name
}

/** The ledger itself logs what it refuses. */
function logRefusal(logger: Logger, error: unknown): void {
  const status = error instanceof WaybillError ? error.status : 500
  if (status >= 500) logger.error({ err: error }, 'A callback could not be taken')
  if (status === 401) logger.warn({ err: error }, 'A callback is not from a service that is known here')
}

export function tellCallback(
  jobs: CallbackJobs,
  name: CallbackName,
  { attempt, result }: Callback,
  by: Pick<CallOptions, 'actor'>,
): Promise<CallbackAnswer> {
  if (result?.status === 'RELEASED') return jobs.release(attempt, { ...by, reason: result.reason })
  if (result !== null) return jobs.result(attempt, result, by)
  return name === 'ack' ? jobs.ack(attempt, by) : jobs.heartbeat(attempt, by)
}

/** `lease_ms` is the same as `lease_expires_at`, for services whose clock is another. */
export function callbackAnswer({ status, cancel, lease_expires_at }: CallbackAnswer, now: number): object {
  if (status === 'ignored') return { status, cancel }
  const lease_ms = lease_expires_at === null ? null : Math.max(fromIso(lease_expires_at) - now, 0)
  return { status, cancel, lease_expires_at, lease_ms }
}
