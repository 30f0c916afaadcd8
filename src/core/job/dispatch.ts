import { backoffMs } from '../backoff.ts'
import { must } from '../must.ts'
import type { Routing } from '../routing.ts'
import { topicOf } from '../routing.ts'
import type { StepError } from './commands.ts'
import { directiveOf } from './directive.ts'
import type { JobDraft } from './draft.ts'
import { endJob, leaveAttempt } from './finish.ts'
import { takeLimits } from './limits.ts'
import { attemptsLeft, policyOf } from './protocol.ts'
import type { OutboxRecord, StepRecord } from './record.ts'

/** Gives the step a new attempt and lease. Who carries it out, and how they hear of it, is the caller's matter. */
export function beginAttempt(draft: JobDraft, step: StepRecord, holder: string): StepRecord {
  const attempt_no = step.attempt_no + 1
  must(attemptsLeft(step) > 0, () => `step ${step.step_id} has an attempt left`)
  const lease_id = draft.given.ids.next()
  takeLimits(draft, step, lease_id)
  const begun = draft.moveStep(step.step_index, 'DISPATCHING', {
    attempt_no,
    lease_id,
    holder,
    input_ref: draft.steps[step.step_index - 1]?.result_ref ?? step.input_ref,
    retry_at: null,
    ...(step.delivery === 'push' ? routingOf(draft.job) : null),
  })
  if (draft.job.state === 'QUEUED') draft.moveJob('DISPATCHING')
  return begun
}

/** Dispatches a pushed step: the directive goes into the outbox, in the same commit. */
export function dispatch(draft: JobDraft, step: StepRecord): void {
  addOutboxRow(draft, beginAttempt(draft, step, step.service))
}

export function addOutboxRow(draft: JobDraft, step: StepRecord): OutboxRecord {
  const row: OutboxRecord = {
    kind: 'outbox',
    tenant_id: draft.job.tenant_id,
    outbox_id: draft.given.ids.next(),
    job_id: draft.job.job_id,
    step_id: step.step_id,
    attempt_no: step.attempt_no,
    lease_id: step.lease_id as string,
    state: 'PENDING',
    state_since: draft.at,
    topic: topicOf(draft.job.lane),
    partition: draft.job.lane,
    payload: directiveOf(draft.job, step),
    ...routingOf(draft.job),
    tries: 0,
    taken_until: null,
    next_try_at: null,
    last_error_code: null,
    last_error_message: null,
    created_at: draft.at,
    updated_at: draft.at,
    sent_at: null,
    etag: '',
  }
  draft.addRow(row)
  return row
}

function routingOf(routed: Routing): Routing {
  return {
    resolved_mode: routed.resolved_mode,
    lane: routed.lane,
    routing_key_used: routed.routing_key_used,
    decision_source: routed.decision_source,
    decision_reason: routed.decision_reason,
  }
}

/** A publish failed, or nobody said how it went in time. The last one fails the step for good. */
export function failPublish(draft: JobDraft, row: OutboxRecord, step: StepRecord, error: StepError): void {
  if (row.tries >= policyOf(step, 'publish_tries')) {
    leaveAttempt(draft, step, 'FAILED_FINAL', {}, error)
    endJob(draft, 'FAILED_FINAL', error)
    return
  }
  draft.note(row, error)
  draft.setRow(row, {
    taken_until: null,
    next_try_at: draft.after(backoffMs(policyOf(step, 'publish_backoff'), row.tries)),
    last_error_code: error.code,
    last_error_message: error.message,
  })
}
