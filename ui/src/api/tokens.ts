import { queryOptions } from '@tanstack/react-query'
import type { Role } from '../../../src/core/token/record.ts'
import type { NewToken } from '../../../src/ledger/new-token.ts'
import type { MintedToken, TokenInfo } from '../../../src/ledger/tokens.ts'
import { change } from './change.ts'
import { ask, path } from './client.ts'

export type { MintedToken, NewToken, Role, TokenInfo }

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => ask<{ readonly items: readonly TokenInfo[] }>('/v1/admin/tokens', { signal }),
  meta: { topics: ['token'] },
})

export function makeToken(body: NewToken) {
  return change<MintedToken>('/v1/admin/tokens', { body })
}

export function revokeToken({ token_id, etag }: TokenInfo, reason: string) {
  return change<TokenInfo>(path('/v1/admin/tokens/{}:revoke', token_id), { reason, etag })
}

export interface OneTimeLink {
  readonly url: string
  readonly expires_at: string
}

interface LinkFor {
  readonly role: Role
  readonly tenants?: readonly string[]
}

/** A link that opens the page once, for somebody who may do as much or less. */
export function makeLink(body: LinkFor) {
  return change<OneTimeLink>('/v1/links', { body })
}
