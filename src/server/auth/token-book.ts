import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { EVERYBODY } from '../../core/queue/record.ts'
import { fromIso, SECOND_MS } from '../../core/time.ts'
import { type TokenRecord, tokenProblem } from '../../core/token/record.ts'
import type { Tokens } from '../../ledger/tokens.ts'
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
  readonly #tokens: Pick<Tokens, 'verify' | 'get'>
  readonly #clock: Clock
  #edition = 0
  readonly #known = new LRUCache<string, KnownToken>({ max: MOST_TOKENS })
  /** Until when a token is taken for good, by its id: for sessions, which do not show it. */
  readonly #trusted = new LRUCache<string, number>({ max: MOST_TOKENS })

  constructor(tokens: Pick<Tokens, 'verify' | 'get'>, clock: Clock) {
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
    this.#known.set(digestOf(text), {
      principal,
      until: this.#trustedUntil(record),
      edition,
    })
    return principal
  }

  /** Whether a token was found to be good a moment ago. */
  isTrusted(token_id: string): boolean {
    return (this.#trusted.get(token_id) ?? 0) > this.#clock.now()
  }

  /** The same, looked up. */
  async isStillGood(token_id: string): Promise<boolean> {
    const edition = this.#edition
    const record = await this.#tokens.get(token_id)
    if (record === null || tokenProblem(record, this.#clock.now()) !== null) return false
    if (edition === this.#edition) this.#trusted.set(token_id, this.#trustedUntil(record))
    return true
  }

  /** A token was revoked: all are looked up again. */
  forget(): void {
    this.#edition++
    this.#trusted.clear()
  }

  #trustedUntil({ expires_at }: Pick<TokenRecord, 'expires_at'>): number {
    const trusted = this.#clock.now() + TRUST_MS
    return expires_at === null ? trusted : Math.min(trusted, fromIso(expires_at))
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64')
}

function principalOf({ name, role, tenants, token_id }: TokenRecord): Principal {
  return {
    name,
    role,
    tenants: tenants.includes(EVERYBODY) ? null : new Set(tenants),
    token_id,
    speaksForOthers: false,
  }
}
