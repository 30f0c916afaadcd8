import type { Registry } from 'prom-client'
import { InvalidInput } from './errors/input-errors.ts'
import { checkCount, checkId } from './ledger/check-input.ts'
import { Ledger } from './ledger/ledger.ts'
import { Metrics } from './ledger/metrics.ts'
import { redactText } from './ledger/redact.ts'
import { DEFAULT_SETTINGS, type LedgerSettings } from './ledger/settings.ts'
import { openStore, type StoreOptions } from './store/open-store.ts'
import { realWorld, type World } from './world/world.ts'

export interface LedgerOptions extends Partial<LedgerSettings>, StoreOptions {
  /** Clock, ids, timers, dice, disk and logger; what is absent is the real one. */
  readonly world?: Partial<World> | undefined
  /** A registry of prom-client in which the ledger's metrics are to appear. */
  readonly metrics?: Registry | undefined
}

/**
 * Opens a ledger: a folder on this machine, made when there is none, or `memory:`, which lives and ends with the
 * process.
 */
export async function openLedger(url: string, options: LedgerOptions = {}): Promise<Ledger> {
  const { world = {}, journal, create, metrics, ...given } = options
  const settings = settingsOf(given)
  const outside = { ...realWorld, ...withoutUndefined(world) }
  const { clock } = outside
  const began = clock.now()
  const store = await openStore(url, outside, { journal, create })
  const openMs = clock.now() - began
  if (metrics === undefined) return new Ledger(store, settings, outside, { openMs })
  try {
    const { observe } = await Metrics.in(metrics, { store, clock, openMs })
    return new Ledger(store, settings, outside, { openMs, observe })
  } catch (error) {
    await store.close()
    throw error
  }
}

function settingsOf(given: Partial<LedgerSettings>): LedgerSettings {
  const settings = { ...DEFAULT_SETTINGS, ...withoutUndefined(given) }
  checkId('actor', settings.actor)
  checkId('tenant_id', settings.tenant_id)
  if (checkCount('inFlightLimit', settings.inFlightLimit) < 1) {
    const next = 'Leave it out for the default.'
    throw new InvalidInput('inFlightLimit', 'inFlightLimit must be at least 1', next)
  }
  const { redact } = given
  if (redact === undefined) return settings
  if (typeof redact !== 'function') {
    throw new InvalidInput('redact', 'redact must be a function', 'Give (text) => text without its secrets.')
  }
  return { ...settings, redact: (text) => redact(redactText(text)) }
}

/** `{ actor: process.env.USER }` with no such variable means the default, not nobody. */
function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
