import { fromIso } from '../../../core/time.ts'
import { ALL_TENANTS, tokenProblem } from '../../../core/token/record.ts'
import type { TokenInfo } from '../../../ledger/tokens.ts'
import type { Style } from '../../output/text-stream.ts'
import { timeText } from '../../output/words.ts'

/** Whether it lets anybody in, in a word: one that has expired says so, though its state is as it was. */
export function standingOf(token: TokenInfo, now: number): 'active' | 'expired' | 'revoked' {
  return tokenProblem(token, now) ?? 'active'
}

export function standingStyle(token: TokenInfo, now: number): Style | undefined {
  return ({ active: 'green', expired: 'yellow', revoked: 'dim' } as const)[standingOf(token, now)]
}

export function tenantsText({ tenants }: TokenInfo): string {
  return tenants[0] === ALL_TENANTS ? 'all tenants' : tenants.join(', ')
}

export function expiryText({ expires_at }: TokenInfo): string {
  return expires_at === null ? 'until it is revoked' : `until ${timeText(fromIso(expires_at))}`
}
