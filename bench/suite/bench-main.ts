// What `npm run bench:…` does with a list of benchmarks: runs each in a process of its own, and shows and keeps what they say.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../scripts/command.ts'
import { isMet, tableOf } from '../harness.ts'
import type { Benchmark } from './bench.ts'
import { type Result, removeLeftovers, runBenchmark } from './run-in-child.ts'
import { StatusLine } from './status-line.ts'

export interface BenchSuite {
  /** As in `npm run bench:<name>`. */
  readonly name: string
  readonly about: string
  /** How long it takes. */
  readonly full: string
  readonly quick: string
  readonly benchmarks: readonly Benchmark[]
  /** What else there is to say. */
  readonly notes?: string
  /** Called before the first. */
  readonly prepare?: () => void
}

export async function benchMain(suite: BenchSuite): Promise<number> {
  const { values: options, positionals: names } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  })
  if (options.help) {
    console.log(helpOf(suite))
    return 0
  }
  const { benchmarks } = suite
  const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name))
  if (unknown.length > 0) {
    const known = benchmarks.map(({ name }) => name).join(', ')
    console.error(`There is no benchmark ${unknown.join(', ')}. The benchmarks are: ${known}`)
    return 2
  }
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))
  suite.prepare?.()
  removeLeftovers()
  const status = new StatusLine(chosen.length)
  const results: Result[] = []
  for (const { name } of chosen) {
    status.start(name)
    results.push(await runBenchmark(name, options.quick, (doing, part) => status.show(doing, part)))
  }
  status.end()
  console.log(tableOf(results))
  report(results, { isQuick: options.quick, file: reportOf(suite) })
  for (const { name, error } of results) if (error !== null) console.error(`\n${name} failed:\n${error}`)
  return results.some(({ error }) => error !== null) ? 1 : 0
}

function reportOf({ name }: BenchSuite): string {
  return join(ROOT, '.reports', `bench-${name}.json`)
}

function helpOf(suite: BenchSuite): string {
  const { name, about, full, quick, benchmarks, notes } = suite
  const command = `npm run bench:${name}`
  const some = benchmarks.slice(0, 2).map((one) => one.name)
  const lines: readonly (readonly [string, string])[] = [
    [command, `everything, ${full}`],
    [`${command} -- --quick`, `smaller and fewer rounds, ${quick}`],
    [`${command} -- ${some.join(' ')}`, 'only these'],
    [`${command} -- --help`, 'this'],
  ]
  const width = Math.max(...lines.map(([line]) => line.length)) + 3
  return `${about}

${lines.map(([line, what]) => `  ${line.padEnd(width)}${what}`).join('\n')}

Benchmarks:

${benchmarks.map((one) => `  ${one.name.padEnd(22)}${one.about}`).join('\n')}

How to read the table: a value is the median of several rounds, the spread their smallest and largest. What is
compared runs in turns in the same rounds, and a ratio is taken round by round, so a machine that is busy disturbs
both sides of it. Absolute times want a quiet machine; a wide spread says that this one is not. With --quick
the figures show that all works; only the full run is meant to be held against the targets.

${notes === undefined ? '' : `${notes} `}The same figures are written to ${relative(ROOT, reportOf(suite))}.
Everything else that it makes it removes.`
}

function report(
  results: readonly Result[],
  { isQuick, file }: { readonly isQuick: boolean; readonly file: string },
): void {
  const rows = results.flatMap((result) => result.rows)
  const promised = rows.filter((row) => isMet(row) !== null)
  const [load = 0] = loadavg()
  console.log(
    `\n${promised.filter(isMet).length} of ${promised.length} targets met${isQuick ? ' (quick: not the real sizes)' : ''}; ` +
      `${cpus().length} CPUs, load ${load.toFixed(1)}, Node ${process.versions.node}`,
  )
  const named = results.map((result) => ({
    ...result,
    rows: result.rows.map((row) => ({ ...row, met: isMet(row) })),
  }))
  const about = {
    created_at: new Date().toISOString(),
    quick: isQuick,
    node: process.versions.node,
    cpu: cpus()[0]?.model ?? null,
    cpus: cpus().length,
    load,
  }
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ ...about, results: named }, null, 2)}\n`)
}
