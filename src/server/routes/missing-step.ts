import { notFound } from '../../core/job/not-found.ts'
import { errorOf } from '../../errors/refusal-errors.ts'

/** What the ledger itself says when there is no such job or step. */
export function missingStep(attempt: { readonly job_id: string; readonly step_id: string }): Error {
  return errorOf(notFound({ job_id: attempt.job_id, step_id: attempt.step_id }).refusal)
}
