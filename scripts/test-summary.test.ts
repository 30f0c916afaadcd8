import { describe, expect, it } from 'vitest'
import { countsOf, type SuiteResult, summary } from './test-summary.ts'

const report = { numPassedTests: 5, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 }

function result(changes: Partial<SuiteResult>): SuiteResult {
  return {
    name: 'unit',
    group: 'unit and conformance',
    ok: true,
    ms: 1500,
    counts: { passed: 3, failed: 0, skipped: 0 },
    ...changes,
  }
}

describe('counting', () => {
  it('takes the numbers from the report', () => {
    expect(countsOf(false, report)).toEqual({ passed: 5, failed: 2, skipped: 2 })
  })

  it('counts a suite that failed without a failing test as one failure', () => {
    expect(countsOf(false, { ...report, numFailedTests: 0 }).failed).toBe(1)
    expect(countsOf(false, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(countsOf(true, undefined)).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

describe('the summary', () => {
  const last = (results: SuiteResult[]) => summary(results).split('\n').at(-1)

  it('ends with one line of totals', () => {
    const failing = result({ ok: false, counts: { passed: 1, failed: 2, skipped: 0 } })
    expect(last([result({}), failing])).toBe('4 passed, 2 failed')
    expect(last([result({ counts: { passed: 1, failed: 0, skipped: 4 } })])).toBe(
      '1 passed, 0 failed, 4 skipped',
    )
  })

  it('warns when a group takes longer than its budget, and only then', () => {
    const slow = result({ ms: 100_000 })
    expect(summary([slow])).not.toContain('WARNING')
    expect(summary([slow, slow])).toContain(
      'WARNING unit and conformance took 200.0 s, over its budget of 180.0 s',
    )
  })
})
