import { jsonText } from '../../../core/json-text.ts'

/** Longer texts are quoted faster by the engine, shorter ones here. */
const SHORT = 80

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** What `JSON.stringify` makes of a text. */
export function textJson(text: string): string {
  return text.length <= SHORT && isPlain(text) ? `"${text}"` : JSON.stringify(text)
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

/** What `JSON.stringify` makes of a value that JSON can hold; nearly all that lines hold are texts and numbers. */
export function valueJson(value: unknown): string {
  if (typeof value === 'string') return textJson(value)
  if (value === null) return 'null'
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'object' ? jsonText(value) : JSON.stringify(value)
}

/** The same for an object of few fields, without the engine's preparations. */
export function objectJson(object: { readonly [field: string]: unknown }): string {
  let text = ''
  for (const field in object) {
    const value = object[field]
    if (value !== undefined) text += `${text === '' ? '{' : ','}${textJson(field)}:${valueJson(value)}`
  }
  return text === '' ? '{}' : `${text}}`
}
