import type { LedgerState } from '../../core/document/states.ts'
import { documentState } from './states.ts'

/** Called for each value that an option has: `--state a,b --state c` are three. */
export function documentStates(text: string, before: unknown): readonly LedgerState[] {
  const names = text.split(',').map((name) => name.trim())
  const states = names.filter((name) => name !== '').map(documentState)
  return [...(Array.isArray(before) ? (before as LedgerState[]) : []), ...states]
}
