import type { JsonObject } from '../core/json.ts'
import { InternalError } from '../errors/message-errors.ts'
import { ERROR_TABLE } from '../errors/table.ts'
import { WaybillError } from '../errors/waybill-error.ts'

/** Two fields have other names in messages than in records: the name in records first. */
const NAMES = [
  ['job_id', 'jobId'],
  ['step_id', 'stepId'],
] as const

function inMessages(field: string | undefined): string | undefined {
  return NAMES.find(([name]) => name === field)?.[1] ?? field
}

/** What a field that a problem names is called in records. */
export function inRecords(field: string): string {
  return NAMES.find(([, name]) => name === field)?.[0] ?? field
}

export interface Problem {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
}

/** An error as others are told of it (RFC 9457). What is not ours to tell becomes an `InternalError`. */
export function problemOf(thrown: unknown): Problem {
  const error = thrown instanceof WaybillError ? thrown : new InternalError(thrown)
  const { code, status, message, next, details } = error
  const field = inMessages(error.field)
  const { retry_after_seconds: retryAfter, allowed } = details
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : null),
      ...(typeof allowed === 'string' ? { allow: allowed } : null),
    },
    body: {
      type: `urn:waybill:error:${code}`,
      title: ERROR_TABLE[code].about,
      status,
      detail: message,
      code,
      ...(field === undefined ? null : { field }),
      next,
      details,
    },
  }
}

export function problemResponse(thrown: unknown): Response {
  const { status, headers, body } = problemOf(thrown)
  return new Response(JSON.stringify(body), { status, headers })
}
