// Limits of a queue, as a form has them: texts, and a unit that suits.
import type { QueueLimits } from '../../api/queues.ts'

export const UNITS = [
  { value: 'second', ms: 1000 },
  { value: 'minute', ms: 60_000 },
  { value: 'hour', ms: 3_600_000 },
  { value: 'day', ms: 86_400_000 },
] as const

export type Unit = (typeof UNITS)[number]['value']

export interface LimitsForm {
  /** Empty for no limit. */
  readonly concurrency: string
  readonly max: string
  readonly per: string
  readonly unit: Unit
}

type Rate = NonNullable<QueueLimits['rate']>

/** The largest unit that the span is a whole number of. */
export function perOf(per_ms: number): { readonly per: string; readonly unit: Unit } {
  const unit = UNITS.findLast(({ ms }) => per_ms % ms === 0)
  return unit === undefined
    ? { per: String(per_ms / 1000), unit: 'second' }
    : { per: String(per_ms / unit.ms), unit: unit.value }
}

export function formOf({ concurrency, rate }: QueueLimits): LimitsForm {
  const per =
    rate === null || rate === undefined ? ({ per: '1', unit: 'minute' } as const) : perOf(rate.per_ms)
  return { concurrency: concurrency?.toString() ?? '', max: rate?.max.toString() ?? '', ...per }
}

/** What the form says; a text when it makes no sense. Whether it is too much is for the server to say. */
export function limitsOf({ concurrency, max, per, unit }: LimitsForm): QueueLimits | string {
  const places = wholeOrNone(concurrency)
  if (places === undefined) return 'At once: a whole number of at least 1, or nothing'
  const most = wholeOrNone(max)
  if (most === undefined) return 'Begun: a whole number of at least 1, or nothing'
  if (most === null) return { concurrency: places, rate: null }
  const ms = Math.round(Number(per) * (UNITS.find(({ value }) => value === unit)?.ms ?? 0))
  if (!(ms > 0)) return 'Within: a number above 0'
  return { concurrency: places, rate: { max: most, per_ms: ms } }
}

/** Undefined for what is neither. */
function wholeOrNone(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const n = Number(text)
  return Number.isInteger(n) && n > 0 ? n : undefined
}

/** `5 a minute`, `5 in 2 hours`. */
export function rateText({ max, per_ms }: Rate): string {
  const { per, unit } = perOf(per_ms)
  return per === '1' ? `${max} ${unit === 'hour' ? 'an' : 'a'} ${unit}` : `${max} in ${per} ${unit}s`
}
