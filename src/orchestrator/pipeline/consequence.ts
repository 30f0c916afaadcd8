import type { Problem, ProblemCode, ProblemPath } from '../../core/pipeline/topology-problem.ts'

/**
 * Whether a problem only follows from one that was found before: what could not be read is not to be blamed for what
 * it then lacks.
 */
export function isConsequence(before: readonly Problem[], { code, path }: Problem): boolean {
  const unread = UNREAD[code]
  return before.some((earlier) => startsWith(path, earlier.path) || unread?.(earlier.path) === true)
}

function startsWith(path: ProblemPath, start: ProblemPath): boolean {
  return start.every((part, i) => path[i] === part)
}

/** What could not be read, for it not to be known whether there is such a problem. */
const UNREAD: { readonly [code in ProblemCode]?: (path: ProblemPath) => boolean } = {
  UNKNOWN_GATE: isNameIn('gates'),
  UNKNOWN_DEPENDENCY: isNameIn('stages'),
  UNKNOWN_RESUME: isNameIn('stages'),
  UNKNOWN_POLICY: ([list, name]) => list === 'policies' && name === undefined,
  UNKNOWN_PHASE: ([list]) => list === 'phases',
  MISSING_PHASE: ([list]) => list === 'phases',
  UNUSED_GATE: ([list, , field]) => list === 'stages' && (field === undefined || field === 'gate'),
}

/** The list itself, one of it, or its name. */
function isNameIn(list: string): (path: ProblemPath) => boolean {
  return ([first, , field]) => first === list && (field === undefined || field === 'name')
}
