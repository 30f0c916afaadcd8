import { fromIso } from '../../src/core/time.ts'
import type { SystemState } from './job-system.ts'

/**
 * Two states are the same when nothing that can happen from now on tells them apart: times count from now, those that
 * are over are all alike, rows count by their place and not by their name, and attempts that were given back do not count.
 */
export function identityOf(state: SystemState): string {
  const { aggregate, now } = state
  if (aggregate === null) return 'nothing'
  const ahead = (at: string | null) => (at === null ? null : fromIso(at) - now)
  const left = (at: string | null) => Math.max(ahead(at) ?? 0, 0)
  const { job, steps, outbox } = aggregate
  return JSON.stringify([
    job.state,
    job.current_step_index,
    ahead(job.due_at),
    job.ready?.queue ?? null,
    left(job.run_at),
    job.unlimited,
    state.queue?.state ?? null,
    ahead(job.expires_at),
    steps.map((step) => [
      step.state,
      step.attempt_no - step.released,
      step.queue_slot,
      ahead(step.lease_expires_at),
      ahead(step.ack_deadline_at),
      left(step.retry_at),
      step.last_error_code,
      step.gate === null
        ? null
        : [step.gate.since === null, ahead(step.gate.until), step.gate.looked, step.gate.opened_at === null],
    ]),
    left(job.report_by),
    job.metadata.go ?? null,
    state.document,
    [...state.heirs.values()].map((heir) => [
      heir.job.state,
      ahead(heir.job.due_at),
      heir.steps.map((step) => [step.state, ahead(step.lease_expires_at)]),
    ]),
    outbox.map((row) => [
      row.tries,
      ahead(row.taken_until),
      left(row.next_try_at),
      state.rows.length - state.rows.indexOf(row.outbox_id),
    ]),
    Math.min(state.rows.length, 2),
    heldNow(state),
  ])
}

/** What is held, for how much longer; whoever holds it. */
function heldNow({ held, now }: SystemState): readonly string[] {
  const names = [...held].flatMap(([name, until]) =>
    until > now ? [`${name.slice(0, name.lastIndexOf(' '))} ${until - now}`] : [],
  )
  return names.sort()
}
