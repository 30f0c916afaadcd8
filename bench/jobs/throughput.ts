import type { Handlers, Ledger, Protocol } from 'waybill'
import { inTurns, type Row, rowOf, timed } from '../harness.ts'
import { perSecond } from '../journal/bare-lines.ts'
import type { Bench } from '../suite/bench.ts'
import { withFreshLedger } from './fresh-ledger.ts'
import { ONE_STEP, THREE_STEPS } from './requests.ts'
import { submitAll } from './submits.ts'

const CONCURRENCY = 100

/** Jobs per second that a worker does whose handlers do nothing: submitted beforehand, and while they are submitted. */
export async function throughput(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 4000 : 20_000
  const run = (act: (ledger: Ledger, count: number) => Promise<number>, count = jobs) =>
    withFreshLedger(bench, async (ledger) => perSecond(count, await act(ledger, count)))
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      drain: () => run(drain),
      both: () => run((ledger, count) => both(ledger, ONE_STEP, count)),
      steps: () => run((ledger, count) => both(ledger, THREE_STEPS, count), Math.ceil(jobs / 3)),
    },
    (part) => bench.progress('working', part),
  )
  return [
    rowOf('one step, submitted beforehand', '/s', said.drain),
    rowOf('one step, while they are submitted', '/s', said.both),
    rowOf('three steps, while they are submitted', '/s', said.steps),
  ]
}

async function drain(ledger: Ledger, count: number): Promise<number> {
  await submitAll(ledger, count)
  return timed(() => workAll(ledger, ONE_STEP, count))
}

function both(ledger: Ledger, protocol: Protocol, count: number): Promise<number> {
  return timed(() => Promise.all([workAll(ledger, protocol, count), submitAll(ledger, count, protocol)]))
}

/** Until so many jobs have come to their last step; what is left is written when the worker is stopped. */
async function workAll(ledger: Ledger, { steps }: Protocol, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const last = steps.length - 1
  let done = 0
  const handlers: Handlers = Object.fromEntries(
    steps.map(({ service }, index) => [
      service,
      () => {
        if (index === last && ++done === count) resolve()
        return null
      },
    ]),
  )
  const worker = ledger.work(handlers, { concurrency: CONCURRENCY })
  await promise
  await worker.stop()
}
