import { countOf, lastLine, namedCounts, sumOf, type TotalsReader } from './test-totals.ts'

/** `Tests  1 failed | 2 passed | 1 skipped | 1 todo (5)`, or `Tests  no tests`. */
const SUMMARY = /^Tests {2,6}(?:(no tests)|(\d[^()]{0,300}?) \((\d{1,12})\))$/

export const readVitest: TotalsReader = (lines) => {
  const found = lastLine(lines, (line) => {
    const match = SUMMARY.exec(line.trim())
    if (match === null) return null
    const counts = match[2] === undefined ? new Map<string, number>() : namedCounts(match[2], '|')
    return counts === null ? null : { counts, total: countOf(match[3]) }
  })
  if (found === null) return null
  const { counts, total } = found.read
  const passed = sumOf(counts, 'passed', 'expected fail')
  const failed = sumOf(counts, 'failed')
  const skipped = sumOf(counts, 'skipped', 'todo')
  return {
    line: found.line,
    totals: { framework: 'vitest', unit: 'test', passed, failed, skipped, total, counted: 'summary' },
  }
}
