import { FORBIDDEN_NAMES } from '../names.ts'
import { type Problem, type ProblemPath, problem, quoted } from './topology-problem.ts'

const LONGEST_NAME = 100

/** Names are parts of ids, of queues, of the keys of limits and of metadata. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u

export function nameProblems(name: string, what: string, path: ProblemPath): readonly Problem[] {
  if (FORBIDDEN_NAMES.has(name)) return [problem('BAD_NAME', path, `${what} must not be ${name}`)]
  if (NAME.test(name) && name.length <= LONGEST_NAME) return []
  const rule = `a letter or digit, then letters, digits, ".", "_" and "-", at most ${LONGEST_NAME} in all`
  return [problem('BAD_NAME', path, `${what} is ${quoted(name)}; it must be ${rule}`)]
}

/** A name that is there for the second time. */
export function twiceProblems(
  names: readonly string[],
  pathOf: (index: number) => ProblemPath,
  found: (name: string, path: ProblemPath) => Problem,
): readonly Problem[] {
  return names.flatMap((name, i) => (names.indexOf(name) < i ? [found(name, pathOf(i))] : []))
}
