import { isRetryable, isStateOf, isTerminal, nextStates, statesOf } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'

/** The states of a document. A union of its values, and an object to take them from: `LedgerState.IR_READY`. */
export type LedgerState = DocumentState

export const LedgerState = Object.freeze(
  Object.fromEntries(statesOf(documentMachine).map((state) => [state.toUpperCase(), state])),
) as { readonly [K in DocumentState as Uppercase<K>]: K }

/** What older code calls some of the states. */
const ALIASES = {
  auto_done: 'completed',
  auto_failed: 'failed',
  auto_inflight: 'fetching',
  mineru_failed: 'failed',
  mineru_inflight: 'ir_building',
  pdf_downloaded: 'fetched',
  pdf_ir_ready: 'ir_ready',
  ir_exists: 'ir_ready',
  ir_written: 'ir_ready',
  postpdf_started: 'embedding',
} as const satisfies { [alias: string]: DocumentState }

/** Spellings that still work at run time, with a deprecation warning; anything else does not compile. */
export type DeprecatedState = keyof typeof ALIASES | Uppercase<DocumentState>

export interface MappedState {
  readonly state: DocumentState
  /** The caller used a name that is not a state: say so once. */
  readonly deprecated: boolean
  /** False: nobody knows the name, and `legacy` stands for all such. */
  readonly known: boolean
}

export function mapState(name: string): MappedState {
  if (isStateOf(documentMachine, name)) return { state: name, deprecated: false, known: true }
  const lower = name.trim().toLowerCase()
  if (isStateOf(documentMachine, lower)) return { state: lower, deprecated: true, known: true }
  if (Object.hasOwn(ALIASES, lower))
    return { state: ALIASES[lower as keyof typeof ALIASES], deprecated: true, known: true }
  return { state: 'legacy', deprecated: true, known: false }
}

export function getValidNextStates(state: DocumentState): ReadonlySet<DocumentState> {
  return nextStates(documentMachine, state)
}

export function isTerminalState(state: DocumentState): boolean {
  return isTerminal(documentMachine, state)
}

export function isRetryableState(state: DocumentState): boolean {
  return isRetryable(documentMachine, state)
}
