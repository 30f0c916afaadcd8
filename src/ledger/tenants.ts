// Nobody keeps a list of tenants: they are found by looking, as far as a look goes.
import type { AuditRecord } from '../core/audit.ts'
import { openStatesOf } from '../core/machine.ts'
import { jobMachine } from '../core/machines/job.ts'
import { EVERYBODY } from '../core/queue/record.ts'
import { findPages } from '../store/find-all.ts'
import { LARGEST_PAGE } from '../store/query.ts'
import type { Store } from '../store/store.ts'

export interface TenantList {
  readonly items: readonly Tenant[]
  readonly is_more: boolean
}

export interface Tenant {
  readonly tenant_id: string
  /** How many of its jobs have not ended. */
  readonly open: number
}

/** Open jobs and records of the history that are looked at for the names of tenants. */
const MOST_SEEN = 20_000

/** Tenants that are told. */
const MOST_TENANTS = 1000
const AT_ONCE = 50

const OPEN = openStatesOf(jobMachine)

/** Tenants that have open jobs or that something happened to lately, and those that are named here. */
export async function knownTenants(store: Store, named: readonly string[]): Promise<TenantList> {
  const tenants = new Set(named)
  const areAllOpen = await see(tenants, findPages(store, { kind: 'job', where: { state: OPEN } }))
  await see(tenants, newestFirst(store))
  tenants.delete(EVERYBODY)
  const told = await tenantsNamed(store, [...tenants])
  return { ...told, is_more: told.is_more || !areAllOpen }
}

/** Just these. */
export async function tenantsNamed(store: Store, named: readonly string[]): Promise<TenantList> {
  const told = named.toSorted().slice(0, MOST_TENANTS)
  const items: Tenant[] = []
  for (let i = 0; i < told.length; i += AT_ONCE) {
    items.push(...(await Promise.all(told.slice(i, i + AT_ONCE).map((one) => tenant(store, one)))))
  }
  return { items, is_more: named.length > told.length }
}

async function tenant(store: Store, tenant_id: string): Promise<Tenant> {
  const counts = await store.counts('job', tenant_id)
  return { tenant_id, open: OPEN.reduce((sum, state) => sum + (counts[state] ?? 0), 0) }
}

/** Answers whether it saw all of them. */
async function see(
  tenants: Set<string>,
  pages: AsyncIterable<readonly { readonly tenant_id: string }[]>,
): Promise<boolean> {
  let left = MOST_SEEN
  for await (const page of pages) {
    if (left <= 0) return false
    for (const { tenant_id } of page) tenants.add(tenant_id)
    left -= page.length
  }
  return true
}

async function* newestFirst(store: Store): AsyncGenerator<readonly AuditRecord[]> {
  let after: string | undefined
  do {
    const page = await store.audit({ direction: 'desc', limit: LARGEST_PAGE, after })
    yield page.items
    after = page.next ?? undefined
  } while (after !== undefined)
}
