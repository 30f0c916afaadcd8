import { FORBIDDEN_NAMES } from '../core/names.ts'
import type { Written } from './frozen-copy.ts'

// Most payloads are an object of a few texts and numbers. Each is written as JSON twice: as it is, and in the order in which it is
// hashed. The second is put together from parts of the first.

/** More fields than these are written faster by the engine. */
const MOST_FIELDS = 16

const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const BACKSLASH = 0x5c

/** The fields of an object. */
interface Shape {
  readonly keys: readonly string[]
  /** How long each name is as it is written, with a colon. */
  readonly lengths: readonly number[]
  /** Which comes first, second and so on by UTF-16 code units, which is how strings compare. */
  readonly order: readonly number[]
}

// Payloads that follow each other mostly have the same fields.
let last: Shape = { keys: [], lengths: [], order: [] }

const texts = new Array<string>(MOST_FIELDS).fill('')

/** A frozen copy and its texts; null when there is more to it than a few texts, numbers and the like. */
export function writtenFlat(value: unknown): Written | null {
  if (typeof value !== 'object' || value === null) return null
  if (Object.getPrototypeOf(value) !== Object.prototype) return null
  // What it says is looked at once.
  const copy: { readonly [key: string]: unknown } = { ...value }
  const shape = shapeOf(copy)
  if (shape === null) return null
  const values = Object.values(copy)
  for (let nth = 0; nth < values.length; nth++) if (!isPlain(values[nth])) return null
  const text = JSON.stringify(copy)
  const inOrder = textInOrder(text, values, shape) ?? writtenInOrder(copy, shape)
  return { copy: Object.freeze(copy) as Written['copy'], text, inOrder }
}

/** Null when it takes more than a glance to see where a value ends. */
function textInOrder(text: string, values: readonly unknown[], { lengths, order }: Shape): string | null {
  let at = 1
  for (let nth = 0; nth < values.length; nth++) {
    const from = at + (lengths[nth] as number)
    const end = nth === values.length - 1 ? text.length - 1 : endOfValue(text, from, values[nth])
    if (end === -1) return null
    texts[nth] = values[nth] === null ? '' : text.slice(at, end)
    at = end + 1
  }
  let inOrder = ''
  for (let place = 0; place < order.length; place++) {
    const own = texts[order[place] as number] as string
    if (own !== '') inOrder += inOrder === '' ? own : `,${own}`
  }
  return `{${inOrder}}`
}

function endOfValue(text: string, from: number, value: unknown): number {
  if (typeof value !== 'string') return text.indexOf(',', from)
  const quote = text.indexOf('"', from + 1)
  return text.charCodeAt(quote - 1) === BACKSLASH ? -1 : quote + 1
}

function writtenInOrder(copy: { readonly [key: string]: unknown }, { keys, order }: Shape): string {
  const inOrder: { [key: string]: unknown } = {}
  for (const nth of order) {
    const key = keys[nth] as string
    if (copy[key] !== null) inOrder[key] = copy[key]
  }
  return JSON.stringify(inOrder)
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    default:
      return value === null
  }
}

function shapeOf(object: object): Shape | null {
  const { keys } = last
  let nth = 0
  for (const key in object) {
    if (keys[nth] !== key) return newShape(object)
    nth++
  }
  return nth === keys.length ? last : newShape(object)
}

function newShape(object: object): Shape | null {
  const keys = Object.keys(object)
  if (keys.length > MOST_FIELDS || !keys.every(isOrdinary)) return null
  const lengths = keys.map((key) => JSON.stringify(key).length + 1)
  const order = [...keys.keys()].sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1))
  last = { keys, lengths, order }
  return last
}

/** Names like places of a list have an order of their own, and some are not allowed. */
function isOrdinary(key: string): boolean {
  const first = key.charCodeAt(0)
  return !(first >= DIGIT_0 && first <= DIGIT_9) && !FORBIDDEN_NAMES.has(key)
}
