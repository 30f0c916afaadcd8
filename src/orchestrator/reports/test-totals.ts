/** How many tests there were, as a test runner has it. */
export interface TestTotals {
  readonly framework: 'pytest' | 'vitest' | 'jest' | 'node:test' | 'go'
  /** Without `-v`, go tells of packages only. */
  readonly unit: 'test' | 'package'
  readonly passed: number
  /** Errors and what was cut off included. */
  readonly failed: number
  /** Those still to be written included, and failures that were expected to be there. */
  readonly skipped: number
  readonly total: number
  /** Read off a summary, or counted line by line: of a report that was cut off, only the first can be trusted. */
  readonly counted: 'summary' | 'lines'
}

/** Totals, and the line that they were found in. */
export interface FoundTotals {
  readonly totals: TestTotals
  readonly line: number
}

/** Finds the last totals of one framework among the lines of a report, which have no colours any more. */
export type TotalsReader = (lines: readonly string[]) => FoundTotals | null

/** More digits than any number of tests has; whoever prints them counts something else. */
const LARGEST = 1_000_000_000

/** A number that was printed; 0 where there is none. */
export function countOf(digits: string | undefined): number {
  return digits === undefined ? 0 : Math.min(Number.parseInt(digits, 10) || 0, LARGEST)
}

/** The last line that can be read so. */
export function lastLine<Read>(
  lines: readonly string[],
  read: (line: string) => Read | null,
): { readonly line: number; readonly read: Read } | null {
  for (let line = lines.length - 1; line >= 0; line--) {
    const found = read(lines[line] ?? '')
    if (found !== null) return { line, read: found }
  }
  return null
}

/** `3 passed, 1 failed` as numbers by name. Null if a part is not a number and words. */
export function namedCounts(text: string, separator: string): ReadonlyMap<string, number> | null {
  const counts = new Map<string, number>()
  for (const part of text.split(separator)) {
    const match = /^(\d{1,12}) ([a-z][a-z ]{0,30})$/.exec(part.trim())
    if (match === null) return null
    const name = match[2] ?? ''
    counts.set(name, (counts.get(name) ?? 0) + countOf(match[1]))
  }
  return counts
}

/** The sum of those that are there. */
export function sumOf(counts: ReadonlyMap<string, number>, ...names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0)
}
