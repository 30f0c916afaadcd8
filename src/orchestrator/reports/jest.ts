import { lastLine, namedCounts, sumOf, type TotalsReader } from './test-totals.ts'

/** `Tests:       1 failed, 1 skipped, 1 todo, 3 passed, 6 total`. */
const SUMMARY = /^Tests: {1,12}(\d.{0,300} total)$/

export const readJest: TotalsReader = (lines) => {
  const found = lastLine(lines, (line) => {
    const text = SUMMARY.exec(line.trim())?.[1]
    return text === undefined ? null : namedCounts(text, ',')
  })
  if (found === null) return null
  const passed = sumOf(found.read, 'passed')
  const failed = sumOf(found.read, 'failed')
  const skipped = sumOf(found.read, 'skipped', 'todo', 'pending')
  const total = sumOf(found.read, 'total')
  return {
    line: found.line,
    totals: { framework: 'jest', unit: 'test', passed, failed, skipped, total, counted: 'summary' },
  }
}
