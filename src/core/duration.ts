/** A span of time: milliseconds, or text such as `90s`, `15m` or `1h 30m`. */
export type Duration = number | string

const UNIT_MS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const WHOLE = /^(?:\d+(?:\.\d+)?\s?(?:ms|[smhdw])\s?)+$/i
const PART = /([\d.]+)\s?(ms|[smhdw])/gi

/** Milliseconds; null when it is not a span of time. */
export function durationMs(duration: Duration): number | null {
  if (typeof duration === 'number') return Number.isFinite(duration) && duration >= 0 ? duration : null
  const text = duration.trim()
  if (!WHOLE.test(text)) return null
  let ms = 0
  for (const [, number, unit = ''] of text.matchAll(PART)) {
    ms += Number(number) * (UNIT_MS[unit.toLowerCase()] as number)
  }
  return Math.round(ms)
}
