// `npm run bench:peers`: Waybill beside other systems that take and do jobs, on the same machine in the same run.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../scripts/command.ts'
import { isMet } from '../harness.ts'
import { StatusLine } from '../suite/status-line.ts'
import { SYSTEMS, type System, type WorkloadName } from './catalogue.ts'
import { COLUMNS } from './report/figures.ts'
import { writeReport } from './report/json.ts'
import { figuresTable, leftOutLines, targetsTable } from './report/terminal.ts'
import { versionsOf } from './report/versions.ts'
import { type Plan, runRounds } from './run-rounds.ts'
import { canBeAlone, isAlone, runAlone } from './servers/alone.ts'
import { Places, serverVersion } from './servers/places.ts'
import { redisVersion } from './servers/redis.ts'
import { checkTargets } from './targets.ts'

const WORKLOADS = [...new Set(COLUMNS.map(({ workload }) => workload))]
const SIZES = {
  full: { rounds: 3, sizes: { ms: 1200, maxJobs: 100_000 }, historyJobs: 100_000 },
  quick: { rounds: 2, sizes: { ms: 250, maxJobs: 20_000 }, historyJobs: 10_000 },
} as const

const HELP = `Measures Waybill and other systems that take and do jobs, in turns, in the same run: docs/benchmarks.md

  npm run bench:peers                              everything, below 25 minutes
  npm run bench:peers -- --quick                   smaller and fewer rounds, below 4 minutes
  npm run bench:peers -- --only waybill,bullmq     only systems whose names begin so
  npm run bench:peers -- --workload drain,both     only these workloads
  npm run bench:peers -- --json report.json        where the figures are written, with every round
  npm run bench:peers -- --docs                    also brings docs/benchmarks.md and its chart up to date

Systems:    ${SYSTEMS.map(({ name }) => name).join(', ')}
Workloads:  ${WORKLOADS.join(', ')}`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      workload: { type: 'string' },
      json: { type: 'string', default: join(ROOT, '.reports', 'bench-peers.json') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (options.help) {
    console.log(HELP)
    return 0
  }
  const asked = SYSTEMS.filter(({ name }) => isAsked(name, options.only))
  const workloads = WORKLOADS.filter((name) => isAsked(name, options.workload))
  if (asked.length === 0 || workloads.length === 0) {
    console.error(`Nothing to measure.\n\n${HELP}`)
    return 2
  }
  if (!isAlone()) {
    // What has to be fetched is fetched while there still is a network.
    if (asked.some(({ server }) => server?.startsWith('redis') === true)) redisVersion()
    if (canBeAlone()) return runAlone()
  }
  // Users get the built package, and so does this.
  execFileSync('node', ['scripts/build.ts'], { cwd: ROOT, stdio: 'ignore' })
  const places = new Places()
  const interrupted = () => void places.end().finally(() => process.exit(130))
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', interrupted)
  try {
    return await measureAll({ asked, workloads, isQuick: options.quick, json: options.json }, places)
  } finally {
    await places.end()
  }
}

interface Asked {
  readonly asked: readonly System[]
  readonly workloads: readonly WorkloadName[]
  readonly isQuick: boolean
  readonly json: string
}

async function measureAll({ asked, workloads, isQuick, json }: Asked, places: Places): Promise<number> {
  const began = performance.now()
  const servers = await serverVersions(asked)
  const systems = asked.filter(({ server }) => server === null || 'version' in (servers.get(server) ?? {}))
  const plan: Plan = { systems, workloads, ...SIZES[isQuick ? 'quick' : 'full'] }
  let status: StatusLine | null = null
  const results = await runRounds(plan, places, {
    begin: (total) => {
      status = new StatusLine(total)
    },
    doing: (what) => status?.start(what),
    done: () => {},
  })
  ;(status as StatusLine | null)?.end()
  for (const system of asked) {
    const server = system.server === null ? undefined : servers.get(system.server)
    const version = server !== undefined && 'version' in server ? server.version : null
    console.log(
      `${system.title}: ${[...versionsOf(system), ...(version === null ? [] : [version])].join(', ')}`,
    )
    console.log(`    ${system.settings}`)
    if (server !== undefined && 'missing' in server) console.log(`    LEFT OUT: ${server.missing}`)
  }
  console.log(`\n${figuresTable(systems, results)}`)
  console.log(`\n${targetsTable(results)}`)
  const rows = checkTargets(results)
  console.log(
    `\n${rows.filter(isMet).length} of ${rows.length} targets met${isQuick ? ' (quick: not the real sizes)' : ''}`,
  )
  const missing = leftOutLines(systems, results)
  if (missing.length > 0) console.log(`\nNot measured:\n${missing.join('\n')}`)
  const seconds = Math.round((performance.now() - began) / 1000)
  writeReport(json, { plan, results, isQuick, seconds })
  console.log(`\n${seconds} s; the figures of every round are in ${json}`)
  return missing.some((line) => line.includes('FAILED')) ? 1 : 0
}

async function serverVersions(systems: readonly System[]) {
  const names = new Set(systems.flatMap(({ server }) => (server === null ? [] : [server])))
  const versions = new Map<string, Awaited<ReturnType<typeof serverVersion>>>()
  for (const name of names) versions.set(name, await serverVersion(name))
  return versions
}

/** By the beginning of the name. */
function isAsked(name: string, filter: string | undefined): boolean {
  return filter === undefined || filter.split(',').some((part) => name.startsWith(part.trim()))
}
