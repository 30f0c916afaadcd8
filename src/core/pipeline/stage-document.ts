import { isEdge, isStateOf } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { type Problem, type ProblemPath, problem, quoted } from './topology-problem.ts'

/** How a stage moves the document of its job. */
export interface StageDocument {
  /** Its state while the stage works on it. */
  readonly enters?: DocumentState
  /** Its state once the stage has succeeded. */
  readonly leaves?: DocumentState
  /** Its state once the stage has failed for good. */
  readonly fails?: DocumentState
}

export const STAGE_MOVES = ['enters', 'leaves', 'fails'] as const satisfies readonly (keyof StageDocument)[]

const STATES = Object.keys(documentMachine.states)

/** States that there are, and moves that a document may make. */
export function documentProblems(document: StageDocument, path: ProblemPath): readonly Problem[] {
  const unknown = STAGE_MOVES.flatMap((move) => {
    const state: string | undefined = document[move]
    if (state === undefined || isStateOf(documentMachine, state)) return []
    return [unknownState(state, [...path, move])]
  })
  if (unknown.length > 0) return unknown
  const { enters, leaves, fails } = document
  if (enters === undefined) return []
  const moves = [
    ['leaves', leaves],
    ['fails', fails],
  ] as const
  return moves.flatMap(([move, to]) => {
    if (to === undefined || isEdge(documentMachine, enters, to)) return []
    const legal = documentMachine.states[enters].to.join(', ') || 'no other state'
    const message = `A document does not go from ${enters} to ${to}; it goes to ${legal}`
    return [problem('ILLEGAL_EDGE', [...path, move], message)]
  })
}

export function unknownState(state: string, path: ProblemPath): Problem {
  const message = `${quoted(state)} is not a state of documents`
  return problem('UNKNOWN_STATE', path, message, { named: state, known: STATES })
}
