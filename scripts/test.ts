// `npm test` runs every suite; `npm test -- unit e2e` runs the ones named.
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { quickFolder } from '../test/fixtures/quick-folder.ts'
import { ROOT, run, seconds } from './command.ts'
import { REPORTS } from './suite-reporter.ts'
import { SUITES, type Suite } from './suites.ts'
import { countsOf, failuresOf, type SuiteReport, type SuiteResult, summary } from './test-summary.ts'

const SUITE_TIMEOUT_MS = 20 * 60_000

function chosenSuites(names: readonly string[]): readonly Suite[] {
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name))
  if (unknown.length > 0) {
    const known = SUITES.map((suite) => suite.name).join(', ')
    console.error(`There is no suite ${unknown.join(', ')}. The suites are: ${known}`)
    process.exit(2)
  }
  return names.length === 0 ? SUITES : SUITES.filter((suite) => names.includes(suite.name))
}

/**
 * Tests wait as often as they work, for servers, disks and programs, and the last file of a suite leaves most of a machine
 * idle: so several suites run side by side, two more than a small machine has cores.
 */
const SIDE_BY_SIDE = 4

function commandOf({ name, include, coverage }: Suite, isAlone: boolean): string[] {
  if (include === undefined) return ['npm', 'run', '--silent', name]
  const reporters = ['--reporter=default', '--reporter=./scripts/suite-reporter.ts']
  const workers = Math.ceil(availableParallelism() / SIDE_BY_SIDE)
  const part = isAlone ? [] : [`--maxWorkers=${workers}`]
  return ['vitest', 'run', '--project', name, ...reporters, ...part, ...(coverage ? ['--coverage'] : [])]
}

/**
 * Tests start hundreds of processes and threads from source, and each would take the types out of every file anew. What
 * is remembered would make coverage less exact.
 */
function envOf({ coverage }: Suite): NodeJS.ProcessEnv {
  const TMPDIR = temporary
  return coverage === true
    ? { TMPDIR }
    : { TMPDIR, NODE_COMPILE_CACHE: join(ROOT, '.scratch', 'compile-cache') }
}

async function runSuite(suite: Suite, isAlone: boolean): Promise<SuiteResult> {
  const reportFile = join(REPORTS, `${suite.name}.json`)
  if (!isAlone) console.log(`${suite.name} begins`)
  const { ok, ms, output } = await run(commandOf(suite, isAlone), {
    // Alone it may speak while it runs; one that makes no report is told about by what it says.
    output: isAlone && suite.include !== undefined ? 'show' : 'keep',
    timeoutMs: SUITE_TIMEOUT_MS,
    env: envOf(suite),
  })
  console.log(`\n── ${suite.name} ${'─'.repeat(60 - suite.name.length)}`)
  console.log(`${output}${suite.name}: ${ok ? 'ok' : 'FAILED'} in ${seconds(ms)}`)
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as SuiteReport)
    : undefined
  return {
    name: suite.name,
    ok,
    ms,
    counts: countsOf(ok, report),
    failures: failuresOf(ok, report, output),
    leftOut: report?.leftOut ?? [],
  }
}

async function runAll(suites: readonly Suite[]): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = []
  const left = suites.entries()
  const one = async () => {
    for (const [n, suite] of left) results[n] = await runSuite(suite, suites.length === 1)
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, one))
  return results
}

const started = performance.now()
const temporary = quickFolder('waybill-tests-')
// Servers that run as somebody else have to get in.
chmodSync(temporary, 0o755)
rmSync(REPORTS, { recursive: true, force: true })
const results = await runAll(chosenSuites(process.argv.slice(2)))
rmSync(temporary, { recursive: true, force: true })
console.log(summary(results, performance.now() - started))
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
