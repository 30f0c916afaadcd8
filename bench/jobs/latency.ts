import { inTurns, Latencies, type Row, rowOf } from '../harness.ts'
import type { Bench } from '../suite/bench.ts'
import { withFreshLedger } from './fresh-ledger.ts'
import { ONE_STEP, requestOf } from './requests.ts'

const JOBS_PER_SECOND = 500

/** How long it takes from the call of `submit` to the first line of the handler, at a steady rate. */
export async function latency(bench: Bench): Promise<readonly Row[]> {
  const jobs = JOBS_PER_SECOND * (bench.isQuick ? 2 : 8)
  const percentiles = { p50: [] as number[], p99: [] as number[] }
  await inTurns(
    bench.isQuick ? 3 : 5,
    {
      steady: async () => {
        const latencies = await steadily(bench, jobs)
        percentiles.p50.push(latencies.percentile(0.5))
        percentiles.p99.push(latencies.percentile(0.99))
        return 0
      },
    },
    (part) => bench.progress(`${JOBS_PER_SECOND} jobs a second`, part),
  )
  // The first round is for warming up.
  return [
    rowOf(`submit to start at ${JOBS_PER_SECOND} jobs/s, p50`, 'ms', percentiles.p50.slice(1)),
    rowOf(`submit to start at ${JOBS_PER_SECOND} jobs/s, p99`, 'ms', percentiles.p99.slice(1)),
  ]
}

function steadily(bench: Bench, jobs: number): Promise<Latencies> {
  return withFreshLedger(bench, async (ledger) => {
    const latencies = new Latencies()
    const called = new Map<string, number>()
    const { promise, resolve } = Promise.withResolvers<void>()
    await using _worker = ledger.work(
      {
        'one-0': ({ job }) => {
          latencies.add(performance.now() - (called.get(job.job_id) ?? Number.NaN))
          if (latencies.count === jobs) resolve()
          return null
        },
      },
      { concurrency: 100 },
    )
    const start = performance.now()
    for (let nth = 0; nth < jobs; nth++) {
      // Each at its own time, however late the one before: a slow spell must not hide itself. A timer may be early.
      const due = start + (nth * 1000) / JOBS_PER_SECOND
      const wait = due - performance.now()
      if (wait > 0) await new Promise((tick) => setTimeout(tick, wait))
      const job_id = `job-${nth}`
      called.set(job_id, Math.min(due, performance.now()))
      void ledger.jobs.submit({ ...requestOf(nth, ONE_STEP), job_id })
    }
    await promise
    return latencies
  })
}
