import { queryOptions } from '@tanstack/react-query'
import type { Role } from '../../../src/core/token/record.ts'
import { ask } from './client.ts'

export type Permission = 'read' | 'work' | 'write' | 'admin'

/** Who one is here. */
export interface Session {
  readonly name: string
  readonly role: Role
  /** `['*']` for all of them. */
  readonly tenants: readonly string[]
  readonly may: readonly Permission[]
  readonly default_tenant: string
  /** Roles that a link of theirs may have. */
  readonly may_give: readonly Role[]
  readonly has_admin: boolean
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => ask<Session>('/v1/session', { signal }),
  staleTime: 60_000,
})

export function openSession(code: string): Promise<Session> {
  return ask<Session>('/v1/session', { method: 'POST', body: { code } })
}

export function closeSession(): Promise<unknown> {
  return ask('/v1/session', { method: 'DELETE' })
}

export const ALL_TENANTS = '*'

export function isForAll({ tenants }: Session): boolean {
  return tenants.includes(ALL_TENANTS)
}
