import { mapState } from '../document/states.ts'
import type { Json } from '../json.ts'
import { isStateOf } from '../machine.ts'
import { documentMachine } from '../machines/document.ts'
import { FORBIDDEN_NAMES } from '../names.ts'
import { type Clause, type Condition, clausesOf, FACTS, GATE_OPS, type Gate } from './gate.ts'
import { timeProblems } from './policy-problems.ts'
import { unknownState } from './stage-document.ts'
import { type Problem, type ProblemPath, problem, quoted } from './topology-problem.ts'

/** Deepest that `all` and `any` may be nested. */
export const DEEPEST_CONDITION = 8

/** Most clauses that one gate may have: they are all looked at whenever something happens to the job. */
const MOST_CLAUSES = 50

const LONGEST_FIELD = 200

/** What is wrong with a gate by itself. */
export function gateProblems(gate: Gate, path: ProblemPath): readonly Problem[] {
  const when = [...path, 'when']
  const timeout = gate.timeout_ms === undefined ? [] : timeProblems(gate.timeout_ms, [...path, 'timeout_ms'])
  const deep = tooDeep(gate.when, when, 0)
  if (deep !== null) return [...timeout, deep]
  const clauses = clausesOf(gate.when).length
  if (clauses > MOST_CLAUSES) {
    const message = `Gate ${gate.name} has ${clauses} clauses; ${MOST_CLAUSES} are the most`
    return [...timeout, problem('TOO_MANY', when, message)]
  }
  return [...timeout, ...conditionProblems(gate.when, when)]
}

/** Looked for first, so that nothing else goes down without end. */
function tooDeep(condition: Condition, path: ProblemPath, depth: number): Problem | null {
  const parts = partsOf(condition)
  if (parts === null) return null
  if (depth === DEEPEST_CONDITION) {
    return tooDeepAt(path)
  }
  for (const [i, part] of parts.list.entries()) {
    const found = tooDeep(part, [...path, parts.key, i], depth + 1)
    if (found !== null) return found
  }
  return null
}

export function tooDeepAt(path: ProblemPath): Problem {
  return problem('TOO_DEEP', path, `Conditions are nested deeper than ${DEEPEST_CONDITION} levels`)
}

function partsOf(condition: Condition): { key: 'all' | 'any'; list: readonly Condition[] } | null {
  if ('all' in condition) return { key: 'all', list: condition.all }
  return 'any' in condition ? { key: 'any', list: condition.any } : null
}

function conditionProblems(condition: Condition, path: ProblemPath): readonly Problem[] {
  const parts = partsOf(condition)
  if (parts === null) return clauseProblems(condition as Clause, path)
  const { key, list } = parts
  if (list.length === 0) {
    const always = key === 'all' ? 'is always true' : 'is never true'
    return [problem('EMPTY_CONDITION', [...path, key], `${key} of nothing ${always}: say of what`)]
  }
  return list.flatMap((part, i) => conditionProblems(part, [...path, key, i]))
}

function clauseProblems(clause: Clause, path: ProblemPath): readonly Problem[] {
  return [...fieldProblems(clause.field, [...path, 'field']), ...valueProblems(clause, [...path, 'value'])]
}

function fieldProblems(field: string, path: ProblemPath): readonly Problem[] {
  const [from = '', ...names] = field.split('.')
  if (!FACTS.some((fact) => fact === from)) {
    const message = `${quoted(field)} begins with none of ${FACTS.join(', ')}`
    return [problem('UNKNOWN_FIELD', path, message, { named: from, known: FACTS })]
  }
  if (names.length === 0 || names.includes('')) {
    const message = `${quoted(field)} names no field: ${from}.something does`
    return [problem('UNKNOWN_FIELD', path, message)]
  }
  const forbidden = names.find((name) => FORBIDDEN_NAMES.has(name))
  if (forbidden !== undefined || field.length > LONGEST_FIELD) {
    const why =
      forbidden === undefined ? `is longer than ${LONGEST_FIELD} characters` : `has ${forbidden} in it`
    return [problem('UNKNOWN_FIELD', path, `${quoted(field)} ${why}: no such field is ever there`)]
  }
  return []
}

function valueProblems({ field, op, value }: Clause, path: ProblemPath): readonly Problem[] {
  const wrong = (message: string) => [problem('BAD_CONDITION', path, message)]
  switch (op) {
    case 'exists':
      return value === undefined || typeof value === 'boolean' ? [] : wrong('exists is true or false')
    case 'changed':
      return value === undefined || value === true ? [] : wrong('changed is compared with nothing: say true')
    case 'in':
      if (!Array.isArray(value) || value.length === 0) return wrong('in needs a list with something in it')
      return value.flatMap((one: Json, i) => stateProblems(field, one, [...path, i]))
    case 'equals':
    case 'not_equals':
      return value === undefined ? wrong(`${op} needs a value`) : stateProblems(field, value, path)
    default:
      return wrong(`${quoted(op)} is none of ${GATE_OPS.join(', ')}`)
  }
}

/** Waiting for a state that there is not would be waiting for ever. */
function stateProblems(field: string, value: Json, path: ProblemPath): readonly Problem[] {
  if (field !== 'document.state' || isStateOf(documentMachine, value)) return []
  if (typeof value !== 'string') return [unknownState(String(value), path)]
  const { state, known } = mapState(value)
  if (!known) return [unknownState(value, path)]
  return [problem('UNKNOWN_STATE', path, `${quoted(value)} is an old name: documents say ${quoted(state)}`)]
}
