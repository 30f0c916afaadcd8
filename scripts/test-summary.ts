// What is left of a test run when it is over: what failed and how, what was left out and why, a table of suites,
// warnings about time, and one line of totals. Often it is all that is read.
import { stripVTControlCharacters } from 'node:util'
import { seconds } from './command.ts'
import { BUDGET_MS } from './suites.ts'

const MOST_FAILURES = 10
const MOST_REASONS = 10
const MOST_LINES = 12
const LONGEST_LINE = 200

export type Counts = { passed: number; failed: number; skipped: number }

/** A test, or a file or group that did not come so far. */
export type Failure = { name: string; message: string }

/** What a suite said of itself. */
export type SuiteReport = Counts & {
  failures: readonly Failure[]
  /** The reason of each test that was skipped with one. */
  leftOut: readonly string[]
}

export type SuiteResult = {
  name: string
  ok: boolean
  ms: number
  counts: Counts
  failures: readonly Failure[]
  leftOut: readonly string[]
}

/**
 * A suite can fail without a failing test: a file that does not load, coverage below its threshold, a check.
 * It counts as one failure, so that a red run never says "0 failed".
 */
export function countsOf(ok: boolean, report: SuiteReport | undefined): Counts {
  const { passed = 0, failed = 0, skipped = 0 } = report ?? {}
  return { passed, failed: ok ? failed : Math.max(failed, 1), skipped }
}

/** A suite that failed has something to say, if only where to look. */
export function failuresOf(ok: boolean, report: SuiteReport | undefined, output: string): readonly Failure[] {
  const failures = report?.failures ?? []
  if (ok || failures.length > 0) return failures
  // What comes before it went well.
  const message = output.slice(Math.max(output.search(/^FAILED/m), 0)).trim()
  return [{ name: 'no test failed, but the suite did', message: message || 'Its output above says why.' }]
}

export function summary(results: readonly SuiteResult[], ms: number): string {
  const table = results.map(
    ({ name, ok, ms, counts }) =>
      `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds(ms).padStart(8)}  ${tests(counts)}`,
  )
  return [
    '',
    ...failing(results),
    ...leftOut(results),
    ...table,
    ...overBudget(ms),
    '',
    totals(results),
  ].join('\n')
}

function failing(results: readonly SuiteResult[]): string[] {
  const all = results.flatMap(({ name, failures }) =>
    failures.map((failure) => ({ suite: name, ...failure })),
  )
  const shown = all
    .slice(0, MOST_FAILURES)
    .flatMap(({ suite, name, message }) => [`FAILED  ${suite}: ${name}`, ...beginning(message), ''])
  const more = all.length - MOST_FAILURES
  return more > 0 ? [...shown, `and ${more} more, in the output above`, ''] : shown
}

function beginning(message: string): string[] {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const shown = lines.slice(0, MOST_LINES).map((line) => `    ${cut(line.trimEnd())}`)
  return lines.length > MOST_LINES ? [...shown, '    …'] : shown
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}

function leftOut(results: readonly SuiteResult[]): string[] {
  const reasons = results.flatMap(({ name, leftOut }) =>
    [...Map.groupBy(leftOut, (reason) => reason)].map(
      ([reason, all]) => `${name}: ${all.length} left out: ${cut(reason)}`,
    ),
  )
  const more = reasons.length - MOST_REASONS
  const shown = reasons.slice(0, MOST_REASONS)
  return reasons.length === 0 ? [] : [...shown, ...(more > 0 ? [`and for ${more} more reasons`] : []), '']
}

/** Other words than in the totals: a reader, or a script, must find only one such line. */
function tests({ passed, failed, skipped }: Counts): string {
  const parts = [
    passed > 0 ? `${passed} ok` : '',
    failed > 0 ? `${failed} failing` : '',
    skipped > 0 ? `${skipped} left out` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function overBudget(ms: number): string[] {
  if (ms <= BUDGET_MS) return []
  return [`WARNING everything took ${seconds(ms)}, over its budget of ${seconds(BUDGET_MS)}`]
}

function totals(results: readonly SuiteResult[]): string {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const { counts } of results) {
    sum.passed += counts.passed
    sum.failed += counts.failed
    sum.skipped += counts.skipped
  }
  return countsLine(sum)
}

function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
