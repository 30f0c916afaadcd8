import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { DEEPEST, FORBIDDEN_NAMES, idProblem } from '../core/names.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { frozenCopy } from './frozen-copy.ts'

export function checkId(field: string, value: unknown): string {
  const problem = typeof value === 'string' ? idProblem(value) : 'must be text'
  if (problem === null) return value as string
  throw new InvalidInput(field, `${field} ${problem}`, `Give ${field} as a short printable text.`)
}

/** Longest reason, and longest name of an actor or adapter. */
const LONGEST_TEXT = 10_000

export function checkText(field: string, value: unknown): string {
  if (typeof value === 'string' && value.length <= LONGEST_TEXT) return value
  const next = `Put longer text into metadata; ${LONGEST_TEXT} characters are the most.`
  throw new InvalidInput(field, `${field} must be text of at most ${LONGEST_TEXT} characters`, next)
}

/**
 * What is stored must come back the same, so it has to be plain JSON of finite depth, without names that reach
 * behind an object; and it must stay as it was, so what is stored is a frozen copy that nobody else holds. The
 * path in the message leads to the place.
 */
export function frozenJson(field: string, value: unknown): Json {
  const copy = frozenCopy(value)
  // Only when something is wrong with it is it worth knowing where.
  return copy === undefined ? checkedCopy(field, value, 0) : copy
}

function checkedCopy(field: string, value: unknown, depth: number): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') {
    const what = typeof value === 'number' ? String(value) : `of type ${typeof value}`
    throw new InvalidInput(field, `${field} is ${what}, which JSON cannot hold`, 'Use plain JSON values.')
  }
  if (depth >= DEEPEST) {
    throw new InvalidInput(field, `${field} is nested deeper than ${DEEPEST} levels`, 'Flatten it.')
  }
  if (Array.isArray(value)) {
    // Not map: a hole in an array is a missing value like any other.
    return Object.freeze(Array.from(value, (item, i) => checkedCopy(`${field}[${i}]`, item, depth + 1)))
  }
  return copyObject(field, value, depth)
}

/** The same, where only an object will do. */
export function frozenObject(field: string, value: unknown): JsonObject {
  const copy = frozenJson(field, value)
  if (isJsonObject(copy)) return copy
  throw new InvalidInput(field, `${field} must be an object`, 'Give names to the values: { name: value }.')
}

function copyObject(field: string, value: object, depth: number): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new InvalidInput(field, `${field} is not a plain object`, 'Convert it to plain JSON first.')
  }
  const copy: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(value)) {
    if (FORBIDDEN_NAMES.has(key)) {
      throw new InvalidInput(`${field}.${key}`, `${key} is not allowed as a name`, 'Rename the field.')
    }
    if (item !== undefined) copy[key] = checkedCopy(`${field}.${key}`, item, depth + 1)
  }
  return Object.freeze(copy)
}

/** A number of things: whole, 0 or more. */
export function checkCount(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new InvalidInput(field, `${field} must be a whole number, 0 or more`, `Give ${field} as a count.`)
}

export function checkOptionalCount(field: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : checkCount(field, value)
}
