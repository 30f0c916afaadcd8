import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { PageSession } from './page-session.ts'

interface Items<T> {
  readonly items: readonly T[]
}

type Job = { readonly tenant_id: string; readonly request_type: string }
type Why = { readonly causes: readonly { readonly cause: string }[] }

/** What whoever opens the page of the demo finds there, once the first things have happened. */
export async function livingSystem(page: PageSession) {
  await Promise.all([
    page.happened('job_id=contract-lease&kind=step&state=SUCCEEDED'),
    page.happened('job_id=contract-blank&kind=job&state=FAILED_FINAL'),
    page.happened('job_id=transfer-salaries&kind=step&state=FAILED_RETRY'),
    page.happened('id=backlog-1-slug&kind=workstream&state=succeeded'),
    page.happened('id=backlog-1-docs&kind=workstream&state=failed'),
    page.happened('job_id=scan-0001&kind=outbox&state=SENT'),
  ])
  const { items: jobs } = await page.get<Items<Job>>('/v1/jobs?tenant_id=*&order=changed&direction=desc')
  const stuck = await page.get<Items<{ doc_id: string }>>('/v1/stuck?tenant_id=*')
  const queues = await page.get<Items<{ queue: string; state: string }>>('/v1/queues')
  const schedules = await page.get<Items<{ schedule_id: string }>>('/v1/schedules?tenant_id=cascade')
  const runs = await page.get<Items<{ run_id: string; state: string }>>('/v1/runs?tenant_id=aurora')
  const { text } = await page.get<{ text: string }>('/v1/jobs/backlog-1-docs-build/logs?tenant_id=aurora')
  const causeOf = async (job_id: string) =>
    (await page.get<Why>(`/v1/jobs/${job_id}/why?tenant_id=cascade`)).causes[0]?.cause
  return {
    tenants: [...new Set(jobs.map(({ tenant_id }) => tenant_id))].sort(),
    hasToolJobs: jobs.some(({ request_type }) => request_type.startsWith('tool:')),
    atGate: await causeOf('contract-lease'),
    heldUp: await causeOf('payslips'),
    stuck: stuck.items.map(({ doc_id }) => doc_id),
    paused: queues.items.filter(({ state }) => state === 'paused').map(({ queue }) => queue),
    schedules: schedules.items.map(({ schedule_id }) => schedule_id),
    runs: runs.items.map(({ run_id, state }) => `${run_id} ${state}`).sort(),
    isLogInColour: text.includes('\u001b[31mfailed'),
  }
}

/** Processes that work below a folder, where the system tells. */
export function processesBelow(folder: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => {
    try {
      return readlinkSync(join('/proc', pid, 'cwd')).startsWith(folder)
    } catch {
      // It has ended, or is somebody else's.
      return false
    }
  })
}
