import type { Held } from '../core/pick.ts'

/** How much of each tenant's work is under way here, so that tenants take turns. */
export class TenantLoad {
  readonly #byTenant = new Map<string, number>()

  get byTenant(): ReadonlyMap<string, number> {
    return this.#byTenant
  }

  add(tenant_id: string): void {
    this.#byTenant.set(tenant_id, (this.#byTenant.get(tenant_id) ?? 0) + 1)
  }

  remove(tenant_id: string): void {
    const left = (this.#byTenant.get(tenant_id) ?? 1) - 1
    if (left === 0) this.#byTenant.delete(tenant_id)
    else this.#byTenant.set(tenant_id, left)
  }
}

/** Handed out to tenants of late: enough to see who has had a turn, few enough to forget it. */
const RECENT = 100

/** Who was handed work of late, where nobody knows what is still under way: tenants take turns all the same. */
export class RecentTenants {
  readonly #load = new TenantLoad()
  readonly #last: string[] = []

  get byTenant(): ReadonlyMap<string, number> {
    return this.#load.byTenant
  }

  add(tenant_id: string): void {
    this.#load.add(tenant_id)
    this.#last.push(tenant_id)
    if (this.#last.length > RECENT) this.#load.remove(this.#last.shift() as string)
  }
}

/** The earliest time at which something that is held back is free by itself. */
export function nextFree(held: readonly Held[], sofar: number | null): number | null {
  let next = sofar
  for (const { limit } of held) {
    const until = limit?.until ?? null
    if (until !== null && (next === null || until < next)) next = until
  }
  return next
}
