import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTestTotals } from './read-test-totals.ts'

const NONE = { unit: 'test', passed: 0, failed: 0, skipped: 0, total: 0, counted: 'summary' } as const

/** Printed by jest 30.5.2, shortened. */
const JEST = `FAIL ./a.test.js
  ● b

    expect(received).toBe(expected) // Object.is equality

    Expected: 2
    Received: 1

      at Object.toBe (a.test.js:1:43)

PASS ./b.test.js

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total
Snapshots:   0 total
Time:        1.276 s
Ran all test suites.
`

/** In the forms that go documents: with -v, without, and with -json. */
const GO_VERBOSE = `=== RUN   TestAdd
=== RUN   TestAdd/small
--- PASS: TestAdd (0.00s)
    --- PASS: TestAdd/small (0.00s)
=== RUN   TestSub
    calc_test.go:14: got 1, want 2
--- FAIL: TestSub (0.00s)
=== RUN   TestLater
    calc_test.go:18: not yet
--- SKIP: TestLater (0.00s)
FAIL
FAIL\texample.com/calc\t0.002s
FAIL
`
const GO_PLAIN = `--- FAIL: TestSub (0.00s)
    calc_test.go:14: got 1, want 2
FAIL
FAIL\texample.com/calc\t0.002s
FAIL\texample.com/broken [build failed]
ok  \texample.com/other\t0.003s
ok  \texample.com/cached\t(cached)\tcoverage: 50.0% of statements
?   \texample.com/none\t[no test files]
FAIL
`
const GO_JSON = `{"Time":"2024-05-01T10:00:00Z","Action":"start","Package":"example.com/calc"}
{"Time":"2024-05-01T10:00:00Z","Action":"run","Package":"example.com/calc","Test":"TestAdd"}
{"Time":"2024-05-01T10:00:00Z","Action":"output","Package":"example.com/calc","Test":"TestAdd","Output":"--- PASS: TestAdd (0.00s)\\n"}
{"Time":"2024-05-01T10:00:00Z","Action":"pass","Package":"example.com/calc","Test":"TestAdd","Elapsed":0}
{"Time":"2024-05-01T10:00:00Z","Action":"fail","Package":"example.com/calc","Test":"TestSub","Elapsed":0}
{"Time":"2024-05-01T10:00:00Z","Action":"skip","Package":"example.com/calc","Test":"TestLater","Elapsed":0}
{"Time":"2024-05-01T10:00:00Z","Action":"fail","Package":"example.com/calc","Elapsed":0.002}
`

const NODE_SPEC = ['tests 5', 'suites 1', 'pass 1', 'fail 1', 'cancelled 1', 'skipped 1', 'todo 1']

describe('totals of tests', () => {
  it.each([
    [
      '== 1 failed, 2 passed, 3 skipped, 1 warning in 0.12s ==',
      { passed: 2, failed: 1, skipped: 3, total: 6 },
    ],
    [
      '1 passed, 2 xfailed, 3 xpassed, 4 errors, 5 deselected, 6 warnings in 62.10s (0:01:02)',
      { passed: 4, failed: 4, skipped: 2, total: 10 },
    ],
    ['1 failed, 9 passed, 3 rerun in 1s', { passed: 9, failed: 1, total: 10 }],
    ['no tests ran in 0.01s', {}],
    ['!!! Interrupted: 1 error during collection !!!\n=== 1 error in 0.05s ===\n', { failed: 1, total: 1 }],
  ])('pytest: %s', (text, totals) => {
    expect(readTestTotals(text)).toEqual({ ...NONE, framework: 'pytest', ...totals })
  })

  it.each([
    [
      '      Tests  1 failed | 2 passed | 1 skipped | 1 todo (5)',
      { passed: 2, failed: 1, skipped: 2, total: 5 },
    ],
    ['      Tests  1 expected fail (1)', { passed: 1, total: 1 }],
    [' Test Files  1 failed (1)\n      Tests  no tests\n', {}],
    [
      '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m7 passed\u001b[39m\u001b[22m\u001b[90m (7)\u001b[39m',
      { passed: 7, total: 7 },
    ],
  ])('vitest: %j', (text, totals) => {
    expect(readTestTotals(text)).toEqual({ ...NONE, framework: 'vitest', ...totals })
  })

  it('jest', () => {
    const totals = { framework: 'jest', passed: 3, failed: 1, skipped: 2, total: 6 }
    expect(readTestTotals(JEST)).toEqual({ ...NONE, ...totals })
  })

  it.each(['ℹ', '#'])('node:test, with %s before each number', (mark) => {
    const text = `✖ failing\n${NODE_SPEC.map((line) => `${mark} ${line}\n`).join('')}${mark} duration_ms 12.5\n`
    const totals = { framework: 'node:test', passed: 1, failed: 2, skipped: 2, total: 5 }
    expect(readTestTotals(text)).toEqual({ ...NONE, ...totals })
    expect(readTestTotals(text.replace('suites', 'sweets'))).toBeNull()
  })

  it('go, counting what it prints: each test, or packages where tests are not told', () => {
    const lines = { ...NONE, framework: 'go', counted: 'lines' }
    expect(readTestTotals(GO_VERBOSE)).toEqual({ ...lines, passed: 2, failed: 1, skipped: 1, total: 4 })
    expect(readTestTotals(GO_JSON)).toEqual({ ...lines, passed: 1, failed: 1, skipped: 1, total: 3 })
    const packages = { unit: 'package', passed: 2, failed: 2, skipped: 1, total: 5 }
    expect(readTestTotals(GO_PLAIN)).toEqual({ ...lines, ...packages })
  })

  it('are those of the last run when there were several', () => {
    expect(readTestTotals(`${JEST}1 passed in 0.1s\n`)?.framework).toBe('pytest')
    expect(readTestTotals(`1 passed in 0.1s\n${JEST}`)?.framework).toBe('jest')
    expect(readTestTotals('1 failed in 0.1s\r\n2 passed in 0.1s\r\n')).toMatchObject({ passed: 2, failed: 0 })
    expect(readTestTotals(`3 passed in 1s\n${GO_VERBOSE}`)?.framework).toBe('go')
  })

  it.each([
    ['nothing', ''],
    [
      'words that resemble a report',
      'Tests are fun\n3 apples in 2s\n# pass 3\nok then\nTests: none, 0 total',
    ],
    ['JSON that is none', '{"Action":"pass","Package":"p","Test":"T"\n{"Action":1}\n{"a":null}'],
    ['JSON that reaches behind an object', '{"Action":"constructor","Package":"p","Test":"T"}'],
    ['a line without an end', `${'9'.repeat(20_000)} passed in 1s`],
  ])('are not read out of %s', (_, text) => {
    expect(readTestTotals(text)).toBeNull()
  })

  it('are looked for at the end of a text of any length', () => {
    const flood = `${'x'.repeat(99)}\n`.repeat(50_000)
    expect(readTestTotals(`${flood}4 passed in 0.1s\n`)?.passed).toBe(4)
    expect(readTestTotals(`4 passed in 0.1s\n${flood}`)).toBeNull()
  })

  it('never fail to be looked for, and are whole numbers where there are any', () => {
    const words = [
      'Tests',
      'passed',
      'failed',
      'ok',
      'FAIL',
      '---',
      ' in 0.1s',
      '(3)',
      '|',
      ',',
      '\t',
      '# ',
      'ℹ ',
    ]
    const piece = fc.oneof(
      fc.constantFrom(...words, '\n', ' ', '=', '{"', '"Action":"pass"', '\u001b[31m', ...NODE_SPEC),
      fc.nat().map(String),
      fc.string({ unit: 'binary', maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const totals = readTestTotals(pieces.join(''))
        if (totals === null) return
        const { passed, failed, skipped, total } = totals
        for (const count of [passed, failed, skipped, total]) expect(Number.isSafeInteger(count)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
