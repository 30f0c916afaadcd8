// The workloads, the same for every system. How many jobs there are is found out on the way: a first few tell how fast
// the system is, and the rest is chosen so that what counts takes about as long as it should.
import { Latencies } from '../harness.ts'
import { nextPayload, type Opened, type Sort } from './system.ts'

export interface Sizes {
  /** How long what counts should take. */
  readonly ms: number
  /** How long the same is done before that: for the compiler, the connections, the caches. */
  readonly warmMs: number
  readonly maxJobs: number
  readonly leastJobs: number
}

/** Jobs per second or milliseconds, by the name of the figure. */
export type Figures = { readonly [name: string]: number }

export type Workload = (opened: Opened, sizes: Sizes) => Promise<Figures>

const CALLERS = 100
const BULK = 1000
const JOBS_PER_SECOND = 500

export const WORKLOADS: { readonly [name: string]: Workload } = {
  alone: (opened, sizes) => submitting(sizes, 1, (at) => opened.submit(nextPayload(at), 'one')),
  crowd: async (opened, { ms, warmMs }) => {
    const submit = () => opened.submit(nextPayload(), 'one')
    await callers(until(warmMs), submit)
    const start = performance.now()
    const jobs = await callers(until(ms), submit)
    return { perSecond: perSecond(jobs, start) }
  },
  bulk: (opened, sizes) => submitting(sizes, BULK, () => submitBatch(opened, BULK), sizes.maxJobs),
  drain: (opened, sizes) =>
    calibrated(sizes, async (jobs) => {
      await fill(opened, jobs)
      return worked(opened, jobs, 'one', async () => {})
    }),
  both: (opened, sizes) => calibrated(sizes, (jobs) => produceAndConsume(opened, jobs, 'one')),
  latency: async (opened, { ms, warmMs }) => {
    await steadily(opened, (warmMs * JOBS_PER_SECOND) / 1000)
    const latencies = await steadily(opened, (ms * JOBS_PER_SECOND) / 1000)
    return { p50: latencies.percentile(0.5), p99: latencies.percentile(0.99) }
  },
  steps: (opened, sizes) => calibrated(sizes, (jobs) => produceAndConsume(opened, jobs, 'three')),
}

/** One caller, who waits for each answer before the next call. */
async function submitting(
  { ms, warmMs }: Sizes,
  jobsPerCall: number,
  call: (at: number) => Promise<unknown>,
  maxJobs = Number.POSITIVE_INFINITY,
): Promise<Figures> {
  const run = async (isTime: () => boolean) => {
    let calls = 0
    while (calls === 0 || (isTime() && calls * jobsPerCall < maxJobs)) {
      await call(0)
      calls++
    }
    return calls * jobsPerCall
  }
  await run(until(warmMs))
  const start = performance.now()
  return { perSecond: perSecond(await run(until(ms)), start) }
}

/** Many callers, each of whom waits for an answer before the next call. */
async function callers(isTime: () => boolean, call: () => Promise<unknown>): Promise<number> {
  let jobs = 0
  const caller = async () => {
    while (isTime()) {
      await call()
      jobs++
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return jobs
}

function until(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() < end
}

function submitBatch(opened: Opened, jobs: number): Promise<unknown> {
  if (opened.submitMany === null) throw new Error('this system has no bulk')
  return opened.submitMany(Array.from({ length: jobs }, () => nextPayload()))
}

/** As fast as the system takes them. */
export async function fill(opened: Opened, jobs: number): Promise<void> {
  if (opened.submitMany === null) return submitCount(opened, jobs, 'one')
  for (let left = jobs; left > 0; left -= BULK) await submitBatch(opened, Math.min(BULK, left))
}

async function submitCount(opened: Opened, jobs: number, sort: Sort): Promise<void> {
  let left = jobs
  await callers(
    () => left-- > 0,
    () => opened.submit(nextPayload(), sort),
  )
}

function produceAndConsume(opened: Opened, jobs: number, sort: Sort): Promise<number> {
  return worked(opened, jobs, sort, () => submitCount(opened, jobs, sort))
}

/** Milliseconds from the start of the worker until all is done. */
async function worked(
  opened: Opened,
  count: number,
  sort: Sort,
  meanwhile: () => Promise<void>,
): Promise<number> {
  const start = performance.now()
  const working = await opened.work({ sort, count, onStart: () => {} })
  await Promise.all([working.done, meanwhile()])
  const ms = performance.now() - start
  await working.stop()
  return ms
}

/** Warming up takes so many goes at most: each is longer, as the system gets faster. */
const MOST_GOES = 4

/** The first jobs of a process are slow; those of the last go before it counts tell how many it takes. */
async function calibrated(
  { ms, warmMs, maxJobs, leastJobs: some }: Sizes,
  run: (jobs: number) => Promise<number>,
): Promise<Figures> {
  let jobs = some
  let perMs = 0
  let left = warmMs
  for (let go = 0; go === 0 || (left > 0 && go < MOST_GOES); go++) {
    if (go > 0) jobs = clamp(perMs * left, some, maxJobs)
    const took = await run(jobs)
    perMs = jobs / took
    left -= took
  }
  jobs = clamp(perMs * ms, some, maxJobs)
  return { perSecond: (jobs / (await run(jobs))) * 1000, jobs }
}

function clamp(value: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, value)))
}

function perSecond(jobs: number, start: number): number {
  return (jobs / (performance.now() - start)) * 1000
}

/** From the time at which a job is due to be submitted to the first line of its handler. */
async function steadily(opened: Opened, count: number): Promise<Latencies> {
  const latencies = new Latencies()
  const now = () => performance.timeOrigin + performance.now()
  const working = await opened.work({ sort: 'one', count, onStart: ({ at }) => latencies.add(now() - at) })
  const start = now()
  for (let nth = 0; nth < count; nth++) {
    // Each at its own time, however late the one before: a slow spell must not hide itself. A timer may be early.
    const due = start + (nth * 1000) / JOBS_PER_SECOND
    const wait = due - now()
    if (wait > 0) await new Promise((tick) => setTimeout(tick, wait))
    void opened.submit(nextPayload(Math.min(due, now())), 'one')
  }
  await working.done
  await working.stop()
  return latencies
}
