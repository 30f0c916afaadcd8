import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { errorFrom } from '../../errors/refusal-errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../../errors/table.ts'
import type { WaybillError } from '../../errors/waybill-error.ts'
import { inRecords } from '../../wire/problem.ts'

/** A problem as it was told over HTTP, as the error that it was there; null when it is none of ours. */
export function errorOfProblem(body: Json): WaybillError | null {
  if (!isJsonObject(body)) return null
  const { code, detail, next, field, details } = body
  if (typeof code !== 'string' || typeof detail !== 'string') return null
  return errorFrom({
    // A later version may have codes that are not known here.
    code: Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'INTERNAL_ERROR',
    message: detail,
    next: typeof next === 'string' ? next : '',
    field: typeof field === 'string' ? inRecords(field) : undefined,
    details: isJsonObject(details) ? (details as JsonObject) : {},
  })
}
