import { fromIso } from '../../src/core/time.ts'
import type { SystemState } from './job-system.ts'

/**
 * Two states are the same when nothing that can happen from now on tells them apart: times count from now, and
 * leases and rows by their place, not by their name.
 */
export function identityOf(state: SystemState): string {
  const { aggregate, now } = state
  if (aggregate === null) return 'nothing'
  const ahead = (at: string | null) => (at === null ? null : fromIso(at) - now)
  const { job, steps, outbox } = aggregate
  return JSON.stringify([
    job.state,
    job.current_step_index,
    ahead(job.due_at),
    job.ready?.queue ?? null,
    Math.max(ahead(job.run_at) ?? 0, 0),
    ahead(job.expires_at),
    steps.map((step) => [
      step.state,
      step.attempt_no,
      ahead(step.lease_expires_at),
      ahead(step.ack_deadline_at),
      ahead(step.retry_at),
      step.last_error_code,
    ]),
    outbox.map((row) => [
      row.tries,
      ahead(row.taken_until),
      ahead(row.next_try_at),
      state.rows.indexOf(row.outbox_id),
    ]),
    state.rows.length,
    [...state.held].sort(),
  ])
}
