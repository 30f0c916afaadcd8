import { checkId, checkText } from './check-input.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'

/** Those of the settings were checked when the ledger was opened. */
export function actorOf({ actor }: CallOptions, settings: LedgerSettings): string {
  return actor === undefined ? settings.actor : checkId('actor', actor)
}

/** Without secrets: it is kept for years and shown to many. */
export function reasonOf({ reason }: CallOptions, { redact }: LedgerSettings): string | null {
  return reason === undefined ? null : redact(checkText('reason', reason))
}
