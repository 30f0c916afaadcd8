import { EVERYBODY } from '../../core/queue/record.ts'
import { Forbidden } from '../../errors/http-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { checkId } from '../../ledger/check-input.ts'
import { isFor, type Principal } from '../auth/principal.ts'

interface Asked {
  readonly named: string | undefined
  /** For those who are for all tenants and name none. */
  readonly fallback: string
  /** It can be asked of all tenants at once. */
  readonly acrossTenants: boolean
}

/**
 * Whose records a request is about: the tenant that it names, if the caller is for it, or the one tenant that the caller
 * is for. One that the caller is not for is refused in the same words, whether there is such a tenant or not.
 */
export function tenantFor(principal: Principal, { named, fallback, acrossTenants }: Asked): string {
  const { tenants } = principal
  if (named !== undefined) return namedTenant(principal, named, acrossTenants)
  if (tenants === null) return fallback
  const [only] = tenants
  if (only !== undefined && tenants.size === 1) return only
  throw new InvalidInput(
    'tenant_id',
    'The token is for several tenants, and the request names none',
    `Add tenant_id to the query: any of ${[...tenants].join(', ')}.`,
  )
}

export function namedTenant(principal: Principal, named: string, acrossTenants = false): string {
  const tenant_id = checkId('tenant_id', named)
  if (!isFor(principal, tenant_id)) {
    throw new Forbidden(
      `The token is not for the tenant ${JSON.stringify(tenant_id)}`,
      'Use a token that is for it, or leave tenant_id out.',
      'tenant_id',
    )
  }
  // Whoever may ask for all would otherwise make records that belong to somebody of that name.
  if (tenant_id !== EVERYBODY || acrossTenants) return tenant_id
  throw new InvalidInput(
    'tenant_id',
    'This is about the records of one tenant, not of all',
    'Name the tenant whose record it is.',
  )
}
