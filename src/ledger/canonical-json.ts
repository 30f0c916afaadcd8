import type { Json, JsonObject } from '../core/json.ts'

/** Longer texts are quoted faster by the engine, shorter ones here. */
const SHORT = 80

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** More fields than this are sorted faster by the engine. */
const FEW = 16

/** Something that RFC 8785 does not allow is in it. */
class NotCanonical extends Error {}

/**
 * Canonical JSON by RFC 8785 of plain JSON without its null fields, in one go and without looking for what plain JSON
 * cannot have. Null when it cannot be told here; then the library says why.
 */
export function canonicalJson(value: Json): string | null {
  try {
    return canonical(value)
  } catch (error) {
    if (error instanceof NotCanonical) return null
    throw error
  }
}

function canonical(value: Json): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as JsonObject)
}

function canonicalArray(items: readonly Json[]): string {
  let text = '['
  for (let i = 0; i < items.length; i++)
    text += i === 0 ? canonical(items[i] as Json) : `,${canonical(items[i] as Json)}`
  return `${text}]`
}

function canonicalObject(object: JsonObject): string {
  let text = ''
  for (const key of sortedKeys(object)) {
    const value = object[key] as Json
    if (value !== null) text += `${text === '' ? '{' : ','}${quoted(key)}:${canonical(value)}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** By UTF-16 code units, which is how strings compare. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object)
  if (keys.length > FEW) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

function quoted(text: string): string {
  if (text.length <= SHORT && isPlain(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new NotCanonical()
  return JSON.stringify(text)
}

/** Nothing in it has to be written otherwise. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH) return false
    if (code >= FIRST_SURROGATE && code <= LAST_SURROGATE) return false
  }
  return true
}
