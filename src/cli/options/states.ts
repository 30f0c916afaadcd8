import { type LedgerState, mapState } from '../../core/document/states.ts'
import { isStateOf, statesOf } from '../../core/machine.ts'
import { machines, type RecordKind } from '../../core/machines/all.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { nearestOf } from '../../errors/nearest-of.ts'

export const DOCUMENT_STATES: readonly LedgerState[] = statesOf(machines.document)

/** For the help of commands that take one. */
export const STATES_TEXT = `\n\nStates: ${DOCUMENT_STATES.join(', ')}`

export const RECORD_KINDS = Object.keys(machines) as RecordKind[]

/** States of all kinds of records, each once. */
export const ALL_STATES: readonly string[] = [
  ...new Set(RECORD_KINDS.flatMap((kind) => statesOf<string>(machines[kind]))),
]

/** A state that a document can be in. */
export function documentState(text: string): LedgerState {
  if (isStateOf(machines.document, text)) return text
  throw unknownState(text, DOCUMENT_STATES)
}

/** One that a document may be set to: old names are taken as well, and whoever opens the ledger says so. */
export function settableState(text: string): LedgerState {
  // What nobody knows becomes `legacy` when old logs are read; here it is a slip of the finger.
  if (!mapState(text).known) throw unknownState(text, DOCUMENT_STATES)
  return text as LedgerState
}

/** A state of records of this kind, or of any kind. */
export function stateOf(text: string, kind: RecordKind | undefined): string {
  const legal = kind === undefined ? ALL_STATES : statesOf<string>(machines[kind])
  if (legal.includes(text)) return text
  throw unknownState(text, legal)
}

function unknownState(text: string, legal: readonly string[]): InvalidInput {
  const meant = nearest(text, legal)
  const guess = meant === null ? '' : `Did you mean ${meant}? `
  return new InvalidInput(
    'state',
    `${JSON.stringify(text)} is not a state`,
    `${guess}The states are: ${legal.join(', ')}.`,
    { state: text, nearest: meant, legal: [...legal] },
  )
}

function nearest(text: string, legal: readonly string[]): string | null {
  const { state, deprecated } = mapState(text)
  if (deprecated && state !== 'legacy' && legal.includes(state)) return state
  return nearestOf(text, legal)
}
