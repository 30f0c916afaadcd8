import { InvalidInput } from './errors/input-errors.ts'
import { Ledger } from './ledger/ledger.ts'
import { DEFAULT_SETTINGS, type LedgerSettings } from './ledger/settings.ts'
import { openStore } from './store/open-store.ts'
import { realWorld, type World } from './world/world.ts'

export interface LedgerOptions extends Partial<LedgerSettings> {
  /** Clock, ids, timers, dice, disk and logger; what is absent is the real one. */
  readonly world?: Partial<World> | undefined
}

/** Opens a ledger by its URL. `memory:` lives and ends with the process. */
export async function openLedger(url: string, options: LedgerOptions = {}): Promise<Ledger> {
  const { world, ...settings } = options
  if (settings.inFlightLimit !== undefined && !(settings.inFlightLimit >= 1)) {
    throw new InvalidInput(
      'inFlightLimit',
      'inFlightLimit must be at least 1',
      'Leave it out for the default.',
    )
  }
  const outside = { ...realWorld, ...world }
  const store = await openStore(url, outside)
  return new Ledger(store, { ...DEFAULT_SETTINGS, ...settings }, outside)
}
