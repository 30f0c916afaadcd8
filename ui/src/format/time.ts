// Times as people read them. Records have them in ISO 8601, the history and documents in epoch seconds.

export type Moment = string | number

/** Epoch milliseconds of an ISO text, or of epoch seconds. Seconds have them as a fraction, which may be a little less than they are. */
export function msOf(moment: Moment): number {
  return typeof moment === 'number' ? Math.round(moment * 1000) : Date.parse(moment)
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** `1d 4h`, `3m 20s`, `850ms`: the two largest units. */
export function span(ms: number): string {
  const size = Math.abs(ms)
  if (size < 1000) return `${Math.round(size)}ms`
  if (size < 10_000) return `${(size / 1000).toFixed(1)}s`
  const parts: string[] = []
  let rest = size
  for (const [name, unit] of UNITS) {
    const n = Math.floor(rest / unit)
    if (n === 0 && parts.length === 0) continue
    rest -= n * unit
    if (n > 0) parts.push(`${n}${name}`)
    if (parts.length === 2 || name === 's') break
    if (parts.length === 1 && n === 0) break
  }
  return parts.join(' ')
}

/** `just now`, `12s ago`, `in 3m`. */
export function relative(moment: Moment, now: number): string {
  const ms = now - msOf(moment)
  if (Number.isNaN(ms)) return '–'
  if (Math.abs(ms) < 1000) return 'just now'
  const text = span(Math.floor(Math.abs(ms) / 1000) * 1000).replace(/\.0s$/, 's')
  return ms < 0 ? `in ${text}` : `${text} ago`
}

/** For how long already, to the second: `12s`, `3m 20s`. */
export function age(since: Moment, now: number): string {
  const seconds = Math.max(0, Math.floor((now - msOf(since)) / 1000))
  return seconds === 0 ? '0s' : span(seconds * 1000).replace(/\.0s$/, 's')
}

export type Zone = 'local' | 'utc'

/** `2026-11-17 10:47:40.123`, and which zone. */
export function absolute(moment: Moment, zone: Zone): string {
  const ms = msOf(moment)
  if (Number.isNaN(ms)) return '–'
  if (zone === 'utc') return `${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')} UTC`
  const at = new Date(ms)
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const millis = String(at.getMilliseconds()).padStart(3, '0')
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${millis}`
}

/** `10:47:40`, for lists whose day is clear. */
export function clock(moment: Moment, zone: Zone): string {
  return absolute(moment, zone).slice(11, 19)
}
