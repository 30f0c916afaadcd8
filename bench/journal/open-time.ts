import { join } from 'node:path'
import { openLedger } from 'waybill'
import { inTurns, type Row, ratios, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { builtPackage } from './built-package.ts'
import { type Opened, openInChild } from './open-in-child.ts'
import { openJobsLedger } from './open-jobs-ledger.ts'
import { type Documents, settledLedger } from './settled-ledger.ts'

const MILLION = 1_000_000
const MEGABYTE = 1_000_000

const FEW: Documents = { settled: 10_000, open: 0 }

/** How long opening takes and what it leaves in memory, with many settled documents and with many open ones. */
export async function openTime(bench: Bench): Promise<readonly Row[]> {
  const many: Documents = { settled: bench.isQuick ? MILLION : 10 * MILLION, open: 0 }
  const live: Documents = { settled: 0, open: bench.isQuick ? MILLION / 5 : MILLION }
  const openJobs = bench.isQuick ? 20_000 : 100_000
  const folders = {
    empty: await emptyLedger(join(bench.folder, 'empty')),
    few: await settledLedger(bench, FEW),
    many: await settledLedger(bench, many),
    live: await settledLedger(bench, live),
    jobs: await openJobsLedger(bench, openJobs),
  }
  bench.progress('building the package')
  const built = await builtPackage()
  const opened = { empty: [], few: [], many: [], live: [], jobs: [] } as {
    [K in keyof typeof folders]: Opened[]
  }
  const open = async (which: keyof typeof folders, documents: number) => {
    const one = await openInChild(built, folders[which])
    if (one.documents !== documents) throw new Error(`${folders[which]} has ${one.documents} documents`)
    opened[which].push(one)
    return one.openMs
  }
  const said = await inTurns(
    bench.isQuick ? 5 : 11,
    {
      empty: () => open('empty', 0),
      few: () => open('few', FEW.settled),
      many: () => open('many', many.settled),
    },
    (part) => bench.progress('opening', part),
  )
  const lives = await inTurns(
    5,
    { live: () => open('live', live.open), jobs: () => open('jobs', 0) },
    (part) => bench.progress('opening what is open', part),
  )
  const perMillion = (count: number) => (ms: number) => ms / 1000 / (count / MILLION)
  const all = [...opened.empty, ...opened.few, ...opened.many]
  const settled = `${many.settled / MILLION} million settled`
  return [
    rowOf(`open, ${settled}`, 'ms', said.many, { atMost: 60 }),
    rowOf('open, 10 thousand settled', 'ms', said.few),
    rowOf('open, empty', 'ms', said.empty),
    rowOf(`open, ${settled} ÷ 10 thousand`, '×', ratios(said.many, said.few), { atMost: 1.5 }),
    rowOf(`memory (RSS), ${settled}`, 'MB', memoryOf(opened.many), { atMost: 100 }),
    rowOf('memory (RSS), empty', 'MB', memoryOf(opened.empty)),
    rowOf(`memory (RSS), ${live.open.toLocaleString('en')} open`, 'MB', memoryOf(opened.live)),
    rowOf('open, per million open documents', 's', lives.live.map(perMillion(live.open)), { atMost: 1 }),
    rowOf(
      `open, per million open jobs (from ${openJobs.toLocaleString('en')})`,
      's',
      lives.jobs.map(perMillion(openJobs)),
      { atMost: 1 },
    ),
    rowOf(
      'not counted: start of the process',
      'ms',
      all.map(({ startMs }) => startMs),
    ),
    rowOf(
      'not counted: loading the modules',
      'ms',
      all.map(({ loadMs }) => loadMs),
    ),
  ]
}

function memoryOf(opened: readonly Opened[]): readonly number[] {
  return opened.map(({ rssBytes }) => rssBytes / MEGABYTE)
}

async function emptyLedger(folder: string): Promise<string> {
  await (await openLedger(folder)).close()
  return folder
}
