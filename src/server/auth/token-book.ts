import { hash } from 'node:crypto'
import { EVERYBODY } from '../../core/queue/record.ts'
import { fromIso, SECOND_MS } from '../../core/time.ts'
import type { TokenRecord } from '../../core/token/record.ts'
import type { Tokens } from '../../ledger/tokens.ts'
import { RecentlyUsed } from '../../store/recently-used.ts'
import type { Clock } from '../../world/clock.ts'
import type { Principal } from './principal.ts'

/** How long a token that was good is taken for good, when nobody said otherwise: on a database others may revoke it. */
const TRUST_MS = 5 * SECOND_MS

/** Tokens that are remembered. */
const MOST_TOKENS = 10_000

/** A token that was good when it was looked up. */
export interface KnownToken {
  readonly principal: Principal
  /** Until when it may be taken for good. */
  readonly until: number
  /** Of what was known then; all of it is forgotten at once. */
  readonly edition: number
}

/** Who has which token. What was looked up is remembered for a moment, by a hash: the text itself is kept nowhere. */
export class TokenBook {
  readonly #tokens: Pick<Tokens, 'verify'>
  readonly #clock: Clock
  #edition = 0
  readonly #known = new RecentlyUsed<string, KnownToken>(MOST_TOKENS)

  constructor(tokens: Pick<Tokens, 'verify'>, clock: Clock) {
    this.#tokens = tokens
    this.#clock = clock
  }

  /** Whoever was let in by this token a moment ago. */
  known(text: string): KnownToken | null {
    const known = this.#known.get(digestOf(text))
    return known !== undefined && this.isFresh(known) ? known : null
  }

  isFresh({ until, edition }: KnownToken): boolean {
    return edition === this.#edition && until > this.#clock.now()
  }

  /** It let somebody in before: whoever shows it is not guessing. */
  wasGood(text: string): boolean {
    return this.#known.has(digestOf(text))
  }

  async lookUp(text: string): Promise<Principal | null> {
    // What was read before all were forgotten must not be taken for known after.
    const edition = this.#edition
    const record = await this.#tokens.verify(text)
    if (record === null) {
      this.#known.delete(digestOf(text))
      return null
    }
    const principal = principalOf(record)
    const until = Math.min(this.#clock.now() + TRUST_MS, principal.expires ?? Number.POSITIVE_INFINITY)
    this.#known.set(digestOf(text), { principal, until, edition })
    return principal
  }

  /** A token was revoked: all are looked up again. */
  forget(): void {
    this.#edition++
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64')
}

function principalOf({ name, role, tenants, token_id, expires_at }: TokenRecord): Principal {
  return {
    name,
    role,
    tenants: tenants.includes(EVERYBODY) ? null : new Set(tenants),
    token_id,
    expires: expires_at === null ? null : fromIso(expires_at),
    speaksForOthers: false,
  }
}
