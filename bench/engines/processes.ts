import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openLedger } from 'waybill'
import { inTurns, type Row, ratios, rowOf } from '../harness.ts'
import { BENCH_OPTIONS } from '../jobs/fresh-ledger.ts'
import { WORKLOADS } from '../jobs/workloads.ts'
import { perSecond } from '../journal/bare-lines.ts'
import type { Bench } from '../suite/bench.ts'
import { freshPlace } from './engine.ts'

const CHILD = join(import.meta.dirname, 'draining-process.ts')

/** How fast jobs that wait are done by one, two and four processes with a worker each. */
export async function processes(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 3000 : 15_000
  const said = await inTurns(
    3,
    {
      one: () => drainedBy(bench, 1, jobs),
      two: () => drainedBy(bench, 2, jobs),
      four: () => drainedBy(bench, 4, jobs),
    },
    (part) => bench.progress('draining', part),
  )
  return [
    rowOf('one process', '/s', said.one),
    rowOf('two processes', '/s', said.two),
    rowOf('four processes', '/s', said.four),
    rowOf('two ÷ one', '×', ratios(said.two, said.one)),
    rowOf('four ÷ one', '×', ratios(said.four, said.one)),
  ]
}

async function drainedBy({ folder }: Bench, count: number, jobs: number): Promise<number> {
  const place = await freshPlace('postgres', folder)
  const { schema = '' } = place.options.postgres as { readonly schema?: string }
  const ledger = await openLedger(place.url, { ...BENCH_OPTIONS, ...place.options })
  await WORKLOADS.crowd(ledger, jobs)
  const children = Array.from({ length: count }, () =>
    fork(CHILD, [place.url, schema], { execArgv: ['--conditions=waybill-source'] }),
  )
  try {
    await Promise.all(children.map((child) => once(child, 'message')))
    const start = performance.now()
    for (const child of children) child.send('go')
    await allDone(children, jobs)
    const ms = performance.now() - start
    for (const child of children) child.send('end')
    await Promise.all(children.map((child) => once(child, 'exit')))
    return perSecond(jobs, ms)
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL')
    await ledger.close()
    await place.remove()
  }
}

function allDone(children: readonly ChildProcess[], jobs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = new Map<ChildProcess, number>()
    for (const child of children) {
      child.on('message', (message: { readonly done: number }) => {
        done.set(child, message.done)
        let sum = 0
        for (const some of done.values()) sum += some
        if (sum >= jobs) resolve()
      })
    }
  })
}
