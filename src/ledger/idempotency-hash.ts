import { hash } from 'node:crypto'
import { type Identity, identityText } from './canonical-json.ts'
import { hashByLibrary } from './hash-by-library.ts'

/** SHA-256 of the canonical JSON (RFC 8785) of what makes a request the same request. */
export function idempotencyHash(request: Identity): string {
  const text = identityText(request)
  return text === null ? hashByLibrary(request) : hash('sha256', text, 'hex')
}
