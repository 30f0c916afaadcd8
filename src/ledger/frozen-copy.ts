import { freezeAll, type Json } from '../core/json.ts'
import { DEEPEST, FORBIDDEN_NAMES } from '../core/names.ts'
import { writtenFlat } from './flat-object.ts'

/** Only names as long as these can be forbidden ones. */
const FORBIDDEN_LENGTHS = new Set([...FORBIDDEN_NAMES].map((name) => name.length))
const SHORTEST_FORBIDDEN = Math.min(...FORBIDDEN_LENGTHS)

/**
 * A frozen copy of plain JSON; undefined when it is not, or not quite. Objects keep their shape, so that those of many
 * requests have one and the same, which everything that looks at them later is faster with.
 */
export function frozenCopy(value: unknown): Json | undefined {
  const copy = plainCopy(value, 0)
  freezeAll(copy)
  return copy
}

export interface Written {
  readonly copy: Json
  readonly text: string
  /** In the form in which it is hashed, where that was written as well. */
  readonly inOrder?: string
}

/** The same with its text, which takes several times as long to write when the copy is frozen. */
export function writtenCopy(value: unknown): Written | undefined {
  const flat = writtenFlat(value)
  if (flat !== null) return flat
  const copy = plainCopy(value, 0)
  if (copy === undefined) return undefined
  const text = JSON.stringify(copy)
  freezeAll(copy)
  return { copy, text }
}

function plainCopy(value: unknown, depth: number): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || depth >= DEEPEST) return undefined
  return Array.isArray(value) ? copyArray(value, depth) : copyObject(value, depth)
}

function copyArray(items: readonly unknown[], depth: number): Json | undefined {
  const copy = new Array<Json>(items.length)
  for (let i = 0; i < items.length; i++) {
    const item = plainCopy(items[i], depth + 1)
    if (item === undefined) return undefined
    copy[i] = item
  }
  return copy
}

function copyObject(value: object, depth: number): Json | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const copy: { [key: string]: unknown } = { ...value }
  for (const key of Object.keys(copy)) {
    const item = copy[key]
    if (key.length >= SHORTEST_FORBIDDEN && FORBIDDEN_LENGTHS.has(key.length) && FORBIDDEN_NAMES.has(key))
      return undefined
    if (typeof item === 'string') continue
    const own = plainCopy(item, depth + 1)
    if (own === undefined) return undefined
    if (own !== item) copy[key] = own
  }
  return copy as Json
}
