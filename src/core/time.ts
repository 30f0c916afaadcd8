/**
 * Times. The kernel reckons in epoch milliseconds; records carry ISO 8601 UTC strings of fixed width, which
 * sort as they are; documents and audit records carry epoch seconds, as their readers expect.
 */

// One commit stamps many fields with the same few instants: formatting each once is most of the saving.
const CACHED = 8
const cachedMs = new Array<number>(CACHED).fill(Number.NaN)
const cachedIso = new Array<string>(CACHED).fill('')

export function toIso(ms: number): string {
  // An instant and the deadline a round number of minutes after it must not fall on the same place.
  const place = (ms + Math.floor(ms / 10_007)) % CACHED
  if (cachedMs[place] === ms) return cachedIso[place] as string
  const iso = new Date(ms).toISOString()
  cachedMs[place] = ms
  cachedIso[place] = iso
  return iso
}

// Jobs that came, or were taken, within the same millisecond have the same time.
const READ = 64
const readIso = new Array<string>(READ).fill('')
const readMs = new Array<number>(READ).fill(Number.NaN)
const LAST_DIGITS = '2025-01-02T03:04:05.67'.length

export function fromIso(iso: string): number {
  const place = (iso.charCodeAt(LAST_DIGITS) + 10 * iso.charCodeAt(LAST_DIGITS - 1)) % READ
  if (readIso[place] === iso) return readMs[place] as number
  const ms = Date.parse(iso)
  // A text that is too short has no place.
  if (iso.length > LAST_DIGITS) {
    readIso[place] = iso
    readMs[place] = ms
  }
  return ms
}

export function toEpochSeconds(ms: number): number {
  return ms / 1000
}

/** Seconds are fractions and carry rounding errors: times are compared and subtracted in whole milliseconds. */
export function fromEpochSeconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
