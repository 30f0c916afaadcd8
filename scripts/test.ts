// `npm test` runs every suite; `npm test -- unit e2e` runs the ones named.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, seconds } from './command.ts'
import { SUITES, type Suite } from './suites.ts'
import { countsOf, type SuiteResult, summary, type VitestReport } from './test-summary.ts'

const REPORTS = join(ROOT, '.reports')
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

function commandOf({ name, include, coverage }: Suite, reportFile: string): string[] {
  if (include === undefined) return ['npm', 'run', '--silent', name]
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  return ['vitest', 'run', '--project', name, ...reporters, ...(coverage ? ['--coverage'] : [])]
}

async function runSuite(suite: Suite): Promise<SuiteResult> {
  console.log(`\n── ${suite.name} ${'─'.repeat(60 - suite.name.length)}`)
  const reportFile = join(REPORTS, `${suite.name}.json`)
  const { ok, ms, output } = await run(commandOf(suite, reportFile), {
    output: 'show',
    timeoutMs: SUITE_TIMEOUT_MS,
  })
  console.log(`${output}${suite.name}: ${ok ? 'ok' : 'FAILED'} in ${seconds(ms)}`)
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport)
    : undefined
  return { name: suite.name, group: suite.group, ok, ms, counts: countsOf(ok, report) }
}

const suites = chosenSuites(process.argv.slice(2))
rmSync(REPORTS, { recursive: true, force: true })
const results: SuiteResult[] = []
for (const suite of suites) results.push(await runSuite(suite))
console.log(summary(results))
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
