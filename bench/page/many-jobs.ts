import type { Page } from 'playwright-core'
import type { Ledger } from 'waybill'
import { percentile, type Row, rowOf } from '../harness.ts'
import { withFreshLedger } from '../jobs/fresh-ledger.ts'
import { ONE_STEP, requestOf } from '../jobs/requests.ts'
import type { Bench } from '../suite/bench.ts'
import { frames, withPage } from './browser.ts'

const AT_ONCE = 1000
const FRAMES = 300
const PX_PER_FRAME = 180
const ROUNDS = 5
const SMOOTH = { atMost: 50 } as const

const TABLE = '[role="table"][aria-label="Jobs"]'
const LOG = '[role="table"][aria-label="Log"] [role="rowgroup"][tabindex]'

export async function manyJobs(bench: Bench): Promise<readonly Row[]> {
  const jobs = bench.isQuick ? 10_000 : 100_000
  return withFreshLedger({ folder: bench.folder, engine: 'journal' }, async (ledger) => {
    await submitAll(ledger, jobs, bench)
    return withPage(ledger, async (page, url) => {
      bench.progress('loading')
      const loads = await loadTimes(page, url)
      bench.progress('changes')
      const shows = await changesShown(page, url, ledger, jobs)
      bench.progress('scrolling through jobs')
      await page.goto(`${url}/jobs`)
      await page.locator(`${TABLE} [role="row"]`).nth(10).waitFor()
      const list = await frames(page, TABLE, FRAMES, PX_PER_FRAME)
      bench.progress('scrolling through the history')
      await page.goto(`${url}/logs`)
      await page.locator(`${LOG} [role="row"]`).nth(10).waitFor()
      const log = await frames(page, LOG, FRAMES, -PX_PER_FRAME)
      const what = `${jobs.toLocaleString('en')} jobs`
      return [
        rowOf(`${what}: dashboard loaded`, 'ms', loads),
        rowOf(`${what}: a change shows after`, 'ms', shows, { atMost: 1000 }),
        rowOf(`${what}: frame of the list, p95`, 'ms', [percentile(list, 0.95)], SMOOTH),
        rowOf(`${what}: frame of the history, p95`, 'ms', [percentile(log, 0.95)], SMOOTH),
        rowOf('rows in the document', '', [await page.locator('[role="row"]').count()], { atMost: 200 }),
      ]
    })
  })
}

async function submitAll(ledger: Ledger, jobs: number, bench: Bench): Promise<void> {
  for (let from = 0; from < jobs; from += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, i) => ledger.jobs.submit(requestOf(from + i, ONE_STEP)))
    await Promise.all(some)
    bench.progress('submitting', from / jobs)
  }
}

async function loadTimes(page: Page, url: string): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now()
    await page.goto(url)
    await page.getByRole('heading', { name: 'Throughput and failures' }).waitFor()
    took.push(performance.now() - start)
  }
  return took
}

/** From when a job is durable until its row is there. */
async function changesShown(page: Page, url: string, ledger: Ledger, from: number): Promise<number[]> {
  await page.goto(`${url}/jobs`)
  await page.locator(`${TABLE} [role="row"]`).nth(10).waitFor()
  const took: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const { job_id } = await ledger.jobs.submit(requestOf(from + i, ONE_STEP))
    const start = performance.now()
    await page.getByText(job_id, { exact: true }).waitFor()
    took.push(performance.now() - start)
  }
  return took
}
