import { isJsonObject, type Json, type JsonObject, sameJson } from '../json.ts'
import { FORBIDDEN_NAMES } from '../names.ts'

export const GATE_OPS = ['equals', 'not_equals', 'exists', 'in', 'changed'] as const

export type GateOp = (typeof GATE_OPS)[number]

/** One thing said of one field: `document.state`, `metadata.pages`, `entry.stage`. */
export interface Clause {
  readonly field: string
  readonly op: GateOp
  /** What `equals`, `not_equals` and `in` compare with; false turns `exists` round. */
  readonly value?: Json
}

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | Clause

/** Holds a job before a stage until a condition comes true, without holding a worker. */
export interface Gate {
  readonly name: string
  readonly when: Condition
  /** Longest that it holds a job; the job then fails. */
  readonly timeout_ms?: number
  /** The stage to go on with once it is open, where that is not the stage that has the gate but a later one. */
  readonly resume?: string
}

/** What conditions look at. */
export interface GateFacts {
  readonly entry: JsonObject
  readonly metadata: JsonObject
  /** Null when the job has none. */
  readonly document: JsonObject | null
}

export const FACTS = ['entry', 'metadata', 'document'] as const satisfies readonly (keyof GateFacts)[]

/** Whether the job may pass. `seen` is what `watched` said when it was parked. */
export function isOpen(gate: Gate, facts: GateFacts, seen: JsonObject): boolean {
  return holds(gate.when, facts, seen)
}

/** What the fields of `changed` clauses are now, to be kept when a job is parked; a field that is missing is left out. */
export function watched(gate: Gate, facts: GateFacts): JsonObject {
  const values: { [field: string]: Json } = {}
  for (const { op, field } of clausesOf(gate.when)) {
    const value = op === 'changed' ? factOf(field, facts) : undefined
    if (value !== undefined) values[field] = value
  }
  return values
}

/** Whether news of the job's document may open it. */
export function looksAtDocument(gate: Gate): boolean {
  return clausesOf(gate.when).some(({ field }) => field.startsWith('document.'))
}

export function clausesOf(condition: Condition): readonly Clause[] {
  if ('all' in condition) return condition.all.flatMap(clausesOf)
  if ('any' in condition) return condition.any.flatMap(clausesOf)
  return [condition]
}

function holds(condition: Condition, facts: GateFacts, seen: JsonObject): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, facts, seen))
  if ('any' in condition) return condition.any.some((part) => holds(part, facts, seen))
  return isTrue(condition, factOf(condition.field, facts), seen)
}

function isTrue({ op, field, value: given = null }: Clause, is: Json | undefined, seen: JsonObject): boolean {
  switch (op) {
    case 'exists':
      // Records say null where there is nothing.
      return (is !== undefined && is !== null) === (given !== false)
    case 'equals':
      return is !== undefined && sameJson(is, given)
    case 'not_equals':
      return is === undefined || !sameJson(is, given)
    case 'in':
      return is !== undefined && Array.isArray(given) && given.some((one: Json) => sameJson(is, one))
    case 'changed':
      return !isSame(is, Object.hasOwn(seen, field) ? seen[field] : undefined)
  }
}

/** That it is missing is a value of its own. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameJson(a, b)
}

/** Undefined when it is missing. */
function factOf(field: string, facts: GateFacts): Json | undefined {
  const [from, ...names] = field.split('.')
  if (names.some((name) => FORBIDDEN_NAMES.has(name))) return undefined
  switch (from) {
    case 'entry':
    case 'metadata':
    case 'document':
      return valueAt(facts[from], names)
    default:
      return undefined
  }
}

/** Keys may have dots in them: the longest one that is there wins, and the rest of the name is looked up inside it. */
function valueAt(from: Json | undefined, names: readonly string[]): Json | undefined {
  if (names.length === 0) return from
  if (!isJsonObject(from)) return undefined
  for (let length = names.length; length > 0; length--) {
    const key = names.slice(0, length).join('.')
    if (Object.hasOwn(from, key)) return valueAt(from[key], names.slice(length))
  }
  return undefined
}

/** Longest value that is shown whole. */
const MOST_CHARS = 60

/** The condition in one line, for people. */
export function describe(gate: Gate): string {
  return text(gate.when)
}

function text(condition: Condition): string {
  if ('all' in condition) return condition.all.map(part).join(' and ')
  if ('any' in condition) return condition.any.map(part).join(' or ')
  return clauseText(condition)
}

function part(condition: Condition): string {
  return 'field' in condition ? clauseText(condition) : `(${text(condition)})`
}

function clauseText({ field, op, value = null }: Clause): string {
  switch (op) {
    case 'exists':
      return value === false ? `${field} does not exist` : `${field} exists`
    case 'equals':
      return `${field} equals ${shown(value)}`
    case 'not_equals':
      return `${field} does not equal ${shown(value)}`
    case 'in':
      return `${field} is in ${shown(value)}`
    case 'changed':
      return `${field} has changed`
  }
}

function shown(value: Json): string {
  const whole = JSON.stringify(value)
  return whole.length <= MOST_CHARS ? whole : `${whole.slice(0, MOST_CHARS - 1)}…`
}
