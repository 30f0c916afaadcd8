// A job that ended before it came here: submitted and taken in one change, so that no worker gets it, and then reported as
// it ended. A run that is cut off between the two leaves a job that is leased; the next run reports it.
import { Unsupported } from '../../errors/input-errors.ts'
import type { Ledger } from '../ledger.ts'
import type { PipelineLike, PipelineRequest } from '../pipeline-request.ts'
import type { OldJob } from './old-record.ts'

/** What another system said of a failure is a text. */
const ERROR_CODE = 'FAILED_BEFORE_IMPORT'

interface New {
  readonly pipeline: PipelineLike
  readonly request: PipelineRequest
  readonly reason: string
}

/** Makes it, and holds it. */
export async function submitHeld(into: Ledger, job: OldJob, made: New): Promise<void> {
  const { pipeline, request, reason } = made
  const { tenant_id } = request
  try {
    await into.batch((make) => [
      make.submitTo(pipeline, request, { reason }),
      make.claim(job.key, { tenant_id, reason }),
    ])
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error
    // Without batches somebody else may be quicker, and does it once more.
    await into.jobs.submit(pipeline, request, { reason })
    await into.jobs.claimJob(job.key, { tenant_id, reason })
  }
}

/** Says how it ended. */
export async function reportEnd(into: Ledger, job: OldJob, tenant_id: string): Promise<void> {
  const job_id = job.key
  const aggregate = await into.jobs.show(job_id, tenant_id)
  const step = aggregate?.steps[0]
  // Its lease ran out meanwhile: it waits for a worker like any other.
  if (step === undefined || step.state !== 'IN_PROGRESS' || step.lease_id === null) return
  const { step_id, attempt_no, lease_id } = step
  const attempt = { tenant_id: step.tenant_id, job_id, step_id, attempt_no, lease_id }
  if (job.state === 'completed') {
    await into.jobs.result(attempt, { status: 'SUCCEEDED', output: job.output })
    return
  }
  const message = job.error ?? 'It had failed, and nobody said why'
  await into.jobs.result(attempt, {
    status: 'FAILED',
    failure_class: 'NON_RETRYABLE',
    error: { code: ERROR_CODE, message },
  })
}
