// `npm run bench:peers`: Waybill beside other systems that take and do jobs, on the same machine in the same run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ROOT } from '../../scripts/command.ts'
import { StatusLine } from '../suite/status-line.ts'
import type { System } from './catalogue.ts'
import { HELP, type Options, optionsOf } from './options.ts'
import { peersChart } from './report/chart.ts'
import { benchmarksPage } from './report/page.ts'
import { type Report, reportOf } from './report/report.ts'
import { figuresTable, missingLines, systemLines, targetsTable } from './report/terminal.ts'
import { runRounds } from './run-rounds.ts'
import { canBeAlone, isAlone, runAlone } from './servers/alone.ts'
import { Places, serverVersion } from './servers/places.ts'
import { redisVersion } from './servers/redis.ts'
import type { Sizes } from './workloads.ts'

const SIZES = {
  full: {
    rounds: 3,
    sizes: { ms: 1200, warmMs: 1500, maxJobs: 100_000, leastJobs: 200 },
    historyJobs: 100_000,
  },
  quick: { rounds: 2, sizes: { ms: 200, warmMs: 80, maxJobs: 10_000, leastJobs: 50 }, historyJobs: 5000 },
} as const

const PAGE = join(ROOT, 'docs', 'benchmarks.md')
const CHART = join(ROOT, 'docs', 'images', 'peers.svg')

process.exitCode = await main()

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2))
  if (options === null) {
    console.log(HELP)
    return process.argv.some((arg) => arg === '--help' || arg === '-h') ? 0 : 2
  }
  if (options.from !== null) {
    show(JSON.parse(readFileSync(options.from, 'utf8')) as Report, options)
    return 0
  }
  if (!isAlone()) {
    // What has to be fetched is fetched while there still is a network.
    if (options.asked.some(({ server }) => server?.startsWith('redis') === true)) redisVersion()
    if (canBeAlone()) return runAlone()
  }
  // Users get the built package, and so does this.
  execFileSync('node', ['scripts/build.ts'], { cwd: ROOT, stdio: 'ignore' })
  const report = await withPlaces((places) => measureAll(options, places))
  mkdirSync(dirname(resolve(options.json)), { recursive: true })
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
  show(report, options)
  console.log(`\n${report.seconds} s; the figures of every round are in ${resolve(options.json)}`)
  return report.systems.some(({ missing }) => missing.some(({ failed }) => failed)) ? 1 : 0
}

async function withPlaces<T>(use: (places: Places) => Promise<T>): Promise<T> {
  const places = new Places()
  const interrupted = () => void places.end().finally(() => process.exit(130))
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', interrupted)
  try {
    return await use(places)
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
    await places.end()
  }
}

async function measureAll(options: Options, places: Places): Promise<Report> {
  const { asked, workloads, isQuick, rounds } = options
  const began = performance.now()
  const servers = await serverVersions(asked)
  const systems = asked.filter(({ server }) => server === null || 'version' in (servers.get(server) ?? {}))
  const size = SIZES[isQuick ? 'quick' : 'full']
  const sizes = options.seconds === null ? size.sizes : forLonger(size.sizes, options.seconds)
  const plan = { systems, workloads, ...size, sizes, rounds: rounds ?? size.rounds }
  const status = { line: new StatusLine(0) }
  const results = await runRounds(plan, places, {
    begin: (total) => {
      status.line = new StatusLine(total)
    },
    // Where no line can be written over, one now and then will do.
    stage: (what) => {
      if (!process.stderr.isTTY)
        console.error(`[${Math.round((performance.now() - began) / 1000)} s] ${what}`)
    },
    doing: (what) => status.line.start(what),
  })
  status.line.end()
  const seconds = Math.round((performance.now() - began) / 1000)
  return reportOf({ plan, asked, results, isQuick, seconds, servers })
}

function forLonger(sizes: Sizes, seconds: number): Sizes {
  const ms = seconds * 1000
  return { ...sizes, ms, maxJobs: Math.round((sizes.maxJobs * ms) / sizes.ms) }
}

function show(report: Report, { isForDocs }: Options): void {
  console.log(systemLines(report))
  console.log(`\n${figuresTable(report)}`)
  console.log(`\n${targetsTable(report)}`)
  const missing = missingLines(report)
  if (missing.length > 0) console.log(`\nNot measured:\n${missing.join('\n')}`)
  if (!isForDocs) return
  writeFileSync(PAGE, benchmarksPage(readFileSync(PAGE, 'utf8'), report))
  execFileSync('biome', ['format', '--write', PAGE], { cwd: ROOT, stdio: 'ignore' })
  writeFileSync(CHART, peersChart(report))
  console.log(`\n${PAGE} and ${CHART} written`)
}

async function serverVersions(systems: readonly System[]) {
  const names = new Set(systems.flatMap(({ server }) => (server === null ? [] : [server])))
  const versions = new Map<string, Awaited<ReturnType<typeof serverVersion>>>()
  for (const name of names) versions.set(name, await serverVersion(name))
  return versions
}
