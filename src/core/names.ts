/** Longest id anything may have; engines put ids into keys and file names. */
export const LONGEST_ID = 512

/** Names that would reach behind an object instead of into it. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Deepest nesting of anything that is stored. */
export const DEEPEST = 100

/** What is wrong with an id, if anything. Engines join ids into keys, so a control character could forge one. */
export function idProblem(value: string): string | null {
  if (isPlain(value)) return null
  if (value.trim() === '') return 'must not be blank'
  if (value.length > LONGEST_ID) return `must have at most ${LONGEST_ID} characters`
  if (!value.isWellFormed()) return 'must not have half a character'
  return hasControlCharacter(value) ? 'must not have control characters' : null
}

/** Of letters, digits and the like, as nearly all ids are: every change checks some of them. */
function isPlain(value: string): boolean {
  if (value.length === 0 || value.length > LONGEST_ID) return false
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code <= SPACE || code >= DELETE) return false
  }
  return true
}

const SPACE = 0x20
const DELETE = 0x7f

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) < 0x20 || text.charCodeAt(i) === 0x7f) return true
  return false
}
