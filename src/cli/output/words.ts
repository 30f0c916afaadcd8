// How times, durations and sizes are told to people.
import { fromIso, toIso } from '../../core/time.ts'

/** To the second, in a form that every option for a time takes back. */
export function timeText(ms: number): string {
  return toIso(ms).replace(/\.\d+Z$/, 'Z')
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

/** The two largest units that say something: `3d 4h`, `12m 5s`, `0.250s`. */
export function durationText(seconds: number): string {
  if (seconds < 0) return `-${durationText(-seconds)}`
  if (seconds < 10) return `${Number(seconds.toFixed(3))}s`
  let left = Math.round(seconds)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    if (parts.length === 0 && left < size) continue
    const n = Math.floor(left / size)
    left -= n * size
    if (n > 0) parts.push(`${n}${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/** How long ago a time was, in whole seconds. */
export function sinceText(time: string, now: number): string {
  return durationText(Math.max(0, Math.floor((now - fromIso(time)) / 1000)))
}

/** An error by its code and what it says, as far as there are such. */
export function codedText(code: string | null, message: string | null): string | null {
  if (code === null) return message
  return message === null || message === '' ? code : `${code}: ${message}`
}

export function countText(n: number): string {
  return n.toLocaleString('en')
}

/** `1 document`, `2 documents`. */
export function countOf(n: number, one: string): string {
  return `${countText(n)} ${n === 1 ? one : manyOf(one)}`
}

export function manyOf(one: string): string {
  if (one.endsWith('y')) return `${one.slice(0, -1)}ies`
  return one.endsWith('x') ? `${one}es` : `${one}s`
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4)
  return `${(bytes / 1000 ** power).toFixed(1)} ${['', 'kB', 'MB', 'GB', 'TB'][power]}`
}
