import { join } from 'node:path'
import { type Envelope, type Ledger, openLedger } from 'waybill'
import { inTurns, type Row, rowOf, timed } from '../harness.ts'
import { perSecond } from './bare-lines.ts'
import type { Bench } from './bench.ts'
import { keptLedger } from './bench-data.ts'
import { NO_SNAPSHOTS } from './no-snapshots.ts'

const CALLERS = 100
const QUEUE = 'renderer'

const PROTOCOL = {
  protocol_id: 'thumbnail.v1',
  request_type: 'THUMBNAIL',
  steps: [{ step_id: 'render', step_type: 'RENDER', service: QUEUE, delivery: 'pull' }],
} as const

/** Each asks for something else: the same request twice would be one job. */
function envelope(number: number): Envelope {
  return {
    tenant_id: 'default',
    request_type: 'THUMBNAIL',
    input_ref: `files/${number}.pdf`,
    output_ref: `files/${number}.png`,
    payload: { width: 320 },
    schema_version: 'v1',
  }
}

/** A ledger with many jobs that wait for a worker, and a snapshot of them. */
export function openJobsLedger(bench: Bench, jobs: number): Promise<string> {
  return keptLedger(`open-jobs-${jobs}`, async (folder) => {
    const ledger = await openLedger(folder, { journal: NO_SNAPSHOTS, inFlightLimit: jobs })
    ledger.jobs.register(PROTOCOL)
    for (let from = 0; from < jobs; from += CALLERS) {
      const numbers = Array.from({ length: Math.min(CALLERS, jobs - from) }, (_, n) => from + n)
      await Promise.all(numbers.map((number) => ledger.jobs.submit(envelope(number))))
      bench.progress(`submitting ${jobs.toLocaleString('en')} jobs`, from / jobs)
    }
    await ledger.compact()
    await ledger.close()
  })
}

/** Jobs per second with many callers: the whole way from submit to result, and submits alone. */
export async function jobs(bench: Bench): Promise<readonly Row[]> {
  const each = bench.isQuick ? 30 : 100
  let round = 0
  const run = (act: Act) => speedOf(join(bench.folder, `ledger-${round++}`), each, act)
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      whole: () => run(submitToResult),
      submits: () => run((ledger, number) => ledger.jobs.submit(envelope(number))),
    },
    (part) => bench.progress(`${CALLERS} callers`, part),
  )
  return [
    rowOf(`${CALLERS} callers: jobs from submit by claim to result`, '/s', said.whole),
    rowOf(`${CALLERS} callers: submits alone`, '/s', said.submits),
  ]
}

type Act = (ledger: Ledger, number: number) => Promise<unknown>

async function speedOf(folder: string, each: number, act: Act): Promise<number> {
  const settings = { inFlightLimit: Number.MAX_SAFE_INTEGER, journal: NO_SNAPSHOTS }
  await using ledger = await openLedger(folder, settings)
  ledger.jobs.register(PROTOCOL)
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        for (let nth = 0; nth < each; nth++) await act(ledger, caller * each + nth)
      }),
    ),
  )
  return perSecond(CALLERS * each, ms)
}

/** Whoever submits also works, on whatever comes first. */
async function submitToResult(ledger: Ledger, number: number): Promise<void> {
  await ledger.jobs.submit(envelope(number))
  const [work] = await ledger.jobs.claim({ queues: [QUEUE], worker: 'ada' })
  if (work === undefined) throw new Error('there is a job for everybody who submitted one')
  await ledger.jobs.result(work.step, { status: 'SUCCEEDED', output: { pages: 1 } }, { actor: 'ada' })
}
