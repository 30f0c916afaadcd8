import type { Finding, MaintenanceReport } from '../../../src/store/store.ts'
import { change } from './change.ts'

export type { Finding, MaintenanceReport }

export function compact() {
  return change<MaintenanceReport>('/v1/admin/compact', {})
}

export async function check(): Promise<readonly Finding[]> {
  const { items } = await change<{ readonly items: readonly Finding[] }>('/v1/admin/check', {})
  return items
}
