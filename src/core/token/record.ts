import type { TokenState } from '../machines/token.ts'
import type { EVERYBODY } from '../queue/record.ts'
import { fromIso } from '../time.ts'

/** What a token is good for; each may do all that those before it may. */
export const ROLES = ['viewer', 'worker', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** In the list of tenants: all of them. It stands alone. */
export const ALL_TENANTS = '*'

/** Who may come in. The secret itself is nowhere. */
export interface TokenRecord {
  readonly kind: 'token'
  /** Tokens belong to the ledger, not to the tenants they are good for. */
  readonly tenant_id: typeof EVERYBODY
  readonly token_id: string
  readonly state: TokenState
  readonly state_since: string
  /** Who it is for: the actor in the history. */
  readonly name: string
  readonly role: Role
  /** `['*']` for all of them. */
  readonly tenants: readonly string[]
  /** SHA-256 of the secret, in hex. */
  readonly hash: string
  readonly expires_at: string | null
  readonly created_at: string
  readonly updated_at: string
  etag: string
}

/** Why it lets nobody in at a time, in epoch milliseconds; null when it does. */
export function tokenProblem(
  { state, expires_at }: Pick<TokenRecord, 'state' | 'expires_at'>,
  now: number,
): 'revoked' | 'expired' | null {
  if (state === 'revoked') return 'revoked'
  return expires_at !== null && fromIso(expires_at) <= now ? 'expired' : null
}
