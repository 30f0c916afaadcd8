import { Unsupported } from './errors/input-errors.ts'
import { type RepairReport, repairJournal } from './store/journal/repair.ts'
import { isFolder } from './store/open-store.ts'
import { realWorld, type World } from './world/world.ts'

export type { RepairReport }

/**
 * Repairs a damaged ledger in a folder, explicitly: a ledger is never changed because it is damaged. All that can be
 * saved stays; what is taken out is kept in files beside it, and the report says which. Nobody may have it open.
 */
export async function repairLedger(
  folder: string,
  options: { readonly world?: Partial<World> } = {},
): Promise<RepairReport> {
  if (!isFolder(folder)) throw notAFolder(folder)
  return repairJournal(folder, { ...realWorld, ...options.world })
}

/** A database looks after its own bytes. */
function notAFolder(url: string): Unsupported {
  const next = /^sqlite:/i.test(url)
    ? `Put back a copy, or save what can be read: sqlite3 ${url.slice('sqlite:'.length)} .recover`
    : 'Put back a copy with the tools of the database; waybill ledger verify says whether its records agree.'
  return new Unsupported('repair, which is for ledgers in folders', next)
}
