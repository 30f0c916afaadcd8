import type { Json } from '../../core/json.ts'
import { FORBIDDEN_NAMES } from '../../core/names.ts'
import { BadMessage } from '../../errors/message-errors.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** Names and values in one body: more is not a message but a load. */
const MOST_VALUES = 100_000

/** A body without one is an empty object: many routes have nothing that they have to be told. */
export function jsonBody(bytes: Buffer): Json {
  if (bytes.length === 0) return {}
  const value = parseJson(bytes)
  checkNames(value, '', { left: MOST_VALUES })
  return value
}

/** Whoever looks into the value afterwards finds only what was sent, whatever way it looks. */
function checkNames(value: Json, path: string, budget: { left: number }): void {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const key in value as object) {
    if (--budget.left < 0) throw tooMany()
    if (!isList && FORBIDDEN_NAMES.has(key)) throw forbidden(path === '' ? key : `${path}.${key}`, key)
    const inner = (value as { readonly [key: string]: Json })[key] as Json
    if (typeof inner === 'object' && inner !== null)
      checkNames(inner, path === '' ? key : `${path}.${key}`, budget)
  }
}

function forbidden(field: string, name: string): BadMessage {
  return new BadMessage({ field, message: `${name} is not allowed as a name`, next: 'Rename the field.' })
}

function tooMany(): BadMessage {
  const message = `The body has more than ${MOST_VALUES} values`
  return new BadMessage({ message, next: 'Send it in parts.' })
}
