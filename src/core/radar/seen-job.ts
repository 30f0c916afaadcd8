// What a radar needs to know of a job or step. There may be tens of thousands of them, each with a payload: nothing else is kept.
import { jobsAmong } from '../job/ended-topic.ts'
import type { JobRecord, StepRecord } from '../job/record.ts'
import { isAhead } from '../job/waiting.ts'
import type { JobState } from '../machines/job.ts'
import type { StepState } from '../machines/step.ts'

export interface SeenJob {
  readonly tenant_id: string
  readonly job_id: string
  readonly protocol_id: string
  readonly pipeline_name: string | null
  readonly workstream_id: string | null
  readonly state: JobState
  readonly stage: string
  readonly stage_index: number
  /** When it last changed: a job that waits has done so since. */
  readonly since: string
  /** It waits on purpose: for other jobs, or for a time that is to come. */
  readonly is_held: boolean
}

/** A step that somebody has begun with. */
export interface SeenStep {
  readonly tenant_id: string
  readonly job_id: string
  readonly stage: string
  readonly stage_index: number
  readonly service: string
  readonly state: StepState
  readonly since: string
}

/** A stage that jobs of a protocol go through, and who does it. */
export interface SeenStage {
  readonly stage: string
  readonly stage_index: number
  readonly service: string
}

export function seenJob(job: JobRecord, now: number): SeenJob {
  return {
    tenant_id: job.tenant_id,
    job_id: job.job_id,
    protocol_id: job.protocol_id,
    pipeline_name: job.pipeline_name,
    workstream_id: job.workstream_id,
    state: job.state,
    stage: job.current_step_id,
    stage_index: job.current_step_index,
    since: job.updated_at,
    is_held: isHeld(job, now),
  }
}

/** Of a job whose step nobody has begun with. When its own time runs out it has waited too long, whatever for. */
function isHeld({ waits_for, run_at, ready, due_at, expires_at }: JobRecord, now: number): boolean {
  if (jobsAmong(waits_for).length > 0 || isAhead(run_at, now)) return true
  return ready === null && isAhead(due_at, now) && due_at !== expires_at
}

export function seenStep(step: StepRecord): SeenStep {
  return {
    tenant_id: step.tenant_id,
    job_id: step.job_id,
    ...seenStage(step),
    state: step.state,
    since: step.state_since,
  }
}

export function seenStage({ step_id, step_index, service }: StepRecord): SeenStage {
  return { stage: step_id, stage_index: step_index, service }
}
