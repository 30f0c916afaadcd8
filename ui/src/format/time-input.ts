// What a field for a time holds, and the instant that is meant by it.
import type { Zone } from './time.ts'

/** `2026-11-17T10:47:40`, as the field wants it; empty for none. */
export function inputOf(iso: string | undefined, zone: Zone): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  const offset = zone === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offset).toISOString().slice(0, 19)
}

/** In ISO 8601; null for what is no time. A time without seconds is good. */
export function isoOf(text: string, zone: Zone): string | null {
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
