import type { TokenState } from '../core/machines/token.ts'
import { EVERYBODY } from '../core/queue/record.ts'
import { type TokenRecord, tokenProblem } from '../core/token/record.ts'
import { findAll } from '../store/find-all.ts'
import type { World } from '../world/world.ts'
import { checkId } from './check-input.ts'
import { checkNewToken } from './check-new-token.ts'
import type { Committer } from './committer.ts'
import type { NewToken } from './new-token.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'
import { isSecretOf, newToken, parseToken, secretHash, tokenIdIn, tokenText } from './token-text.ts'
import { actorOf, reasonOf } from './who-asks.ts'

/** A token as everybody may see it. */
export type TokenInfo = Omit<TokenRecord, 'hash'>

export interface MintedToken {
  /** What its bearer shows. This is the only time that it is seen: it is kept nowhere. */
  readonly token: string
  readonly record: TokenInfo
}

/** The hash of nothing that anybody could show: as many bytes as any, for a comparison that must fail. */
const NOBODYS_HASH = '0'.repeat(64)

/** `ledger.tokens`: who may come in by way of a server, as what, and to whose records. */
export class Tokens {
  readonly #committer: Committer
  readonly #settings: LedgerSettings
  readonly #world: Pick<World, 'clock' | 'secrets'>

  readonly #revoked = new Set<(token_id: string) => void>()

  constructor(committer: Committer, settings: LedgerSettings, world: Pick<World, 'clock' | 'secrets'>) {
    this.#committer = committer
    this.#settings = settings
    this.#world = world
  }

  /** Makes a token. The ledger keeps only what its secret hashes to, and the history who made it for whom. */
  async mint(token: NewToken, options: CallOptions = {}): Promise<MintedToken> {
    const checked = checkNewToken(token, this.#world.clock.now())
    const parts = newToken(this.#world.secrets)
    const record = await this.#committer.run({
      type: 'mintToken',
      ...this.#to(parts.token_id, options),
      ...checked,
      hash: secretHash(parts.secret),
    })
    return { token: tokenText(parts), record: infoOf(record) }
  }

  /** Calls back after a token was revoked through this ledger. Answers how to stop it. */
  onRevoked(listener: (token_id: string) => void): () => void {
    this.#revoked.add(listener)
    return () => {
      this.#revoked.delete(listener)
    }
  }

  /** It lets nobody in any more, from now on and for good. */
  async revoke(token_id: string, options: CallOptions = {}): Promise<TokenInfo> {
    const to = this.#to(tokenIdIn(checkId('token_id', token_id)), options)
    const record = await this.#committer.run({ type: 'revokeToken', ...to })
    for (const listener of this.#revoked) listener(record.token_id)
    return infoOf(record)
  }

  async get(token_id: string): Promise<TokenInfo | null> {
    const record = await this.#record(tokenIdIn(token_id))
    return record === null ? null : infoOf(record)
  }

  /** By id, those that were revoked or have expired too. */
  async *list({ state }: { readonly state?: TokenState | undefined } = {}): AsyncGenerator<TokenInfo> {
    for await (const record of findAll(this.#committer.store, { kind: 'token', where: { state } })) {
      yield infoOf(record)
    }
  }

  /**
   * Whose token this is; null for one that is unknown, wrong, revoked or expired, and for anything else. It asks the store
   * every time, so that what is revoked elsewhere is refused here at once.
   */
  async verify(text: string): Promise<TokenRecord | null> {
    const parts = parseToken(text)
    if (parts === null) return null
    const record = await this.#record(parts.token_id)
    // Also where there is no record: how long the answer takes is not to say whether there is one.
    const isRight = isSecretOf(parts.secret, record?.hash ?? NOBODYS_HASH)
    if (record === null || !isRight) return null
    return tokenProblem(record, this.#world.clock.now()) === null ? record : null
  }

  #record(token_id: string): Promise<TokenRecord | null> {
    return this.#committer.store.get({ kind: 'token', tenant_id: EVERYBODY, id: token_id })
  }

  #to(token_id: string, options: CallOptions) {
    return {
      tenant_id: EVERYBODY,
      token_id,
      actor: actorOf(options, this.#settings),
      reason: reasonOf(options, this.#settings),
      if_match: options.if_match,
    } as const
  }
}

function infoOf({ hash: _, ...info }: TokenRecord): TokenInfo {
  return info
}
