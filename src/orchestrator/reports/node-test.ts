import { countOf, lastLine, sumOf, type TotalsReader } from './test-totals.ts'

/** `ℹ pass 3` of the spec reporter, `# pass 3` of the tap reporter. */
const COUNT = /^[ℹ#] (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,12})$/

/** The order in which they are printed, from the first to the last. */
const BLOCK = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']

export const readNodeTest: TotalsReader = (lines) => {
  const end = lastLine(lines, (line) => (COUNT.exec(line)?.[1] === 'todo' ? true : null))
  if (end === null) return null
  const counts = new Map<string, number>()
  for (const [index, name] of BLOCK.entries()) {
    const match = COUNT.exec(lines[end.line - BLOCK.length + 1 + index] ?? '')
    if (match?.[1] !== name) return null
    counts.set(name, countOf(match[2]))
  }
  const passed = sumOf(counts, 'pass')
  const failed = sumOf(counts, 'fail', 'cancelled')
  const skipped = sumOf(counts, 'skipped', 'todo')
  const total = sumOf(counts, 'tests')
  return {
    line: end.line,
    totals: { framework: 'node:test', unit: 'test', passed, failed, skipped, total, counted: 'summary' },
  }
}
