import { UNFINISHED_STATES } from '../../core/document/stuck.ts'
import { isTerminal, statesOf } from '../../core/machine.ts'
import { stepMachine } from '../../core/machines/step.ts'

// What views say of states, as SQL has it: the rules are the kernel's.

/** In which a document can be stuck. */
export const UNFINISHED_DOCUMENT = listOf(UNFINISHED_STATES)

/** Which end an attempt: for good, or to be tried again. */
export const ATTEMPT_ENDS = listOf(
  statesOf(stepMachine).filter(
    (state) => isTerminal(stepMachine, state) || stepMachine.states[state].retry === true,
  ),
)

function listOf(states: readonly string[]): string {
  return states.map((state) => `'${state}'`).join(', ')
}
