import { stripVTControlCharacters } from 'node:util'
import { readGoTest } from './go-test.ts'
import { readJest } from './jest.ts'
import { readNodeTest } from './node-test.ts'
import { readPytest } from './pytest.ts'
import type { FoundTotals, TestTotals } from './test-totals.ts'
import { readVitest } from './vitest.ts'

/** Only the end of a longer text is read: that is where sums are. */
const LONGEST_TEXT = 1_000_000

/** A line that is longer sums nothing up. */
const LONGEST_LINE = 10_000

const READERS = [readPytest, readVitest, readJest, readNodeTest, readGoTest]

/**
 * The totals of a test run, from whatever it printed; null when no report is known again. Where several runs printed one,
 * the last counts.
 */
export function readTestTotals(text: string): TestTotals | null {
  // A carriage return begins a line again, as progress bars do.
  const lines = stripVTControlCharacters(text.slice(-LONGEST_TEXT))
    .split(/\r\n|\n|\r/)
    .map((line) => (line.length > LONGEST_LINE ? '' : line))
  const found = READERS.flatMap((read) => read(lines) ?? [])
  return found.reduce<FoundTotals | null>(later, null)?.totals ?? null
}

function later(a: FoundTotals | null, b: FoundTotals): FoundTotals {
  return a === null || b.line > a.line ? b : a
}
