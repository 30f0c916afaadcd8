// Keys of partitions and rows. The service refuses / \ ? # and control characters in them and takes 512 characters at
// most; ids here may hold anything and be that long by themselves. So ids are written in a way that can be read back,
// and that sorts as they do:
//
//   letters, digits and most signs stand for themselves
//   every other one is the sign just before it in ASCII that is given up for this, and its own code: / is `.2f`
//   what is beyond ASCII is `}u` and its code; parts of a key stand apart by ~, which is never in one
//
// A part that becomes too long is cut, and ends with `}z` and a hash of all of it. Rows have the whole id in a column.
import { createHash } from 'node:crypto'

const SEPARATOR = '~'

/** Signs that are given up: each stands before the code of itself and of what follows it and cannot be in a key. */
const PLAIN = /^[-0-9:;<=@A-Z\]^_`a-z{|]*$/
const NOT_PLAIN = /[^-0-9:;<=@A-Z\]^_`a-z{|]/g
const ESCAPED = /}u([0-9a-f]{4})|[!.>[}]([0-9a-f]{2})/g

/** Longest part of a key: two of them and what stands around them always fit. */
const LONGEST_PART = 240
/** Where many parts make a key. */
const LONGEST_SHORT_PART = 60
const HASH_CHARS = 32

/** What stands for an empty text: it sorts before all others. */
const NOTHING = '!'

/** What a part ends with that was cut. */
const CUT = '}z'

/** An id as a part of a key. */
export function part(text: string, longest = LONGEST_PART): string {
  const escaped = escapedPart(text)
  if (escaped.length <= longest) return escaped
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS)
  return escaped.slice(0, longest - CUT.length - HASH_CHARS) + CUT + hash
}

/** The same where many parts make a key. */
export function shortPart(text: string): string {
  return part(text, LONGEST_SHORT_PART)
}

/** What a part was made of; null when it was cut. */
export function unpart(text: string): string | null {
  if (text === NOTHING) return ''
  if (isCut(text)) return null
  return text.replace(ESCAPED, (_, long: string | undefined, short: string) =>
    String.fromCharCode(Number.parseInt(long ?? short, 16)),
  )
}

/** Whether ids that begin like this one may sort otherwise than their parts do. */
export function isCut(text: string): boolean {
  return text.at(-HASH_CHARS - CUT.length) === '}' && text.at(-HASH_CHARS - 1) === 'z'
}

/** What all that is cut and begins alike has in common. */
export function uncutPrefix(text: string): string {
  return text.slice(0, text.length - HASH_CHARS - CUT.length)
}

/** Parts that are written already, side by side. */
export function key(...parts: readonly (string | number)[]): string {
  return parts.join(SEPARATOR)
}

/** Where all keys lie that begin with these parts and go on: from is included, before is not. */
export function rangeOf(...parts: readonly (string | number)[]): {
  readonly from: string
  readonly before: string
} {
  const beginning = key(...parts) + SEPARATOR
  // No part has anything as high as what stands between them.
  return { from: beginning, before: beginning + SEPARATOR }
}

/** A whole number that sorts as text. */
export function digits(number: number, width: number): string {
  return String(number).padStart(width, '0')
}

function escapedPart(text: string): string {
  // Nothing has to be something: a key begins with all of its parts, and ends with them.
  if (text === '') return NOTHING
  return PLAIN.test(text) ? text : text.replace(NOT_PLAIN, escapedSign)
}

function escapedSign(sign: string): string {
  const code = sign.charCodeAt(0)
  if (code > 0x7e) return `}u${code.toString(16).padStart(4, '0')}`
  return leadOf(code) + code.toString(16).padStart(2, '0')
}

/** The nearest sign at or before it that is given up. */
function leadOf(code: number): string {
  if (code >= 0x7d) return '}'
  if (code >= 0x5b) return '['
  if (code >= 0x3e) return '>'
  if (code >= 0x2e) return '.'
  return '!'
}
