/** Where in a topology: names of fields, and places in lists. */
export type ProblemPath = readonly (string | number)[]

const PROBLEM_CODES = [
  // What its stages, gates and policies say of each other.
  'NO_STAGES',
  'DUPLICATE_STAGE',
  'DUPLICATE_GATE',
  'DUPLICATE_PHASE',
  'DUPLICATE_POLICY',
  'DUPLICATE_DEPENDENCY',
  'UNKNOWN_DEPENDENCY',
  'CYCLE',
  'UNKNOWN_PHASE',
  'MISSING_PHASE',
  'LATER_PHASE',
  'UNKNOWN_GATE',
  'UNUSED_GATE',
  'UNKNOWN_POLICY',
  'UNKNOWN_RESUME',
  'RESUME_NOT_LATER',
  // What they say of themselves.
  'BAD_NAME',
  'OUT_OF_RANGE',
  'TOO_MANY',
  'UNKNOWN_FIELD',
  'UNKNOWN_STATE',
  'ILLEGAL_EDGE',
  'EMPTY_CONDITION',
  'BAD_CONDITION',
  'TOO_DEEP',
  // What is not the shape of a topology.
  'YAML_SYNTAX',
  'TOO_LARGE',
  'WRONG_TYPE',
  'WRONG_VALUE',
  'BAD_DURATION',
  'MISSING_KEY',
  'UNKNOWN_KEY',
  'DUPLICATE_KEY',
  'FORBIDDEN_KEY',
  'CONFLICTING_KEYS',
  // What the functions of a pipeline are not.
  'MISSING_HANDLER',
  'UNKNOWN_HANDLER',
  'USELESS_HANDLER',
] as const

export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** What is wrong with a part of a topology. */
export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  readonly path: ProblemPath
  /** The name that leads nowhere, and those that would lead somewhere. */
  readonly meant?: Meant
}

/** The same, in a whole topology. */
export interface TopologyProblem extends Problem {
  /** The stage it is about, where it is about one. */
  readonly stage?: string
}

export interface Meant {
  readonly named: string
  readonly known: readonly string[]
}

export function problem(code: ProblemCode, path: ProblemPath, message: string, meant?: Meant): Problem {
  return { code, message, path, ...(meant === undefined ? {} : { meant }) }
}

const MOST_CHARS = 80

/** A value as messages show it: in one line, and not too much of it. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? `a ${typeof value}`
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`
}
