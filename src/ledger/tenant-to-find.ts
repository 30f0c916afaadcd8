import { EVERYBODY } from '../core/queue/record.ts'
import type { LedgerSettings } from './settings.ts'

/** Whose records a list is to have: `*` for those of all tenants, which engines know as no tenant. */
export function tenantToFind(
  tenant_id: string | undefined,
  settings: Pick<LedgerSettings, 'tenant_id'>,
): string | undefined {
  return oneOrAll(tenant_id ?? settings.tenant_id)
}

export function oneOrAll(tenant_id: string): string | undefined {
  return tenant_id === EVERYBODY ? undefined : tenant_id
}
