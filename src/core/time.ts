/**
 * Times. The kernel reckons in epoch milliseconds; records carry ISO 8601 UTC strings of fixed width, which
 * sort as they are; documents and audit records carry epoch seconds, as their readers expect.
 */

// One commit stamps many fields with the same instant: formatting it once is most of the saving.
let lastMs = Number.NaN
let lastIso = ''

export function toIso(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastIso
}

export function fromIso(iso: string): number {
  return Date.parse(iso)
}

export function toEpochSeconds(ms: number): number {
  return ms / 1000
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
