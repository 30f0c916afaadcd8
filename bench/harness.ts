// What every benchmark needs: rounds in which all contenders take turns, medians, spreads, and a table.
//
// The machine is never quiet. So whatever is to be compared runs in the same rounds, one after the other, and is
// compared round by round: what slows down a whole round slows down both sides of its ratio.

/** What is promised of a value. */
export type Target = { readonly atMost: number } | { readonly atLeast: number }

export type Unit = '×' | 'ms' | 's' | 'µs' | 'kB' | 'MB' | '/s' | '%' | ''

/** One line of the table. */
export interface Row {
  readonly what: string
  readonly unit: Unit
  readonly value: number
  /** Smallest and largest of the rounds; null when there was one only. */
  readonly spread: readonly [least: number, most: number] | null
  /** Null: measured to be known, nothing is promised. */
  readonly target: Target | null
}

/** The median of several rounds. */
export function rowOf(
  what: string,
  unit: Unit,
  rounds: readonly number[],
  target: Target | null = null,
): Row {
  const spread = rounds.length > 1 ? ([Math.min(...rounds), Math.max(...rounds)] as const) : null
  return { what, unit, value: median(rounds), spread, target }
}

/** Null when nothing is promised. */
export function isMet({ value, target }: Row): boolean | null {
  if (target === null) return null
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The smallest value that at least this part of all values does not exceed. */
export function percentile(values: readonly number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

/** Round by round. */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((value, round) => value / (theirs[round] as number))
}

type Contenders<N extends string> = { readonly [name in N]: () => number | Promise<number> }

/**
 * Lets all contenders run in every round, in turned order every other time, and answers what each said, by round. The
 * first round only warms up: the compiler, the files and the caches. `onRound` is told which part is done.
 */
export async function inTurns<N extends string>(
  rounds: number,
  contenders: Contenders<N>,
  onRound: (part: number) => void = () => {},
): Promise<{ readonly [name in N]: readonly number[] }> {
  const names = Object.keys(contenders) as N[]
  const said = Object.fromEntries(names.map((name) => [name, [] as number[]])) as { [name in N]: number[] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      // What one left behind is not for the next to clear away.
      globalThis.gc?.()
      const value = await contenders[name]()
      if (round > 0) said[name].push(value)
    }
    onRound(round / rounds)
  }
  return said
}

/** Milliseconds that something takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Many durations in milliseconds, kept without garbage: what is measured must not wait for the measuring. */
export class Latencies {
  #values = new Float64Array(1 << 12)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(2 * this.#count)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = ms
  }

  get count(): number {
    return this.#count
  }

  clear(): void {
    this.#count = 0
  }

  /** 0.5 is the median, 1 the longest. */
  percentile(part: number): number {
    return percentile(this.#values.subarray(0, this.#count), part)
  }
}

const HEADINGS = ['what', 'target', 'value', 'spread', 'met'] as const

/** One table for all benchmarks: a line of its own for each name, its rows below. */
export function tableOf(
  results: readonly { readonly name: string; readonly rows: readonly Row[] }[],
): string {
  const lines = results.flatMap(({ name, rows }) => [[name], ...rows.map(cellsOf)])
  const table = [[...HEADINGS], ...lines]
  const widths = HEADINGS.map((_, column) =>
    Math.max(...table.map((cells) => (cells.length === 1 ? 0 : (cells[column] ?? '').length))),
  )
  return table
    .map((cells) =>
      cells.length === 1
        ? `\n${cells[0]}`
        : cells
            .map((cell, column) => pad(cell, widths[column] ?? 0, column))
            .join('   ')
            .trimEnd(),
    )
    .join('\n')
}

/** Names to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  const isNumber = column > 0 && column < HEADINGS.length - 1
  return isNumber ? cell.padStart(width) : cell.padEnd(width)
}

function cellsOf(row: Row): string[] {
  const { what, unit, value, spread, target } = row
  const met = isMet(row)
  return [
    `  ${what}`,
    target === null ? '' : 'atMost' in target ? `≤ ${target.atMost} ${unit}` : `≥ ${target.atLeast} ${unit}`,
    `${figure(value)} ${unit}`.trimEnd(),
    spread === null ? '' : `${figure(spread[0])} – ${figure(spread[1])}`,
    met === null ? '' : met ? 'yes' : 'NO',
  ]
}

/** Three digits that count. */
function figure(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value)
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}
