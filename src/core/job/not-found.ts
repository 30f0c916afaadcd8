import { type Refused, refuse } from '../decision.ts'

/** The same answer whether the job or the step never existed, or belongs to another tenant. */
export function notFound(command: { readonly job_id: string; readonly step_id?: string }): Refused {
  const { job_id, step_id } = command
  const step = step_id === undefined ? '' : ` with step ${step_id}`
  return refuse({
    code: 'NOT_FOUND',
    message: `Job ${job_id}${step} is not known here`,
    field: 'job_id',
    next: 'Check the ids, and the tenant the job was submitted for.',
    details: { job_id },
  })
}
