import { dropNullFields, type Json, type JsonObject, sameJson } from './json.ts'

/** The part of a request that makes it the same request. */
export interface RequestIdentity {
  readonly tenant_id: string
  readonly request_type: string
  readonly input_ref: Json
  readonly output_ref: Json
  readonly payload: Json
  readonly schema_version: string
}

const FIELDS = ['input_ref', 'output_ref', 'payload', 'request_type', 'schema_version', 'tenant_id'] as const

/** What is hashed: exactly the six fields, without null fields at any depth. */
export function identityOf(request: RequestIdentity): JsonObject {
  const identity: { [field: string]: Json } = {}
  for (const field of FIELDS) identity[field] = request[field]
  return dropNullFields(identity) as JsonObject
}

/** The fields in which two requests with the same key are not the same. */
export function differingFields(a: RequestIdentity, b: RequestIdentity): readonly string[] {
  return FIELDS.filter((field) => !sameJson(dropNullFields(a[field]), dropNullFields(b[field])))
}

/** The same for whatever else a caller may have to repeat, because the answer was lost. */
export function requestClaim(what: 'update' | 'run' | 'workstream', request_key: string): string {
  return `${what} ${request_key}`
}

/** Unique per tenant: by the caller's key, or by what the request says. */
export function idempotencyClaim(key: string | null, hash: string): string {
  return key === null ? `request:${hash}` : `key:${key}`
}

/** What that ends with, where it is a text that is at hand and tells it from others. */
export function idempotencyTail(key: string | null, hash: string): string | undefined {
  return key === null ? hash : undefined
}
