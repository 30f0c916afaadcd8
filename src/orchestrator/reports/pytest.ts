import { lastLine, namedCounts, sumOf, type TotalsReader } from './test-totals.ts'

/** `=== 1 failed, 2 passed in 0.12s ===`, with `-q` without the rules, and `no tests ran in 0.01s`. */
const SUMMARY = /^(?:=+ )?(\d[^=]{0,400}?|no tests ran) in \d[\d.]{0,12}s(?: \([\d:, a-z]{1,40}\))?(?: =+)?$/

/** Words that say that it is pytest who counts. */
const WORDS = /\b(?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun)$/

export const readPytest: TotalsReader = (lines) => {
  const found = lastLine(lines, (line) => {
    const text = SUMMARY.exec(line.trim())?.[1]
    if (text === undefined) return null
    if (text === 'no tests ran') return new Map<string, number>()
    const counts = namedCounts(text, ',')
    return counts !== null && [...counts.keys()].every((name) => WORDS.test(name)) ? counts : null
  })
  if (found === null) return null
  const passed = sumOf(found.read, 'passed', 'xpassed')
  const failed = sumOf(found.read, 'failed', 'error', 'errors')
  const skipped = sumOf(found.read, 'skipped', 'xfailed')
  const total = passed + failed + skipped
  return {
    line: found.line,
    totals: { framework: 'pytest', unit: 'test', passed, failed, skipped, total, counted: 'summary' },
  }
}
