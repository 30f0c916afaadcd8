import type { Json } from '../json.ts'
import type { Delivery, StepPolicy } from './protocol.ts'
import type { JobRecord, StepRecord } from './record.ts'

/** An attempt at a step that somebody has: what there is to know to do it and to report it. */
export interface Task {
  readonly tenant_id: string
  readonly job_id: string
  readonly step_id: string
  readonly attempt_no: number
  readonly lease_id: string | null
  readonly queue: string
  readonly delivery: Delivery
  readonly policy: StepPolicy
  /** The step's own part of the payload, or the whole payload. */
  readonly input: Json
}

export function taskOf({ payload }: JobRecord, step: StepRecord): Task {
  const { tenant_id, job_id, step_id, attempt_no, lease_id, queue, delivery, policy } = step
  const input = step.payload ?? payload
  return { tenant_id, job_id, step_id, attempt_no, lease_id, queue, delivery, policy, input }
}
