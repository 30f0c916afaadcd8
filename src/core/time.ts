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

export function fromIso(iso: string): number {
  return Date.parse(iso)
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
