// `npm run bench:migrate`: how fast old logs are taken over, and in how much memory. HELP says the rest.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../scripts/command.ts'
import { inTurns, isMet, type Row, ratios, rowOf, tableOf } from './harness.ts'
import { writeLegacyLog } from './migrate/legacy-log.ts'
import type { Measured } from './migrate/measure.ts'
import { StatusLine } from './suite/status-line.ts'

const REPORT = join(ROOT, '.reports', 'bench-migrate.json')
const TEMPORARY = join(ROOT, '.reports', 'bench-tmp')

const HELP = `Measures ledger migrate on one processor: lines per second into another file and into a ledger, beside what it
takes to do no more than JSON.parse on the same lines; and memory for short and long logs.

  npm run bench:migrate                everything
  npm run bench:migrate -- --speed     without memory, about 6 minutes
  npm run bench:migrate -- --quick     shorter logs

Each measurement is a process of its own that may use one processor (taskset), the thread that makes snapshots
included. What is compared takes turns in the same rounds. "without waiting" leaves out the time in which others had
the processor. The same figures are written to ${relative(ROOT, REPORT)}.`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    speed: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const TARGET = { atLeast: 150_000 }

if (options.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  mkdirSync(TEMPORARY, { recursive: true })
  const folder = mkdtempSync(join(TEMPORARY, 'migrate-'))
  try {
    const results = [{ name: 'speed', rows: await speed(folder) }]
    if (!options.speed) results.push({ name: 'memory', rows: memory(folder) })
    console.log(tableOf(results))
    const about = {
      node: process.versions.node,
      cpus: cpus().length,
      load: loadavg()[0],
      quick: options.quick,
    }
    console.log(`\n${about.cpus} CPUs, load ${about.load?.toFixed(1)}, Node ${about.node}`)
    const rows = results.flatMap((result) => result.rows.map((row) => ({ ...row, met: isMet(row) })))
    writeFileSync(REPORT, `${JSON.stringify({ ...about, rows }, null, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function speed(folder: string): Promise<readonly Row[]> {
  const long = logOf(folder, options.quick ? 300_000 : 2_000_000)
  // Not more, or a snapshot would be made in between.
  const short = logOf(folder, options.quick ? 100_000 : 225_000)
  const status = new StatusLine(1)
  status.start(`${long.lines} lines`)
  const outputs: Measured[] = []
  const shorts: Measured[] = []
  const ledgers: Measured[] = []
  const { parse } = await inTurns(
    3,
    {
      parse: () => perSecond(measure('parse', long.path, '')),
      output: () => perSecond(kept(outputs, measure('output', long.path, join(folder, 'new.jsonl')))),
      short: () => perSecond(kept(shorts, measure('ledger', short.path, join(folder, 'ledger')))),
      ledger: () => perSecond(kept(ledgers, measure('ledger', long.path, join(folder, 'ledger')))),
    },
    (part) => status.show('taking turns', part),
  )
  status.end()
  // The first round warms up the disk.
  const [output, quick, ledger] = [outputs, shorts, ledgers].map((all) => all.slice(1)) as Three
  return [
    rowOf('JSON.parse of each line: the limit', '/s', parse),
    rowOf('into a file', '/s', output.map(perSecond), TARGET),
    rowOf('into a file, without waiting', '/s', output.map(perCpuSecond)),
    rowOf('into a file ÷ the limit', '×', ratios(output.map(perSecond), parse)),
    rowOf('into a ledger, a short log, durable', '/s', quick.map(perSecond), TARGET),
    rowOf('into a ledger, a short log, without waiting', '/s', quick.map(perCpuSecond)),
    rowOf('into a ledger, a long log, with snapshots', '/s', ledger.map(perSecondToTheEnd)),
  ]
}

type Three = [output: Measured[], quick: Measured[], ledger: Measured[]]

function logOf(folder: string, lines: number): { readonly path: string; readonly lines: number } {
  const path = join(folder, `speed-${lines}.jsonl`)
  writeLegacyLog(path, lines)
  return { path, lines }
}

function memory(folder: string): readonly Row[] {
  const sizes = options.quick ? [100_000, 300_000] : [100_000, 1_000_000, 5_000_000]
  return sizes.flatMap((lines) => {
    const log = join(folder, `${lines}.jsonl`)
    writeLegacyLog(log, lines)
    const output = measure('output', log, join(folder, 'new.jsonl'))
    const ledger = measure('ledger', log, join(folder, 'ledger'))
    rmSync(log)
    const count = lines.toLocaleString('en')
    return [
      rowOf(`${count} lines into a file`, 'MB', [output.rssMb]),
      rowOf(`${count} lines into a ledger`, 'MB', [ledger.rssMb]),
    ]
  })
}

function measure(what: 'parse' | 'output' | 'ledger', log: string, target: string): Measured {
  const script = join(import.meta.dirname, 'migrate/measure.ts')
  const args = ['-c', '0', process.execPath, '--conditions=waybill-source', script, what, log, target]
  const said = execFileSync('taskset', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  for (const made of [target, `${log}.backup`])
    if (made !== '') rmSync(made, { recursive: true, force: true })
  return JSON.parse(said) as Measured
}

function kept(all: Measured[], one: Measured): Measured {
  all.push(one)
  return one
}

function perSecond({ lines, streamSeconds }: Measured): number {
  return lines / streamSeconds
}

function perSecondToTheEnd({ lines, seconds }: Measured): number {
  return lines / seconds
}

function perCpuSecond({ lines, streamCpuSeconds }: Measured): number {
  return lines / streamCpuSeconds
}
