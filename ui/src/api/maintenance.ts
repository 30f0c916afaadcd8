import type { Finding, MaintenanceReport } from '../../../src/store/store.ts'
import { change } from './change.ts'

export type { Finding, MaintenanceReport }

export function compact() {
  return change<MaintenanceReport>('/v1/admin/compact', {})
}

async function look(): Promise<readonly Finding[]> {
  const { items } = await change<{ readonly items: readonly Finding[] }>('/v1/admin/check', {})
  return items
}

/**
 * The ledger goes on while it is looked at, so that a change under way may look like a contradiction: only what a
 * second look finds as well is one.
 */
export async function check(): Promise<readonly Finding[]> {
  const first = await look()
  if (first.length === 0) return first
  const second = await look()
  return second.filter(({ where, what }) => first.some((one) => one.where === where && one.what === what))
}
