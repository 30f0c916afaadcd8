import type { SubmitAnswer } from '../core/job/commands.ts'
import type { Json } from '../core/json.ts'
import type { JobEnds, WaitOptions } from './job-ends.ts'

/** A job that was accepted, now or before. */
export class SubmittedJob implements SubmitAnswer {
  readonly tenant_id: string
  readonly job_id: string
  readonly duplicate: boolean
  readonly differing: readonly string[]
  readonly #ends: JobEnds

  constructor({ job_id, duplicate, differing }: SubmitAnswer, tenant_id: string, ends: JobEnds) {
    this.tenant_id = tenant_id
    this.job_id = job_id
    this.duplicate = duplicate
    this.differing = differing
    this.#ends = ends
  }

  /** Waits until it has ended, and answers what its last step came to. Throws `JobFailed` when it did not succeed. */
  result(options: Omit<WaitOptions, 'tenant_id'> = {}): Promise<Json> {
    return this.#ends.result(this, options)
  }
}
