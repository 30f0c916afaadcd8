import { describe, expect, it } from 'vitest'
import { countsOf, failuresOf, type SuiteReport, type SuiteResult, summary } from './test-summary.ts'

const report: SuiteReport = { passed: 5, failed: 2, skipped: 2, failures: [], leftOut: [] }

function result(changes: Partial<SuiteResult>): SuiteResult {
  return {
    name: 'unit',
    ok: true,
    ms: 1500,
    counts: { passed: 3, failed: 0, skipped: 0 },
    failures: [],
    leftOut: [],
    ...changes,
  }
}

describe('counting', () => {
  it('takes the numbers from the report', () => {
    expect(countsOf(false, report)).toEqual({ passed: 5, failed: 2, skipped: 2 })
  })

  it('counts a suite that failed without a failing test as one failure', () => {
    expect(countsOf(false, { ...report, failed: 0 }).failed).toBe(1)
    expect(countsOf(false, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(countsOf(true, undefined)).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

describe('failures', () => {
  const failures = [{ name: 'a.test.ts > a test', message: 'Error: no' }]

  it('are those of the report', () => {
    expect(failuresOf(false, { ...report, failures }, 'whatever')).toEqual(failures)
    expect(failuresOf(true, report, '')).toEqual([])
    expect(failuresOf(true, undefined, '')).toEqual([])
  })

  it('are there without a failing test as well, with what was said, from the first that failed on', () => {
    const name = 'no test failed, but the suite did'
    const output = 'ok      types     1.0 s\nFAILED  tidy      0.3 s\n\nsrc/a.ts:1: a finding\n'
    expect(failuresOf(false, undefined, output)).toEqual([
      { name, message: 'FAILED  tidy      0.3 s\n\nsrc/a.ts:1: a finding' },
    ])
    const stopped = 'vitest was stopped by SIGTERM after 900.0 s\n'
    expect(failuresOf(false, undefined, stopped)).toEqual([{ name, message: stopped.trim() }])
    expect(failuresOf(false, report, '')).toEqual([{ name, message: 'Its output above says why.' }])
  })
})

describe('the summary', () => {
  const last = (results: SuiteResult[]) => summary(results, 0).split('\n').at(-1)

  it('ends with one line of totals', () => {
    const failing = result({ ok: false, counts: { passed: 1, failed: 2, skipped: 0 } })
    expect(last([result({}), failing])).toBe('4 passed, 2 failed')
    expect(last([result({ counts: { passed: 1, failed: 0, skipped: 4 } })])).toBe(
      '1 passed, 0 failed, 4 skipped',
    )
  })

  it('warns when everything takes longer than its budget, and only then', () => {
    expect(summary([result({})], 600_000)).not.toContain('WARNING')
    expect(summary([result({})], 601_000)).toContain(
      'WARNING everything took 601.0 s, over its budget of 600.0 s',
    )
  })

  it('begins with every failing test: where it is, and the first lines of what it says, without colours', () => {
    const message = `\u001b[31mError\u001b[39m: ${'x'.repeat(300)}\n\n  at a.test.ts:3:1\n${'more\n'.repeat(20)}`
    const failing = result({ ok: false, failures: [{ name: 'a.test.ts > group > a test', message }] })
    const shown = summary([result({}), failing], 0).split('\n')
    expect(shown.slice(0, 4)).toEqual([
      '',
      'FAILED  unit: a.test.ts > group > a test',
      `    Error: ${'x'.repeat(193)}…`,
      '      at a.test.ts:3:1',
    ])
    expect(shown.slice(4, 17)).toEqual([
      ...Array(10).fill('    more'),
      '    …',
      '',
      expect.stringMatching(/^ok /),
    ])
  })

  it('shows ten of them, and says how many more there are', () => {
    const failures = Array.from({ length: 13 }, (_, i) => ({ name: `test ${i}`, message: 'Error: no' }))
    const few = result({ ok: false, failures: failures.slice(0, 6) })
    const text = summary([few, result({ ok: false, failures })], 0)
    expect(text.match(/^FAILED {2}unit: test/gm)).toHaveLength(10)
    expect(text).toContain('\n\nand 9 more, in the output above\n\n')
    expect(summary([result({ ok: false, failures: failures.slice(0, 10) })], 0)).not.toContain('more')
  })

  it('says why tests were left out, once for each reason', () => {
    const leftOut = ['no zsh here', 'no fish here', 'no zsh here']
    const text = summary([result({}), result({ name: 'e2e', leftOut })], 0)
    expect(text).toContain('\ne2e: 2 left out: no zsh here\ne2e: 1 left out: no fish here\n\nok')
    const many = Array.from({ length: 12 }, (_, i) => `reason ${i}`)
    expect(summary([result({ leftOut: many })], 0)).toContain('reason 9\nand for 2 more reasons\n')
  })
})
