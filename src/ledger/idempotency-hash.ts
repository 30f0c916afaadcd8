import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { identityOf, type RequestIdentity } from '../core/idempotency.ts'
import type { JsonObject } from '../core/json.ts'
import { canonicalJson } from './canonical-json.ts'

/** SHA-256 of the canonical JSON (RFC 8785) of what makes a request the same request. */
export function idempotencyHash(request: RequestIdentity): string {
  return hash('sha256', canonicalOf(request), 'hex')
}

function canonicalOf(request: RequestIdentity): string {
  const { input_ref, output_ref, payload, request_type, schema_version, tenant_id } = request
  const identity: JsonObject = { input_ref, output_ref, payload, request_type, schema_version, tenant_id }
  return canonicalJson(identity) ?? (canonicalize(identityOf(request)) as string)
}
