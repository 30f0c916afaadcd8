// `npm run bench:journal`: how fast the journal is, beside what it promises. HELP says the rest.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../scripts/command.ts'
import { isMet, tableOf } from './harness.ts'
import { removeOldData } from './journal/bench-data.ts'
import { BENCHMARKS } from './journal/benchmarks.ts'
import { type Result, removeLeftovers, runBenchmark } from './journal/run-in-child.ts'
import { StatusLine } from './journal/status-line.ts'

const REPORT = join(ROOT, '.reports', 'bench-journal.json')

const HELP = `Measures the journal: how fast a ledger in a folder is, beside what it promises.

  npm run bench:journal                            everything, about 15 minutes the first time
  npm run bench:journal -- --quick                 smaller ledgers and fewer rounds, below 2 minutes
  npm run bench:journal -- transitions open-time   only these
  npm run bench:journal -- --help                  this

Benchmarks:

${BENCHMARKS.map(({ name, about }) => `  ${name.padEnd(18)}${about}`).join('\n')}

How to read the table: a value is the median of several rounds, the spread their smallest and largest. What is
compared runs in turns in the same rounds, and a ratio is taken round by round, so a machine that is busy disturbs
both sides of it. Absolute times want a quiet machine; a wide spread says that this one is not. With --quick
the figures show that all works; only the full run is meant to be held against the targets.

Large ledgers are made once and kept in .reports/bench-data/ (delete it to have them made anew). The same figures
are written to ${relative(ROOT, REPORT)}. Everything else that it makes it removes.`

const { values: options, positionals: names } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
})

if (options.help) console.log(HELP)
else process.exitCode = await main()

async function main(): Promise<number> {
  const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
  if (unknown.length > 0) {
    const known = BENCHMARKS.map(({ name }) => name).join(', ')
    console.error(`There is no benchmark ${unknown.join(', ')}. The benchmarks are: ${known}`)
    return 2
  }
  const chosen = BENCHMARKS.filter(({ name }) => names.length === 0 || names.includes(name))
  removeOldData()
  removeLeftovers()
  const status = new StatusLine(chosen.length)
  const results: Result[] = []
  for (const { name } of chosen) {
    status.start(name)
    results.push(await runBenchmark(name, options.quick, (doing, part) => status.show(doing, part)))
  }
  status.end()
  console.log(tableOf(results))
  report(results)
  for (const { name, error } of results) if (error !== null) console.error(`\n${name} failed:\n${error}`)
  return results.some(({ error }) => error !== null) ? 1 : 0
}

function report(results: readonly Result[]): void {
  const rows = results.flatMap((result) => result.rows)
  const promised = rows.filter((row) => isMet(row) !== null)
  const [load = 0] = loadavg()
  console.log(
    `\n${promised.filter(isMet).length} of ${promised.length} targets met${options.quick ? ' (quick: not the real sizes)' : ''}; ` +
      `${cpus().length} CPUs, load ${load.toFixed(1)}, Node ${process.versions.node}`,
  )
  const named = results.map((result) => ({
    ...result,
    rows: result.rows.map((row) => ({ ...row, met: isMet(row) })),
  }))
  const about = {
    created_at: new Date().toISOString(),
    quick: options.quick,
    node: process.versions.node,
    cpu: cpus()[0]?.model ?? null,
    cpus: cpus().length,
    load,
  }
  mkdirSync(join(REPORT, '..'), { recursive: true })
  writeFileSync(REPORT, `${JSON.stringify({ ...about, results: named }, null, 2)}\n`)
}
