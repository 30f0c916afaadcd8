import { durationMs } from '../../core/duration.ts'
import { InvalidInput } from '../../errors/input-errors.ts'

/** Larger numbers are milliseconds: as seconds they would be in the year 5138. */
const LARGEST_SECONDS = 1e11

/** Beyond it there are no dates. */
const LATEST = 8.64e15

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/**
 * A time as people write it, in epoch milliseconds: ISO 8601, of which one without an offset is UTC; epoch seconds, or
 * milliseconds; or how long ago.
 */
export function parseTime(field: string, text: string, now: number): number {
  const given = text.trim()
  const time = parseNumber(given) ?? parseAgo(given, now) ?? parseIso(given)
  if (time !== null && Math.abs(time) <= LATEST) return time
  throw new InvalidInput(
    field,
    `--${field} ${JSON.stringify(text)} is not a time`,
    'Write 2025-10-03T12:00:00Z, 2025-10-03, 1759492800 (epoch seconds), or how long ago: 30m, 2h, 7d.',
  )
}

function parseNumber(text: string): number | null {
  if (!/^\d+(?:\.\d+)?$/.test(text)) return null
  const number = Number(text)
  return number > LARGEST_SECONDS ? Math.round(number) : Math.round(number * 1000)
}

function parseAgo(text: string, now: number): number | null {
  const ms = durationMs(text)
  return ms === null ? null : now - ms
}

function parseIso(text: string): number | null {
  const found = ISO.exec(text)
  if (found === null) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', zone = 'Z'] = found
  const date = `${year}-${month}-${day}`
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // There is no 30th of February, but a lenient calendar has one.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  const ms = Math.floor(Number(`0.${fraction}`) * 1000)
  const time = Date.parse(`${date}T${hour}:${minute}:${second}.${String(ms).padStart(3, '0')}${offset}`)
  return Number.isNaN(time) ? null : time
}
