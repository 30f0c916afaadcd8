// Signatures as the Standard Webhooks specification has them: an HMAC-SHA256 over `id.timestamp.body`, in base64 behind
// `v1,`. The timestamp is in seconds and is signed too, so that a message that somebody kept can be told by its age.
import { createHmac } from 'node:crypto'
import { SECOND_MS } from '../core/time.ts'
import type { Keys } from './secrets.ts'

export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

export interface Unsigned {
  /** Names the message; the same each time it is sent. No full stop: it separates the parts of what is signed. */
  readonly id: string
  readonly body: string | Uint8Array
}

/** The headers to send with a body. With several keys there is a signature by each: one of them will be known. */
export function signatureHeaders(message: Unsigned, keys: Keys, now: number): { [header: string]: string } {
  const timestamp = String(Math.floor(now / SECOND_MS))
  return {
    [SIGNATURE_HEADERS.id]: message.id,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.signature]: keys.map((key) => signatureOf(message, timestamp, key)).join(' '),
  }
}

export function signatureOf({ id, body }: Unsigned, timestamp: string, key: Uint8Array): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}
