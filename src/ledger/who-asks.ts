import { checkId, checkText } from './check-input.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'

/** Those of the settings were checked when the ledger was opened. */
export function actorOf({ actor }: CallOptions, settings: LedgerSettings): string {
  return actor === undefined ? settings.actor : checkId('actor', actor)
}

export function reasonOf({ reason }: CallOptions): string | null {
  return reason === undefined ? null : checkText('reason', reason)
}
