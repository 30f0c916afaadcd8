// A state machine as a Mermaid state diagram, as code hosts draw it from Markdown.
import { isTerminal, type Machine, statesOf } from '../../src/core/machine.ts'

const LEGAL_ID = /^[A-Za-z][A-Za-z0-9_]*$/

/** Words that begin a statement of the diagram language: as a state they would be read as one. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'as',
  'class',
  'classdef',
  'default',
  'direction',
  'end',
  'note',
  'state',
  'style',
])

export function mermaidOf<S extends string>(machine: Machine<S>): string {
  const states = statesOf(machine)
  for (const state of states) mustBeDrawable(machine.name, state)
  const lines = states.flatMap((state) =>
    goesEverywhere(machine, state)
      ? [`note left of ${state} : may go to every other state`]
      : [
          ...machine.states[state].to.map((next) => `${state} --> ${next}`),
          ...(isTerminal(machine, state) ? [`${state} --> [*]`] : []),
        ],
  )
  // A state that is only named in a note would not be drawn, so each such state is declared.
  const declared = states.filter((state) => goesEverywhere(machine, state)).map((state) => `state ${state}`)
  return ['stateDiagram-v2', `[*] --> ${machine.initial}`, ...declared, ...lines].join('\n  ')
}

/** Machines of so many states are drawn with all their arrows. */
const FEW = 3

/** Fifteen arrows that say "anything" hide the ones that say something. */
function goesEverywhere<S extends string>(machine: Machine<S>, state: S): boolean {
  if (statesOf(machine).length <= FEW) return false
  const next = new Set(machine.states[state].to)
  return statesOf(machine).every((other) => other === state || next.has(other))
}

function mustBeDrawable(machine: string, state: string): void {
  if (LEGAL_ID.test(state) && !KEYWORDS.has(state.toLowerCase())) return
  throw new Error(`State ${state} of the ${machine} machine cannot be drawn: Mermaid would misread its name`)
}
