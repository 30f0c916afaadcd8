import { timingSafeEqual } from 'node:crypto'
import { Unauthenticated } from '../../errors/http-errors.ts'
import type { Clock } from '../../world/clock.ts'
import { FailedLogins } from './failed-logins.ts'
import type { Principal } from './principal.ts'
import { cookieIn, Sessions } from './sessions.ts'
import type { KnownToken, TokenBook } from './token-book.ts'

/** What of a request says who makes it. */
export interface Shown {
  /** What it came over: whoever has shown a token on it is known by the same text for a while. */
  readonly connection: object
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  readonly address: string
}

/** When nobody has to show anything: everybody who can reach the server may do everything. */
const ANYBODY: Principal = {
  name: 'anybody',
  role: 'admin',
  tenants: null,
  token_id: null,
  expires: null,
  speaksForOthers: true,
}

const LOCAL: Principal = { ...ANYBODY, name: 'local' }

const BEARER = /^Bearer +([\w.~+/=-]{1,512})$/i

export interface AuthenticatorParts {
  readonly tokens: TokenBook
  readonly clock: Clock
  readonly makeSecret: () => string
  /** False lets everybody in. */
  readonly isNeeded: boolean
  /** Somebody came in by this token. */
  readonly onAdmitted: (token_id: string) => void
}

/** Finds out who asks: by a token, by the session of a browser, or by the secret that only this machine's user can read. */
export class Authenticator {
  readonly sessions: Sessions
  /** For the command line on this machine: it is in a file that only its user can read, and ends with the server. */
  readonly localSecret: string
  readonly #tokens: TokenBook
  readonly #failed: FailedLogins
  readonly #isNeeded: boolean
  readonly #onAdmitted: (token_id: string) => void
  /** What was last shown on a connection. */
  readonly #last = new WeakMap<object, { readonly authorization: string; readonly known: KnownToken }>()

  constructor({ tokens, clock, makeSecret, isNeeded, onAdmitted }: AuthenticatorParts) {
    this.#onAdmitted = onAdmitted
    this.#tokens = tokens
    this.#isNeeded = isNeeded
    this.#failed = new FailedLogins(clock)
    this.sessions = new Sessions(clock, makeSecret)
    this.localSecret = makeSecret()
  }

  /** Not a promise where it is known at once, which is nearly always. */
  authenticate({ authorization, cookie, address, connection }: Shown): Principal | Promise<Principal> {
    if (authorization !== undefined) return this.#byToken(authorization, address, connection)
    const session = cookieIn(cookie)
    const open = session === null ? null : this.sessions.get(session)
    if (open !== null) return open.principal
    if (!this.#isNeeded) return ANYBODY
    throw new Unauthenticated()
  }

  /** A code of a link, which is used up by it. */
  openSession(code: string, address: string) {
    this.#failed.check(address)
    const opened = this.sessions.open(code)
    if (opened !== null) return opened
    this.#failed.record(address)
    throw new Unauthenticated()
  }

  /** A token lets nobody in any more, nor does what was opened with it. */
  revoked(token_id: string): void {
    this.#tokens.forget()
    this.sessions.closeOf(token_id)
  }

  /** Who a link is for that the server prints by itself. */
  get owner(): Principal {
    return { ...LOCAL, speaksForOthers: false }
  }

  #byToken(authorization: string, address: string, connection: object): Principal | Promise<Principal> {
    const last = this.#last.get(connection)
    // Nobody can learn anything from how long this takes: what is compared came over the same connection.
    if (last !== undefined && last.authorization === authorization && this.#tokens.isFresh(last.known))
      return last.known.principal
    const text = BEARER.exec(authorization)?.[1]
    if (text === undefined) return this.#refuse(address)
    const known = this.#tokens.known(text)
    if (known !== null) {
      this.#last.set(connection, { authorization, known })
      return known.principal
    }
    if (isSame(text, this.localSecret)) return LOCAL
    return this.#byUnknownToken(text, address)
  }

  async #byUnknownToken(text: string, address: string): Promise<Principal> {
    // Others at this address may have guessed; behind a proxy, everybody comes from one.
    if (!this.#tokens.wasGood(text)) this.#failed.check(address)
    const principal = await this.#tokens.lookUp(text)
    if (principal === null) return this.#refuse(address)
    if (principal.token_id !== null) this.#onAdmitted(principal.token_id)
    return principal
  }

  #refuse(address: string): never {
    this.#failed.check(address)
    this.#failed.record(address)
    throw new Unauthenticated()
  }
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
