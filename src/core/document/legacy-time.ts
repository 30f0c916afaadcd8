/**
 * Times as old logs have them: ISO 8601 with any fraction and with or without an offset, or a number since the epoch,
 * which may be quoted. A number says its unit by its size, since no log is from before 1973 or after 5138.
 */

/** Larger numbers are milliseconds, then microseconds, then nanoseconds. */
const LARGEST_SECONDS = 1e11

const UNITS_PER_SECOND = [1, 1e3, 1e6, 1e9] as const

/** Epoch seconds; null when it cannot be told. */
export function legacySeconds(value: unknown): number | null {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string') return null
  return isoSeconds(value) ?? fromText(value.trim())
}

function fromNumber(value: number): number | null {
  if (!(value >= 0)) return null
  for (const units of UNITS_PER_SECOND) if (value < LARGEST_SECONDS * units) return value / units
  return null
}

function fromText(text: string): number | null {
  return /^\d+(?:\.\d+)?(?:e\+?\d+)?$/i.test(text) ? fromNumber(Number(text)) : isoSeconds(text)
}

const ZERO = 48
const DATE_LENGTH = 10

// Lines come by the thousand from one day.
let knownDate = ''
let knownSeconds = 0

/** Read by hand: a log has a million of them, and `Date.parse` would take some forms for local time. */
function isoSeconds(text: string): number | null {
  const date = text.slice(0, DATE_LENGTH)
  if (date !== knownDate) {
    const seconds = dateSeconds(date)
    if (seconds === null) return null
    knownDate = date
    knownSeconds = seconds
  }
  return text.length === DATE_LENGTH ? knownSeconds : withTime(text)
}

/** `T10:20`, `T10:20:30`, `T10:20:30.5`, and what comes after; a space will do for the T. */
function withTime(text: string): number | null {
  const between = text[DATE_LENGTH]
  const hours = twoDigits(text, 11)
  const minutes = twoDigits(text, 14)
  if ((between !== 'T' && between !== ' ' && between !== 't') || text[13] !== ':') return null
  if (!(hours <= 23 && minutes <= 59)) return null
  let at = 16
  let seconds = 0
  if (text[at] === ':') {
    seconds = twoDigits(text, at + 1)
    // A leap second is the same as the one after it.
    if (!(seconds <= 60)) return null
    at += 3
  }
  let scale = 1
  if (text[at] === '.' || text[at] === ',') {
    const first = ++at
    for (let digit = digitAt(text, at); digit <= 9; digit = digitAt(text, ++at)) {
      scale /= 10
      // More digits than a number can hold say nothing.
      if (at - first < MOST_DIGITS) seconds += digit * scale
    }
    if (at === first) return null
    seconds = Math.round(seconds * ROUNDING) / ROUNDING
  }
  const offset = offsetSeconds(text, at)
  return offset === null ? null : knownSeconds + hours * 3600 + minutes * 60 + seconds - offset
}

const MOST_DIGITS = 9
const ROUNDING = 1e9

/** Naive times are UTC. */
function offsetSeconds(text: string, at: number): number | null {
  const sign = text[at]
  const left = text.length - at
  if (left === 0) return 0
  if (sign === 'Z' || sign === 'z') return left === 1 ? 0 : null
  if (sign !== '+' && sign !== '-') return null
  const hours = twoDigits(text, at + 1)
  const minutes = left === 3 ? 0 : twoDigits(text, text.length - 2)
  const isWhole = left === 3 || left === 5 || (left === 6 && text[at + 3] === ':')
  if (!isWhole || !(hours <= 23 && minutes <= 59)) return null
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
}

function dateSeconds(date: string): number | null {
  const year = twoDigits(date, 0) * 100 + twoDigits(date, 2)
  const month = twoDigits(date, 5)
  const day = twoDigits(date, 8)
  if (date[4] !== '-' || date[7] !== '-' || !(year >= 1970 && month >= 1 && month <= 12)) return null
  if (!(day >= 1 && day <= daysIn(year, month))) return null
  return Date.UTC(year, month - 1, day) / 1000
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** NaN when they are not digits: no comparison holds then. */
function twoDigits(text: string, at: number): number {
  const tens = digitAt(text, at)
  const ones = digitAt(text, at + 1)
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** NaN where there is none. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO
  return digit >= 0 ? digit : Number.NaN
}
