import type { JsonObject } from '../core/json.ts'
import { ERROR_TABLE, type ErrorCode } from './table.ts'

export interface ErrorParts {
  readonly code: ErrorCode
  readonly message: string
  /** What the reader can do about it. */
  readonly next: string
  /** The input at fault. */
  readonly field?: string | undefined
  readonly details?: JsonObject | undefined
  readonly cause?: unknown
}

/** Everything Waybill throws on purpose: a stable code, the field at fault, and the next step. */
export class WaybillError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly next: string
  readonly details: JsonObject

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = new.target.name
    this.code = parts.code
    this.field = parts.field
    this.next = parts.next
    this.details = parts.details ?? {}
  }

  /** HTTP status of this error. */
  get status(): number {
    return ERROR_TABLE[this.code].status
  }

  /** Exit code of a command that ends with it. */
  get exitCode(): number {
    return ERROR_TABLE[this.code].exit
  }

  toJSON(): JsonObject {
    return {
      name: this.name,
      code: this.code,
      message: this.message,
      field: this.field ?? null,
      next: this.next,
      details: this.details,
    }
  }
}
