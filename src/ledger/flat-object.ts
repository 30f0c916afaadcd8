import { FORBIDDEN_NAMES } from '../core/names.ts'
import type { Written } from './frozen-copy.ts'

// Most payloads are an object of a few texts and numbers. Each is written as JSON twice: as it is, and in the order in which it is
// hashed. Here every value is written once, and both are put together from that.

/** More fields than these are written faster by the engine. */
const MOST_FIELDS = 16

const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

/** The fields of an object. */
interface Shape {
  readonly keys: readonly string[]
  /** As they are written, with a colon. */
  readonly names: readonly string[]
  /** Which comes first, second and so on by UTF-16 code units, which is how strings compare. */
  readonly order: readonly number[]
}

// Payloads that follow each other mostly have the same fields.
let last: Shape = { keys: [], names: [], order: [] }

const texts = new Array<string>(MOST_FIELDS).fill('')

/** A frozen copy and its texts; null when there is more to it than a few texts, numbers and the like. */
export function writtenFlat(value: unknown): Written | null {
  if (typeof value !== 'object' || value === null) return null
  if (Object.getPrototypeOf(value) !== Object.prototype) return null
  // What it says is looked at once.
  const copy: { readonly [key: string]: unknown } = { ...value }
  const shape = shapeOf(copy)
  if (shape === null) return null
  const { names, order } = shape
  const values = Object.values(copy)
  let text = ''
  for (let nth = 0; nth < names.length; nth++) {
    const own = textOf(values[nth])
    if (own === null) return null
    texts[nth] = own
    text += nth === 0 ? (names[nth] as string) + own : `,${names[nth]}${own}`
  }
  let inOrder = ''
  for (let place = 0; place < order.length; place++) {
    const nth = order[place] as number
    if (values[nth] === null) continue
    inOrder += inOrder === '' ? names[nth] + (texts[nth] as string) : `,${names[nth]}${texts[nth]}`
  }
  return { copy: Object.freeze(copy) as Written['copy'], text: `{${text}}`, inOrder: `{${inOrder}}` }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (value === null || typeof value === 'boolean') return String(value)
  return null
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
  const names = keys.map((key) => `${JSON.stringify(key)}:`)
  const order = [...keys.keys()].sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1))
  last = { keys, names, order }
  return last
}

/** Names like places of a list have an order of their own, and some are not allowed. */
function isOrdinary(key: string): boolean {
  const first = key.charCodeAt(0)
  return !(first >= DIGIT_0 && first <= DIGIT_9) && !FORBIDDEN_NAMES.has(key)
}
