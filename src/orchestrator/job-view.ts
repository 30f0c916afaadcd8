import type { JobAggregate } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import { PRIORITIES } from '../core/job/record.ts'
import { toolOfService } from '../core/job/tool-service.ts'
import { attemptStatusOf, toolStatusOf } from '../core/job/tool-status.ts'
import { numberIn } from '../core/json.ts'
import { fromEpochSeconds, toIso } from '../core/time.ts'
import type { JobAttempt, JobView } from './state-interface.ts'

export function jobView(aggregate: JobAggregate): JobView {
  const { job, steps } = aggregate
  const { error_code, error_message, escalation } = job
  return {
    job_id: job.job_id,
    run_id: job.run_id,
    workstream_id: job.workstream_id,
    tool: toolOfService(steps[0]?.service ?? '') ?? job.request_type,
    status: toolStatusOf(aggregate),
    priority: PRIORITIES[job.priority],
    depends_on: job.depends_on,
    metadata: job.metadata,
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
    escalated_to: escalation?.escalated_to ?? null,
    escalated_from: escalation?.escalated_from ?? null,
    original_job_id: escalation?.original_job_id ?? null,
    created_at: job.created_at,
    updated_at: job.updated_at,
    completed_at: job.completed_at,
  }
}

/** Every attempt, told from the history: the job itself only knows its last one. */
export function attemptsIn(history: readonly AuditRecord[]): readonly JobAttempt[] {
  const moves = history.filter(({ kind, event }) => kind === 'step' && event === 'moved')
  const byNumber = Map.groupBy(moves, ({ metadata }) => Number(metadata.attempt_no))
  return [...byNumber.entries()]
    .filter(([attempt_no]) => attempt_no > 0)
    .sort(([a], [b]) => a - b)
    .flatMap(([attempt_no, records]) => {
      const begun = records.find(({ new_state }) => new_state === 'IN_PROGRESS')
      return begun === undefined ? [] : [attemptOf(attempt_no, begun, records.at(-1) as AuditRecord)]
    })
}

function attemptOf(attempt_no: number, begun: AuditRecord, last: AuditRecord): JobAttempt {
  const status = attemptStatusOf(last)
  const isOver = status !== 'running'
  const { error_type, error_message, metadata } = last
  return {
    attempt_no,
    status,
    started_at: toIso(fromEpochSeconds(begun.timestamp)),
    ended_at: isOver ? toIso(fromEpochSeconds(last.timestamp)) : null,
    exit_code: numberIn(metadata.exit_code),
    duration_s: isOver ? (numberIn(metadata.duration_s) ?? last.duration_seconds) : null,
    worker: begun.actor,
    error: error_type === null ? null : { code: error_type, message: error_message ?? '' },
  }
}
