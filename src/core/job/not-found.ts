import { type Refused, refuse } from '../decision.ts'

/** The same answer whether it never existed or belongs to another tenant. */
export function notFound(what: 'Job' | 'Step', id: string): Refused {
  return refuse({
    code: 'NOT_FOUND',
    message: `${what} ${id} is not known here`,
    field: what === 'Job' ? 'job_id' : 'step_id',
    next: 'Check the id and the tenant it was submitted for.',
    details: { id },
  })
}
