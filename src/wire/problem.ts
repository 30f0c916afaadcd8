import { InternalError } from '../errors/message-errors.ts'
import { ERROR_TABLE } from '../errors/table.ts'
import { WaybillError } from '../errors/waybill-error.ts'

/** Two fields have other names in messages than in records. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['job_id', 'jobId'],
  ['step_id', 'stepId'],
])

/** An error as others are told of it (RFC 9457). What is not ours to tell becomes an `InternalError`. */
export function problemResponse(thrown: unknown): Response {
  const error = thrown instanceof WaybillError ? thrown : new InternalError(thrown)
  const { code, status, message, next, details } = error
  const field = NAMES.get(error.field ?? '') ?? error.field
  const body = {
    type: `urn:waybill:error:${code}`,
    title: ERROR_TABLE[code].about,
    status,
    detail: message,
    code,
    ...(field === undefined ? null : { field }),
    next,
    details,
  }
  const headers = new Headers({ 'content-type': 'application/problem+json' })
  const { retry_after_seconds: retryAfter, allowed } = details
  if (typeof retryAfter === 'number') headers.set('retry-after', String(retryAfter))
  if (typeof allowed === 'string') headers.set('allow', allowed)
  return new Response(JSON.stringify(body), { status, headers })
}
