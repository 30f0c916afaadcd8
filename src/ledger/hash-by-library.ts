import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { identityOf, type RequestIdentity } from '../core/idempotency.ts'
import type { Json } from '../core/json.ts'
import { InvalidInput } from '../errors/input-errors.ts'

/** What has no canonical form is for the library to say: text with half a character, which no bytes stand for. */
export function hashByLibrary(request: RequestIdentity): string {
  try {
    return hash('sha256', canonicalize(identityOf(request)) as string, 'hex')
  } catch (cause) {
    const field = FREE_FIELDS.find((name) => hasHalfCharacter(request[name] as Json))
    const message = `${field} has half a character, which cannot be written down`
    throw InvalidInput.by(
      cause,
      field ?? '',
      message,
      'Send text that is whole: pairs of surrogates, not one.',
    )
  }
}

/** All others are checked as ids. */
const FREE_FIELDS = ['input_ref', 'output_ref', 'payload'] as const

/** The library does not say where it is. */
function hasHalfCharacter(value: Json): boolean {
  try {
    canonicalize(value)
    return false
  } catch {
    return true
  }
}
