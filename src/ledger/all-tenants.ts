import { EVERYBODY } from '../core/queue/record.ts'

/** Lists take `*` for those of all tenants: what a store is asked for then is no tenant in particular. */
export function oneOrAll(tenant_id: string): string | undefined {
  return tenant_id === EVERYBODY ? undefined : tenant_id
}
