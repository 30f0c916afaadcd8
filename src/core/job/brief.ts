import type { JobState } from '../machines/job.ts'
import type { JobRecord } from './record.ts'

/** As much of a job as a link to it shows. Of one that is gone only the name is known. */
export interface JobBrief {
  readonly tenant_id: string
  readonly job_id: string
  readonly state: JobState | null
  readonly request_type: string | null
  readonly current_step_id: string | null
  readonly updated_at: string | null
  readonly exists: boolean
}

export function briefOf(job: JobRecord): JobBrief {
  const { tenant_id, job_id, state, request_type, current_step_id, updated_at } = job
  return { tenant_id, job_id, state, request_type, current_step_id, updated_at, exists: true }
}

/** Of a job that retention has removed, or that never was. */
export function briefOfNone({ tenant_id, job_id }: Pick<JobBrief, 'tenant_id' | 'job_id'>): JobBrief {
  return {
    tenant_id,
    job_id,
    state: null,
    request_type: null,
    current_step_id: null,
    updated_at: null,
    exists: false,
  }
}
