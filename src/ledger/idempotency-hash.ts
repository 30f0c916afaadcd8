import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { identityOf, type RequestIdentity } from '../core/idempotency.ts'
import { withCanonicalBytes } from './canonical-json.ts'

/** SHA-256 of the canonical JSON (RFC 8785) of what makes a request the same request. */
export function idempotencyHash(request: RequestIdentity): string {
  const { input_ref, output_ref, payload, request_type, schema_version, tenant_id } = request
  const identity = { input_ref, output_ref, payload, request_type, schema_version, tenant_id }
  // What has no canonical form is for the library to say.
  return withCanonicalBytes(identity, sha256) ?? sha256(canonicalize(identityOf(request)) as string)
}

function sha256(data: string | Buffer): string {
  return hash('sha256', data, 'hex')
}
