// How a browser gets in. A link has a code, good once and for some minutes; the page trades it for a session, which the
// browser keeps in a cookie that no script can read and that other sites cannot have it send. Codes and sessions are kept
// as hashes, in memory: a server that is started again prints another link.
import { createHash } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '../../core/time.ts'
import { RecentlyUsed } from '../../store/recently-used.ts'
import type { Clock } from '../../world/clock.ts'
import type { Principal } from './principal.ts'

const LINK_MS = 15 * MINUTE_MS
const SESSION_MS = 12 * HOUR_MS

const MOST_LINKS = 1000
const MOST_SESSIONS = 10_000

const SESSION_COOKIE = 'waybill_session'

/** Makes texts that nobody can guess. */
export type MakeSecret = () => string

export interface Session {
  readonly principal: Principal
  readonly until: number
}

export class Sessions {
  readonly #clock: Clock
  readonly #makeSecret: MakeSecret
  readonly #links = new RecentlyUsed<string, Session>(MOST_LINKS)
  readonly #sessions = new RecentlyUsed<string, Session>(MOST_SESSIONS)

  constructor(clock: Clock, makeSecret: MakeSecret) {
    this.#clock = clock
    this.#makeSecret = makeSecret
  }

  /** A code for one session of whoever opens the link first. */
  link(principal: Principal): { readonly code: string; readonly until: number } {
    const code = this.#makeSecret()
    const until = this.#within(LINK_MS, principal)
    this.#links.set(digestOf(code), { principal, until })
    return { code, until }
  }

  /** The code is used up, whatever comes of it. Null when it is not good. */
  open(code: string): { readonly cookie: string; readonly session: Session } | null {
    const link = this.#links.get(digestOf(code))
    this.#links.delete(digestOf(code))
    const now = this.#clock.now()
    if (link === undefined || link.until <= now) return null
    const cookie = this.#makeSecret()
    const session = { principal: link.principal, until: this.#within(SESSION_MS, link.principal) }
    this.#sessions.set(digestOf(cookie), session)
    return { cookie, session }
  }

  get(cookie: string): Session | null {
    const session = this.#sessions.get(digestOf(cookie))
    return session !== undefined && session.until > this.#clock.now() ? session : null
  }

  close(cookie: string): void {
    this.#sessions.delete(digestOf(cookie))
  }

  /** Neither is good for longer than what it was made with. */
  #within(ms: number, { expires }: Principal): number {
    return Math.min(this.#clock.now() + ms, expires ?? Number.POSITIVE_INFINITY)
  }

  /** Those of a token that is no longer good. */
  closeOf(token_id: string): void {
    for (const kept of [this.#links, this.#sessions]) {
      for (const [digest, { principal }] of kept.entries()) {
        if (principal.token_id === token_id) kept.delete(digest)
      }
    }
  }
}

/** Looked up by what cannot be guessed: how long that takes tells nothing of the text. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** What the browser is to keep; it goes back with requests of our own page only. */
export function sessionCookie(value: string, until: number, now: number, isSecure: boolean): string {
  const seconds = Math.max(0, Math.floor((until - now) / 1000))
  const secure = isSecure ? '; Secure' : ''
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

/** The value of our cookie, if there is just one: a second one of the same name was put there by somebody else. */
export function cookieIn(header: string | undefined): string | null {
  if (header === undefined) return null
  const values = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${SESSION_COOKIE}=`))
    .map((part) => part.slice(SESSION_COOKIE.length + 1))
  const [value] = values
  return value !== undefined && values.length === 1 && value !== '' ? value : null
}
