import type { Role } from '../../core/token/record.ts'
import { Forbidden } from '../../errors/http-errors.ts'

/** Who asks. */
export interface Principal {
  /** Who it is in the history. */
  readonly name: string
  readonly role: Role
  /** Null for all of them. */
  readonly tenants: ReadonlySet<string> | null
  /** The token that it came in with, or that its session was made from; null when nobody has to show one. */
  readonly token_id: string | null
  /** When that is no longer good, whatever else happens, in epoch milliseconds; null for never. */
  readonly expires: number | null
  /** May say in whose name it acts: the command line of whoever runs the server. */
  readonly speaksForOthers: boolean
}

/** What a route asks of whoever calls it. Each role may what those before it may. */
export type Permission = (typeof PERMISSIONS)[number]

export const PERMISSIONS = ['read', 'work', 'write', 'admin'] as const

const MAY: { readonly [role in Role]: ReadonlySet<Permission> } = {
  viewer: new Set(['read']),
  worker: new Set(['read', 'work']),
  operator: new Set(['read', 'work', 'write']),
  admin: new Set(['read', 'work', 'write', 'admin']),
}

/** Everything that it may, the least first. */
export function permissionsOf({ role }: Pick<Principal, 'role'>): readonly Permission[] {
  return [...MAY[role]]
}

export function may({ role }: Pick<Principal, 'role'>, permission: Permission): boolean {
  return MAY[role].has(permission)
}

export function checkPermission(principal: Principal, permission: Permission): void {
  if (may(principal, permission)) return
  const roles = (Object.keys(MAY) as Role[]).filter((role) => MAY[role].has(permission))
  throw new Forbidden(
    `The role ${principal.role} may not do this`,
    `Use a token with the role ${roles.join(' or ')}.`,
    'authorization',
  )
}

/** For what concerns all tenants alike: queues, metrics, tokens. */
export function checkEverybody(principal: Principal): void {
  if (principal.tenants === null) return
  throw new Forbidden(
    'This concerns all tenants, and the token is for some of them',
    'Use a token that is for all tenants.',
    'authorization',
  )
}

export function isFor({ tenants }: Principal, tenant_id: string): boolean {
  return tenants === null || tenants.has(tenant_id)
}
