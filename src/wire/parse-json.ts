import { isUtf8 } from 'node:buffer'
import type { Json } from '../core/json.ts'
import { DEEPEST, FORBIDDEN_NAMES } from '../core/names.ts'
import { BadMessage } from '../errors/message-errors.ts'

const NEXT = 'Send one JSON object, in UTF-8.'

/** Names and values in one message: more is not a message but a load. */
const MOST_VALUES = 100_000

/** Only names as long as these can be forbidden ones. */
const SHORTEST_FORBIDDEN = Math.min(...[...FORBIDDEN_NAMES].map((name) => name.length))

const BYTE_ORDER_MARK = 0xfeff

/**
 * Whoever looks into it afterwards may do so by recursion: it has no more levels than anything that is stored. And finds only
 * what was sent, whatever way it looks: no name reaches behind an object.
 */
export function parseJson(bytes: Uint8Array): Json {
  const value = parsed(textOf(bytes))
  checkValue(value, 0, { left: MOST_VALUES })
  return value
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new BadMessage({ message: 'The body is not JSON: it is not UTF-8', next: NEXT })
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new BadMessage({ message: `The body is not JSON${placeIn(error)}`, next: NEXT }, { cause: error })
  }
}

/** Only where: what the parser says quotes from the body, which may be a secret. */
function placeIn(error: unknown): string {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1]
  return position === undefined ? '' : `, from character ${position} on`
}

/** This is the way of every message: no list is made of what is in an array, and no path of where one is. */
function checkValue(value: Json, depth: number, budget: { left: number }): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > DEEPEST) throw tooDeep()
  if (Array.isArray(value)) {
    budget.left -= value.length
    if (budget.left < 0) throw tooMany()
    for (let i = 0; i < value.length; i++) checkValue(value[i] as Json, depth + 1, budget)
    return
  }
  const names = Object.keys(value)
  budget.left -= names.length
  if (budget.left < 0) throw tooMany()
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    if (name.length >= SHORTEST_FORBIDDEN && FORBIDDEN_NAMES.has(name)) throw forbidden(name)
    checkValue((value as { readonly [name: string]: Json })[name] as Json, depth + 1, budget)
  }
}

function tooDeep(): BadMessage {
  return new BadMessage({ message: `The body is nested deeper than ${DEEPEST} levels`, next: 'Flatten it.' })
}

function tooMany(): BadMessage {
  const message = `The body has more than ${MOST_VALUES} values`
  return new BadMessage({ message, next: 'Send it in parts.' })
}

function forbidden(field: string): BadMessage {
  return new BadMessage({ field, message: `${field} is not allowed as a name`, next: 'Rename the field.' })
}
