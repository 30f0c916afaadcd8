import type { Json, JsonObject } from '../json.ts'
import type { JobRecord, StepRecord } from './record.ts'

/** What a service is told. Its field names are the ones services already know. */
export function directiveOf(job: JobRecord, step: StepRecord): JsonObject {
  return {
    jobId: job.job_id,
    tenant_id: job.tenant_id,
    stepId: step.step_id,
    protocol_id: job.protocol_id,
    step_type: step.step_type,
    attempt_no: step.attempt_no,
    lease_id: step.lease_id,
    input_ref: step.input_ref as Json,
    workspace_ref: step.workspace_ref as Json,
    output_ref: step.output_ref as Json,
    payload: step.payload ?? job.payload,
    callback_urls: job.callback_urls,
    mode: job.resolved_mode,
    lane: job.lane,
    routing_key_used: job.routing_key_used,
    correlation_id: job.correlation_id,
    traceparent: job.traceparent,
  }
}
