// Go sums nothing up: its lines are counted. With -v or -json there is a line for each test, subtests included; without,
// there are lines for packages, and for tests only where they fail.
import type { FoundTotals, TotalsReader } from './test-totals.ts'

type Ending = 'passed' | 'failed' | 'skipped'

const TEST = /^ {0,400}--- (PASS|FAIL|SKIP): \S.{0,400} \(\d[\d.]{0,12}s\)$/
const PACKAGE = /^(?:(ok)|(FAIL)|(\?)) {0,3}\t(\S{1,400})(?:\t(.{1,200})| (\[[a-z ]{1,40}\]))?$/

const BY_WORD: { readonly [word: string]: Ending } = {
  PASS: 'passed',
  FAIL: 'failed',
  SKIP: 'skipped',
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
}

export const readGoTest: TotalsReader = (lines) => {
  const packages = new Tally()
  const tests = new Tally()
  const events = new Tally()
  let isVerbose = false
  for (const [line, text] of lines.entries()) {
    if (text.startsWith('{"')) events.add(eventOf(text), line)
    else if (text.startsWith('=== RUN ')) isVerbose = true
    else {
      tests.add(BY_WORD[TEST.exec(text)?.[1] ?? ''], line)
      packages.add(packageEnding(text), line)
    }
  }
  if (events.total > 0) return events.found('test')
  // A tail may begin after the last test began; one that passed is only ever told of with -v.
  if (isVerbose || tests.passed > 0) return tests.total > 0 ? tests.found('test', packages.line) : null
  return packages.total > 0 ? packages.found('package') : null
}

function packageEnding(text: string): Ending | undefined {
  const match = PACKAGE.exec(text)
  if (match === null) return undefined
  if (match[3] !== undefined) return 'skipped'
  return match[1] === undefined ? 'failed' : 'passed'
}

/** How a test ended, of a line of `go test -json`; packages and output are other events. */
function eventOf(text: string): Ending | undefined {
  try {
    const event: unknown = JSON.parse(text)
    if (typeof event !== 'object' || event === null) return undefined
    const { Action, Test, Package } = event as { [name: string]: unknown }
    if (typeof Action !== 'string' || typeof Test !== 'string' || typeof Package !== 'string')
      return undefined
    return Object.hasOwn(BY_WORD, Action) ? BY_WORD[Action] : undefined
  } catch {
    return undefined
  }
}

class Tally {
  passed = 0
  failed = 0
  skipped = 0
  /** The last line that counted. */
  line = -1

  get total(): number {
    return this.passed + this.failed + this.skipped
  }

  add(ending: Ending | undefined, line: number): void {
    if (ending === undefined) return
    this[ending]++
    this.line = line
  }

  found(unit: 'test' | 'package', lineAfter = -1): FoundTotals {
    const { passed, failed, skipped, total } = this
    const line = Math.max(this.line, lineAfter)
    return { line, totals: { framework: 'go', unit, passed, failed, skipped, total, counted: 'lines' } }
  }
}
