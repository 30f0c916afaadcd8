import type { Envelope, Ledger } from 'waybill'

/** Who submits or reports at once. */
const CALLERS = 100

/** Steps that a worker takes at once. */
const CLAIMED_AT_ONCE = 100

const BULK = 1000

function protocolOf(name: string, steps: number) {
  return {
    protocol_id: `${name.toLowerCase()}.v1`,
    request_type: name,
    steps: Array.from({ length: steps }, (_, n) => ({
      step_id: `step-${n}`,
      step_type: 'WORK',
      service: `${name.toLowerCase()}-${n}`,
      delivery: 'pull' as const,
    })),
  }
}

const ONE_STEP = protocolOf('ONE', 1)
const THREE_STEPS = protocolOf('THREE', 3)

/** About 200 bytes of payload, and each asks for something else: the same request twice would be one job. */
function envelope(number: number, request_type: string): Envelope {
  return {
    tenant_id: 'default',
    request_type,
    input_ref: `s3://bucket/input/${number}.pdf`,
    output_ref: `s3://bucket/output/${number}.json`,
    payload: {
      document: `doc:${number}`,
      language: 'en',
      pages: [1, 2, 3, 4, 5, 6, 7, 8],
      options: { ocr: true, tables: false, threshold: 0.75, model: 'layout-v3' },
      note: 'please keep the figures and the captions together, and drop the running heads',
    },
    schema_version: 'v1',
  }
}

/** Jobs per second; and what each takes of all processors, which others on the machine do not change as much. */
export interface Speed {
  readonly perSecond: number
  readonly cpuMicros: number
}

export type Workload = (ledger: Ledger, jobs: number) => Promise<Speed>

export const WORKLOADS: { readonly [name: string]: Workload } = {
  /** One caller, one at a time. */
  lone: (ledger, jobs) =>
    speed(Math.ceil(jobs / 20), async (count) => {
      for (let number = 0; number < count; number++) await ledger.jobs.submit(envelope(number, 'ONE'))
    }),
  crowd: (ledger, jobs) => speed(jobs, (count) => submitAll(ledger, count, 'ONE')),
  batch: (ledger, jobs) =>
    speed(jobs, async (count) => {
      for (let from = 0; from < count; from += BULK) {
        await ledger.batch((make) =>
          numbers(from, count).map((number) => make.submit(envelope(number, 'ONE'))),
        )
      }
    }),
  drain: async (ledger, jobs) => {
    await submitAll(ledger, jobs, 'ONE')
    return speed(jobs, (count) => work(ledger, count, queuesOf(1, 'one')))
  },
  both: (ledger, jobs) =>
    speed(jobs, async (count) => {
      await Promise.all([submitAll(ledger, count, 'ONE'), work(ledger, count, queuesOf(1, 'one'))])
    }),
  steps: (ledger, jobs) =>
    speed(Math.ceil(jobs / 3), async (count) => {
      await Promise.all([submitAll(ledger, count, 'THREE'), work(ledger, 3 * count, queuesOf(3, 'three'))])
    }),
}

export function prepare(ledger: Ledger): void {
  ledger.jobs.register(ONE_STEP)
  ledger.jobs.register(THREE_STEPS)
}

function numbers(from: number, count: number): number[] {
  return Array.from({ length: Math.min(BULK, count - from) }, (_, nth) => from + nth)
}

function queuesOf(steps: number, name: string): string[] {
  return Array.from({ length: steps }, (_, nth) => `${name}-${nth}`)
}

async function speed(jobs: number, run: (jobs: number) => Promise<unknown>): Promise<Speed> {
  const start = performance.now()
  const before = process.cpuUsage()
  await run(jobs)
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (jobs / (performance.now() - start)) * 1000, cpuMicros: (user + system) / jobs }
}

async function submitAll(ledger: Ledger, jobs: number, type: string): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (next < jobs) await ledger.jobs.submit(envelope(next++, type))
    }),
  )
}

/** Takes what there is until so many steps are done; takes the next while those taken are being reported. */
async function work(ledger: Ledger, steps: number, queues: readonly string[]): Promise<void> {
  let taken = 0
  let done = 0
  const reports = new Set<Promise<unknown>>()
  while (taken < steps) {
    const claimed = await ledger.jobs.claim({ queues, limit: CLAIMED_AT_ONCE, worker: 'ada' })
    taken += claimed.length
    if (claimed.length === 0) await new Promise(setImmediate)
    for (const { step } of claimed) {
      const report = ledger.jobs.result(step, { status: 'SUCCEEDED', output: { pages: 8 } }).then(() => {
        done++
        reports.delete(report)
      })
      reports.add(report)
    }
    // No more than two lots are out at a time, as with a worker of limited concurrency.
    if (reports.size > CLAIMED_AT_ONCE) await Promise.race(reports)
  }
  await Promise.all(reports)
  if (done !== steps) throw new Error(`${done} of ${steps} steps are done`)
}
