import { timingSafeEqual } from 'node:crypto'
import { MINUTE_MS, SECOND_MS } from '../core/time.ts'
import { BadSignature, StaleTimestamp } from '../errors/message-errors.ts'
import { keysOf, type Secrets } from './secrets.ts'
import { SIGNATURE_HEADERS, signatureOf } from './sign.ts'

export interface SignedMessage {
  readonly headers: { get(name: string): string | null }
  /** The exact bytes that came. */
  readonly body: Uint8Array
  readonly secrets: Secrets
  /** Epoch milliseconds. */
  readonly now: number
  /** How far the timestamp may be from now, to either side; 5 minutes when absent. */
  readonly windowMs?: number | undefined
}

const WINDOW_MS = 5 * MINUTE_MS

/** No full stop: with one in the id, one signature would fit two messages. */
const ID = /^[^.\s]{1,256}$/
const TIMESTAMP = /^\d{1,12}$/
/** Each is compared with every secret. */
const MOST_SIGNATURES = 20

/**
 * Throws `BadSignature` unless one of the secrets signed exactly this body, and `StaleTimestamp` unless it did so just
 * now. Answers the id of the message. The signature comes first: only who has the secret learns about the clock.
 */
export function verifySignature({
  headers,
  body,
  secrets,
  now,
  windowMs = WINDOW_MS,
}: SignedMessage): string {
  const id = headerOf(headers, SIGNATURE_HEADERS.id, ID)
  const timestamp = headerOf(headers, SIGNATURE_HEADERS.timestamp, TIMESTAMP)
  const given = headerOf(headers, SIGNATURE_HEADERS.signature, /./)
    .split(' ')
    .slice(0, MOST_SIGNATURES)
    .map((text) => Buffer.from(text))
  const wanted = keysOf(secrets).map((key) => Buffer.from(signatureOf({ id, body }, timestamp, key)))
  if (!wanted.some((one) => given.some((other) => isSame(one, other)))) {
    const message = 'No signature of the message is by a secret that is known here'
    throw new BadSignature('no_match', message, SIGNATURE_HEADERS.signature)
  }
  checkAge(Math.floor(now / SECOND_MS) - Number(timestamp), Math.floor(windowMs / SECOND_MS))
  return id
}

function headerOf(headers: SignedMessage['headers'], name: string, form: RegExp): string {
  const value = headers.get(name)
  if (value === null) throw new BadSignature('missing_header', `The header ${name} is missing`, name)
  if (form.test(value)) return value
  throw new BadSignature('malformed_header', `The header ${name} is not what it should be`, name)
}

function checkAge(seconds: number, windowSeconds: number): void {
  if (Math.abs(seconds) <= windowSeconds) return
  throw new StaleTimestamp(seconds > 0 ? 'too_old' : 'too_new', Math.abs(seconds), windowSeconds)
}

/** Takes as long for a near miss as for a far one. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
