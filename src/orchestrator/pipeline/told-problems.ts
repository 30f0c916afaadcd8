import type { TopologyProblem } from '../../core/pipeline/topology-problem.ts'
import { nearestOf } from '../../errors/nearest-of.ts'
import { InvalidTopology, type TopologyMistake } from '../../errors/topology-errors.ts'

/** Where a problem is in a file. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

export interface ToldOptions {
  readonly file?: string | undefined
  readonly name?: string | undefined
  /** Where each is; not for topologies made in code. */
  readonly placeOf?: (problem: TopologyProblem) => TextPlace
}

/** The error that tells all of them, from the top of the file to its end. */
export function invalidTopology(
  problems: readonly TopologyProblem[],
  { file, name, placeOf }: ToldOptions,
): InvalidTopology {
  const told = problems.map((problem): TopologyMistake => {
    const { line, column } = placeOf?.(problem) ?? { line: null, column: null }
    return { line, column, stage: problem.stage ?? null, code: problem.code, message: withGuess(problem) }
  })
  const inOrder = told.toSorted(
    (a, b) => Number(a.line) - Number(b.line) || Number(a.column) - Number(b.column),
  )
  return new InvalidTopology({ file: file ?? null, name: name ?? null, problems: inOrder })
}

function withGuess({ message, meant }: TopologyProblem): string {
  const guess = meant === undefined ? null : nearestOf(meant.named, meant.known)
  return guess === null ? message : `${message}. Did you mean ${guess}?`
}
