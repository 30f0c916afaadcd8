// The course of a few numbers, as small as a word.

export interface SparkSize {
  readonly width: number
  readonly height: number
}

/** SVG points from left to right, the highest at the top; nothing at all is a line at the bottom. */
export function sparklinePoints(values: readonly number[], { width, height }: SparkSize): string {
  const highest = Math.max(1, ...values)
  const apart = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, i) => `${round(i * apart)},${round(height - (value / highest) * height)}`)
    .join(' ')
}

/** Neighbours added up, so that so many are left: single events would be lost between so few pixels. */
export function gathered(values: readonly number[], most: number): readonly number[] {
  const size = Math.ceil(values.length / most)
  if (size <= 1) return values
  const sums: number[] = []
  for (const [i, value] of values.entries()) {
    const place = Math.floor(i / size)
    sums[place] = (sums[place] ?? 0) + value
  }
  return sums
}

function round(n: number): number {
  return Math.round(n * 10) / 10
}
