// What happened over time, made ready to be drawn.
import type { ActivityName } from '../../../../src/core/activity.ts'
import type { Tone } from '../../../../src/core/machine.ts'
import type { Activity } from '../../../../src/ledger/activity.ts'

export interface ActivityLine {
  readonly name: ActivityName
  readonly title: string
  readonly tone: Tone
  readonly about: string
}

/** What comes in and what is done: lines one above the other, to be compared. */
export const THROUGHPUT: readonly ActivityLine[] = [
  { name: 'submitted', title: 'Submitted', tone: 'busy', about: 'Jobs that came in' },
  { name: 'succeeded', title: 'Succeeded', tone: 'good', about: 'Jobs that ended well' },
]

/** What goes wrong: bars on top of each other, to be added up. */
export const TROUBLE: readonly ActivityLine[] = [
  { name: 'failed', title: 'Failed', tone: 'bad', about: 'Jobs that failed for good' },
  { name: 'retried', title: 'Retried', tone: 'retry', about: 'Attempts that failed and are made again' },
  { name: 'refused', title: 'Refused', tone: 'waiting', about: 'Changes that no lifecycle allows' },
  { name: 'cancelled', title: 'Cancelled', tone: 'stopped', about: 'Jobs stopped on request' },
]

/** Times, and then the numbers of each line at them, as uPlot takes them. */
export type ChartData = readonly [at: readonly number[], ...lines: (readonly number[])[]]

export function totalOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** The step in which most happened; null when nothing did. */
export function peakOf(
  values: readonly number[],
  at: readonly number[],
): { readonly value: number; readonly at: number } | null {
  const value = Math.max(0, ...values)
  return value === 0 ? null : { value, at: at[values.indexOf(value)] ?? 0 }
}

export function isQuiet(activity: Activity): boolean {
  return [...THROUGHPUT, ...TROUBLE].every(({ name }) => totalOf(activity[name]) === 0)
}

/** When the last step is over. */
export function endOf({ at, step_seconds }: Pick<Activity, 'at' | 'step_seconds'>): number {
  return (at.at(-1) ?? 0) + step_seconds
}

/** A number holds for its whole step: the last one gets an end to be drawn to. */
export function asLines(activity: Activity, lines: readonly ActivityLine[]): ChartData {
  const closed = (values: readonly number[]) => [...values, values.at(-1) ?? 0]
  return [[...activity.at, endOf(activity)], ...lines.map(({ name }) => closed(activity[name]))]
}

/** Each line on top of those before it. The highest is first: what is drawn later covers what is beneath it. */
export function asStack(activity: Activity, lines: readonly ActivityLine[]): ChartData {
  const sums: number[][] = []
  for (const { name } of lines) {
    const below = sums.at(-1)
    sums.push(activity[name].map((value, i) => value + (below?.[i] ?? 0)))
  }
  return [activity.at, ...sums.reverse()]
}

export function highestOf([, ...lines]: ChartData): number {
  return Math.max(0, ...lines.flat())
}

const NICE = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]

/** The end of a scale: a round number that the highest value reaches or stays below. */
export function topOf(highest: number): number {
  if (highest <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(highest))
  return (NICE.find((n) => n * power >= highest) ?? 10) * power
}

/** Which step a moment is in, of those that there are. */
export function stepAt({ at, step_seconds }: Pick<Activity, 'at' | 'step_seconds'>, moment: number): number {
  const step = Math.floor((moment - (at[0] ?? 0)) / step_seconds)
  return Math.max(0, Math.min(at.length - 1, step))
}

/** Up to when counts may lack something, in epoch seconds; null when all is counted. */
export function incompleteUntil({
  at,
  complete_from,
}: Pick<Activity, 'at' | 'complete_from'>): number | null {
  if (complete_from === null) return null
  const moment = Date.parse(complete_from) / 1000
  return moment > (at[0] ?? 0) ? moment : null
}
