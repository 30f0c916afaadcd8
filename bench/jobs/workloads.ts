import type { Handlers, Ledger, Protocol } from 'waybill'
import { ONE_STEP, requestOf, THREE_STEPS } from './requests.ts'

/** Who submits at once, each of whom waits for an answer before the next. */
export const CALLERS = 100

/** Commands in one batch. */
export const BULK = 1000

/** Handlers that run at once. */
const CONCURRENCY = 500

/** Does something with so many jobs on an empty ledger; answers how many milliseconds that took which count. */
export type Workload = (ledger: Ledger, jobs: number) => Promise<number>

export const WORKLOADS = {
  alone: (ledger, jobs) =>
    timed(async () => {
      for (let number = 0; number < jobs; number++) await ledger.jobs.submit(requestOf(number, ONE_STEP))
    }),
  crowd: (ledger, jobs) => timed(() => submitAll(ledger, jobs, ONE_STEP)),
  bulk: (ledger, jobs) => timed(() => inBulk(ledger, jobs)),
  drain: async (ledger, jobs) => {
    await submitAll(ledger, jobs, ONE_STEP)
    return timed(() => workAll(ledger, ONE_STEP, jobs))
  },
  /** Of jobs that somebody submitted before. */
  drainSubmitted: (ledger, jobs) => timed(() => workAll(ledger, ONE_STEP, jobs)),
  both: (ledger, jobs) => timed(() => both(ledger, jobs, ONE_STEP)),
  steps: (ledger, jobs) => timed(() => both(ledger, jobs, THREE_STEPS)),
} as const satisfies { readonly [name: string]: Workload }

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function submitAll(ledger: Ledger, jobs: number, protocol: Protocol): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < jobs) await ledger.jobs.submit(requestOf(next++, protocol))
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

async function inBulk(ledger: Ledger, jobs: number): Promise<void> {
  for (let from = 0; from < jobs; from += BULK) {
    const numbers = Array.from({ length: Math.min(BULK, jobs - from) }, (_, nth) => from + nth)
    await ledger.batch((make) => numbers.map((number) => make.submit(requestOf(number, ONE_STEP))))
  }
}

async function both(ledger: Ledger, jobs: number, protocol: Protocol): Promise<void> {
  await Promise.all([workAll(ledger, protocol, jobs), submitAll(ledger, jobs, protocol)])
}

/** Until so many jobs have come to their last step; what is left is written when the worker is stopped. */
async function workAll(ledger: Ledger, { steps }: Protocol, jobs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const last = steps.length - 1
  let done = 0
  const handlers: Handlers = Object.fromEntries(
    steps.map(({ service }, index) => [
      service,
      () => {
        if (index === last && ++done === jobs) resolve()
        return null
      },
    ]),
  )
  const worker = ledger.work(handlers, { concurrency: CONCURRENCY })
  await promise
  await worker.stop()
}
