import { type RepairReport, repairJournal } from './store/journal/repair.ts'
import { realWorld, type World } from './world/world.ts'

export type { RepairReport }

/**
 * Repairs a damaged ledger in a folder, explicitly: a ledger is never changed because it is damaged. All that can be
 * saved stays; what is taken out is kept in files beside it, and the report says which. Nobody may have it open.
 */
export function repairLedger(
  folder: string,
  options: { readonly world?: Partial<World> } = {},
): Promise<RepairReport> {
  return repairJournal(folder, { ...realWorld, ...options.world })
}
