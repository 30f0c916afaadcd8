// `npm test` runs every suite; `npm test -- unit e2e` runs the ones named.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, seconds } from './command.ts'
import { REPORTS } from './suite-reporter.ts'
import { SUITES, type Suite } from './suites.ts'
import { countsOf, failuresOf, type SuiteReport, type SuiteResult, summary } from './test-summary.ts'

const SUITE_TIMEOUT_MS = 15 * 60_000

function chosenSuites(names: readonly string[]): readonly Suite[] {
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name))
  if (unknown.length > 0) {
    const known = SUITES.map((suite) => suite.name).join(', ')
    console.error(`There is no suite ${unknown.join(', ')}. The suites are: ${known}`)
    process.exit(2)
  }
  return names.length === 0 ? SUITES : SUITES.filter((suite) => names.includes(suite.name))
}

function commandOf({ name, include, coverage }: Suite): string[] {
  if (include === undefined) return ['npm', 'run', '--silent', name]
  const reporters = ['--reporter=default', '--reporter=./scripts/suite-reporter.ts']
  return ['vitest', 'run', '--project', name, ...reporters, ...(coverage ? ['--coverage'] : [])]
}

/**
 * Tests start hundreds of processes and threads from source, and each would take the types out of every file anew. What
 * is remembered would make coverage less exact.
 */
function rememberCode({ coverage }: Suite): void {
  if (coverage === true) delete process.env.NODE_COMPILE_CACHE
  else process.env.NODE_COMPILE_CACHE = join(ROOT, '.scratch', 'compile-cache')
}

async function runSuite(suite: Suite): Promise<SuiteResult> {
  console.log(`\n── ${suite.name} ${'─'.repeat(60 - suite.name.length)}`)
  const reportFile = join(REPORTS, `${suite.name}.json`)
  rememberCode(suite)
  const { ok, ms, output } = await run(commandOf(suite), {
    // A suite that makes no report is told about by what it says.
    output: suite.include === undefined ? 'keep' : 'show',
    timeoutMs: SUITE_TIMEOUT_MS,
  })
  console.log(`${output}${suite.name}: ${ok ? 'ok' : 'FAILED'} in ${seconds(ms)}`)
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as SuiteReport)
    : undefined
  return {
    name: suite.name,
    group: suite.group,
    ok,
    ms,
    counts: countsOf(ok, report),
    failures: failuresOf(ok, report, output),
    leftOut: report?.leftOut ?? [],
  }
}

const suites = chosenSuites(process.argv.slice(2))
rmSync(REPORTS, { recursive: true, force: true })
const results: SuiteResult[] = []
for (const suite of suites) results.push(await runSuite(suite))
console.log(summary(results))
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
