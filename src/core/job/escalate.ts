import type { JobAggregate } from '../aggregate.ts'
import type { Given, Needed } from '../decision.ts'
import { need } from '../decision.ts'
import type { StepError, SubmitJob } from './commands.ts'
import type { JobDraft } from './draft.ts'
import { IN_FLIGHT, NO_LIMIT } from './limits.ts'
import { newJob } from './new-job.ts'
import type { Escalation, JobRecord, Rung } from './record.ts'

/**
 * The id of the job that would take over. It follows from the chain, so that an ending that is finished after a crash makes
 * no second one.
 */
function nextId(job_id: string, { level, original_job_id }: Escalation): string {
  return `${original_job_id ?? job_id}~${level + 1}`
}

/** Whether there is a job with that id already has to be known before one is made. */
export function needForEscalation(job: JobRecord, given: Given): Needed | null {
  const { escalation, tenant_id, job_id } = job
  if (escalation === null || escalation.rungs.length === 0) return null
  const key = { kind: 'job', tenant_id, id: nextId(job_id, escalation) } as const
  return given.get('job', key.tenant_id, key.id) === undefined ? need([key]) : null
}

/**
 * A job that has failed for good is followed by the next one of its ladder, in the same commit: there is no moment at which
 * nobody has the work. One that never began has not failed at it.
 */
export function escalate(draft: JobDraft, error: StepError): void {
  const { job, given } = draft
  const { escalation, tenant_id } = job
  const [rung, ...rungs] = escalation?.rungs ?? []
  if (escalation === null || rung === undefined) return
  if (!draft.steps.some(({ attempt_no }) => attempt_no > 0)) return
  const next = nextId(job.job_id, escalation)
  const there = given.get('job', tenant_id, next) ?? null
  if (there?.job.escalation?.escalated_from === job.job_id) {
    draft.setJob({ escalation: { ...escalation, escalated_to: next } })
    return
  }
  // Somebody may have given that name to another job.
  const job_id = there === null ? next : given.ids.next()
  draft.bear(escalated(job, escalation, { rung, rungs, job_id, error, now: given.now }))
  draft.slot({ tenant_id, key: IN_FLIGHT, verb: 'take', owner: job_id, max: NO_LIMIT })
  draft.setJob({ escalation: { ...escalation, escalated_to: job_id } })
}

interface Step {
  readonly rung: Rung
  readonly rungs: readonly Rung[]
  readonly job_id: string
  readonly error: StepError
  readonly now: number
}

function escalated(
  job: JobRecord,
  { level, original_job_id }: Escalation,
  { rung, rungs, job_id, error, now }: Step,
): JobAggregate {
  const { protocol, payload, priority } = rung
  const command = {
    ...requestOf(job),
    job_id,
    request_type: protocol.request_type,
    protocol,
    payload,
    priority,
  }
  const limits = protocol.steps.map((step) => step.limits ?? [])
  const aggregate = newJob(command, routingOf(job), limits, now)
  const links = {
    original_job_id: original_job_id ?? job.job_id,
    escalated_from: job.job_id,
    escalation_reason: `${error.code}: ${error.message}`,
  }
  const escalation = { rungs, level: level + 1, ...links, escalated_to: null }
  return { ...aggregate, job: { ...aggregate.job, escalation, metadata: { ...job.metadata, ...links } } }
}

function routingOf(job: JobRecord) {
  const { resolved_mode, lane, routing_key_used, decision_source, decision_reason } = job
  return { resolved_mode, lane, routing_key_used, decision_source, decision_reason }
}

/** The request once more, for somebody else. */
function requestOf(job: JobRecord): SubmitJob {
  return {
    ...(job as unknown as SubmitJob),
    type: 'submitJob',
    depends_on: [],
    run_at: null,
    delay_ms: null,
    expires_at: null,
    schedule_id: null,
    doc_key: null,
    idempotency_key: null,
    rungs: [],
  }
}
