import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { identityOf, type RequestIdentity } from '../core/idempotency.ts'

/** SHA-256 of the canonical JSON (RFC 8785) of what makes a request the same request. */
export function idempotencyHash(request: RequestIdentity): string {
  return hash('sha256', canonicalize(identityOf(request)) as string, 'hex')
}
