import type { Json } from '../core/json.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { frozenJson } from './check-input.ts'

/**
 * What other schedulers hand over, as it is stored: plain JSON, dates as ISO text, fields in alphabetical order, so that the
 * same context always reads the same.
 */
export function normalised(field: string, value: unknown): Json {
  let text: string | undefined
  try {
    text = JSON.stringify(value, inOrder)
  } catch (error) {
    const next = 'Give values that JSON can hold: no cycles, no bigints.'
    throw InvalidInput.by(error, field, `${field} cannot be written as JSON`, next)
  }
  return text === undefined ? null : frozenJson(field, JSON.parse(text))
}

function inOrder(_key: string, value: unknown): unknown {
  if (value instanceof Map) return inOrder('', Object.fromEntries(value))
  if (value instanceof Set) return [...value]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
