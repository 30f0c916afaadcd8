import type { Work } from '../../src/ledger/claim.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { envelope } from './http-ledger.ts'

/** A queue that somebody has decided about, and nobody takes work from. */
export const STEERED = 'steered'

/** What each tenant has, by its ids. */
export interface Possessions {
  readonly tenant_id: string
  readonly job: string
  readonly doneJob: string
  readonly work: Work
  readonly staged: string
  readonly doc: string
  readonly run: string
  readonly workstream: string
  readonly schedule: string
}

/** Some of everything, with ids that no other tenant has. */
export async function populate(ledger: LiveLedger, tenant_id: string): Promise<Possessions> {
  const by = { tenant_id, actor: 'somebody' }
  const id = (what: string) => `${tenant_id}-${what}`
  const submit = async (what: string, request_type: string, more: object = {}) =>
    (
      await ledger.jobs.submit(
        envelope({ tenant_id, request_type, job_id: id(what), payload: { what }, ...more }) as never,
        by,
      )
    ).job_id
  await ledger.queues.limit(STEERED, { concurrency: 9 })
  await ledger.documents.updateState(id('doc'), 'fetching', by)
  await ledger.runs.create({ run_id: id('run'), metadata: { of: tenant_id } }, by)
  await ledger.workstreams.create({ workstream_id: id('ws'), run_id: id('run') }, by)
  await ledger.schedules.put(
    {
      schedule_id: id('schedule'),
      cron: '0 3 * * *',
      request: {
        request_type: 'WORK',
        input_ref: 'in',
        output_ref: 'out',
        payload: {},
        schema_version: 'v1',
      },
    },
    by,
  )
  const doneJob = await submit('done', 'WORK')
  const [done] = await ledger.jobs.claim({ queues: ['work'], tenants: [tenant_id], worker: 'w' })
  await ledger.jobs.result(attemptOf(done as Work), { status: 'SUCCEEDED', output: { secret_of: tenant_id } })
  await submit('running', 'WORK')
  const [work] = await ledger.jobs.claim({ queues: ['work'], tenants: [tenant_id], worker: 'w' })
  return {
    tenant_id,
    job: await submit('job', 'OCR', { doc_id: id('doc'), run_id: id('run'), workstream_id: id('ws') }),
    doneJob,
    work: work as Work,
    staged: await submit('staged', 'EXTERNAL'),
    doc: id('doc'),
    run: id('run'),
    workstream: id('ws'),
    schedule: id('schedule'),
  }
}

export function attemptOf({ job, step }: Pick<Work, 'job' | 'step'>) {
  const { tenant_id, job_id } = job
  const { step_id, attempt_no, lease_id } = step
  return { tenant_id, job_id, step_id, attempt_no, lease_id: lease_id as string }
}
