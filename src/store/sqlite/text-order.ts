import type { Place } from '../place.ts'

const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/**
 * The order in which the database has texts: by code point. It is that of code units, except that a character of two units
 * comes after all characters of one.
 */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === length) return a.length - b.length
  return rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at))
}

function rankOf(unit: number): number {
  return unit < FIRST_SURROGATE ? unit : unit <= LAST_SURROGATE ? unit + LAST_SURROGATE : unit
}

/** Places in the order of the database. */
export function compareStored(a: Place, b: Place): number {
  return a.at - b.at || compareTexts(a.tenant_id, b.tenant_id) || compareTexts(a.id, b.id)
}
