// What is left of a test run when it is over: a table of suites, warnings about time, and one line of totals.
import { seconds } from './command.ts'
import { GROUP_BUDGET_MS, type Group } from './suites.ts'

const TOTAL_BUDGET_MS = Object.values(GROUP_BUDGET_MS).reduce((sum, ms) => sum + ms, 0)

export type Counts = { passed: number; failed: number; skipped: number }

export type SuiteResult = { name: string; group: Group; ok: boolean; ms: number; counts: Counts }

/** The part of vitest's JSON report that is needed here. */
export type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
}

/**
 * A suite can fail without a failing test: a file that does not load, coverage below its threshold, a check.
 * It counts as one failure, so that a red run never says "0 failed".
 */
export function countsOf(ok: boolean, report: VitestReport | undefined): Counts {
  const failed = report?.numFailedTests ?? 0
  return {
    passed: report?.numPassedTests ?? 0,
    failed: ok ? failed : Math.max(failed, 1),
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  }
}

export function summary(results: readonly SuiteResult[]): string {
  const table = results.map(
    ({ name, ok, ms, counts }) =>
      `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds(ms).padStart(8)}  ${tests(counts)}`,
  )
  return ['', ...table, ...overBudget(results), '', totals(results)].join('\n')
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

function overBudget(results: readonly SuiteResult[]): string[] {
  const groups = Object.entries(GROUP_BUDGET_MS).map(([group, budgetMs]) => {
    const spentMs = total(results.filter((result) => result.group === group))
    return warning(group, spentMs, budgetMs)
  })
  return [...groups, warning('everything', total(results), TOTAL_BUDGET_MS)].filter((line) => line !== '')
}

function warning(what: string, spentMs: number, budgetMs: number): string {
  if (spentMs <= budgetMs) return ''
  return `WARNING ${what} took ${seconds(spentMs)}, over its budget of ${seconds(budgetMs)}`
}

function total(results: readonly SuiteResult[]): number {
  return results.reduce((sum, { ms }) => sum + ms, 0)
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
