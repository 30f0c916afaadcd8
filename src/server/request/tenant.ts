import { EVERYBODY } from '../../core/queue/record.ts'
import { Forbidden } from '../../errors/http-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { checkId } from '../../ledger/check-input.ts'
import { isFor, type Principal } from '../auth/principal.ts'

/**
 * Whose records a request is about: the tenant that it names, if the caller is for it, or the one tenant that the caller
 * is for. One that the caller is not for is refused in the same words, whether there is such a tenant or not.
 */
export function tenantFor(
  principal: Principal,
  named: string | undefined,
  { fallback, takesAll = false }: { readonly fallback: string; readonly takesAll?: boolean },
): string {
  const { tenants } = principal
  if (named !== undefined) {
    if (named === EVERYBODY && tenants === null) {
      if (takesAll) return EVERYBODY
      throw new InvalidInput('tenant_id', 'This is about one tenant at a time', 'Name the tenant.')
    }
    const tenant_id = checkId('tenant_id', named)
    if (isFor(principal, tenant_id) && tenant_id !== EVERYBODY) return tenant_id
    throw new Forbidden(
      `The token is not for the tenant ${JSON.stringify(tenant_id)}`,
      'Use a token that is for it, or leave tenant_id out.',
      'tenant_id',
    )
  }
  if (tenants === null) return fallback
  const [only] = tenants
  if (only !== undefined && tenants.size === 1) return only
  throw new InvalidInput(
    'tenant_id',
    'The token is for several tenants, and the request names none',
    `Add tenant_id to the query: any of ${[...tenants].join(', ')}.`,
  )
}
