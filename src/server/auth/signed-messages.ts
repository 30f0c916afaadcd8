import type { IncomingMessage } from 'node:http'
import { BadSignature } from '../../errors/message-errors.ts'
import { type Keys, keysOf, type Secrets } from '../../wire/secrets.ts'
import { SIGNATURE_HEADERS } from '../../wire/sign.ts'
import { verifySignature } from '../../wire/verify-signature.ts'
import type { Clock } from '../../world/clock.ts'
import type { Principal } from './principal.ts'

/** Services report on the jobs of any tenant: whose they are is fenced by the lease. */
const SERVICE: Principal = {
  name: 'service',
  role: 'worker',
  tenants: null,
  token_id: null,
  expires: null,
  speaksForOthers: false,
}

/**
 * Messages that are signed instead of bearing a token. A signature is over the body, so whoever says that it is signed is
 * listened to first, and found out when the body has come.
 */
export class SignedMessages {
  readonly #keys: Keys | null
  readonly #clock: Clock
  readonly #unverified = new WeakSet<IncomingMessage>()

  constructor(secrets: Secrets | undefined, clock: Clock) {
    this.#keys = secrets === undefined ? null : keysOf(secrets, 'callbackSecrets')
    this.#clock = clock
  }

  /** Who sends it, if it turns out to be signed; null when it does not say so, or nobody is known here who signs. */
  admit(message: IncomingMessage): Principal | null {
    if (this.#keys === null || message.headers[SIGNATURE_HEADERS.signature] === undefined) return null
    this.#unverified.add(message)
    return SERVICE
  }

  /** Before the body is looked into. */
  verify(message: IncomingMessage, body: Uint8Array): void {
    if (this.#keys === null || !this.#unverified.has(message)) return
    const get = (name: string) => {
      const value = message.headers[name]
      return typeof value === 'string' ? value : null
    }
    verifySignature({ headers: { get }, body, secrets: this.#keys, now: this.#clock.now() })
    this.#unverified.delete(message)
  }

  /** One without a body was never verified. */
  checkVerified(message: IncomingMessage): void {
    if (!this.#unverified.has(message)) return
    throw new BadSignature('no_match', 'A signed message has a body', SIGNATURE_HEADERS.signature)
  }
}
