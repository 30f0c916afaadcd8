import type { JobAggregate } from '../../../src/core/aggregate.ts'
import { policyOf } from '../../../src/core/job/protocol.ts'
import type { StepRecord } from '../../../src/core/job/record.ts'
import { fromIso, toIso } from '../../../src/core/time.ts'
import type { SystemState } from '../../explorer/job-system.ts'
import { checkShape } from '../../explorer/laws.ts'
import { LawBroken, law } from '../law-broken.ts'
import { POLICY } from '../protocols.ts'
import { type Commit, jobsOf, type Shadow } from '../shadow.ts'

/** Everything that comes of an attempt names its lease, in the address of its output or in its error. */
export function madeBy(lease_id: string): string {
  return `made-by:${lease_id}`
}

/** One step at a time, one lease for each attempt, and nothing accepted but from the attempt that holds the step. */
export function attemptsAreSound(shadow: Shadow, commit: Commit): void {
  const { change } = commit
  for (const put of change.puts) if (put.kind === 'step') checkStep(shadow, put, commit)
  for (const name of jobsOf(change)) checkJob(name, shadow.after(name, change))
}

function checkJob(name: string, aggregate: JobAggregate): void {
  const { steps } = aggregate
  const running = steps.filter(({ state }) => state === 'IN_PROGRESS')
  law(running.length <= 1, () => `job ${name} has ${running.length} steps in progress`)
  for (const { step_id, attempt_no, released, delivery } of steps) {
    // Another scheduler tries as often as it likes.
    if (delivery === 'external') continue
    const most = POLICY.max_attempts + released
    law(attempt_no <= most, () => `job ${name}: step ${step_id} has had ${attempt_no} attempts of ${most}`)
  }
  const active = steps.findIndex(({ state }) => !['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'].includes(state))
  for (const { step_id, state } of active === -1 ? [] : steps.slice(active + 1)) {
    law(state === 'PENDING', () => `job ${name}: step ${step_id} is ${state} before its turn`)
  }
  try {
    checkShape({ aggregate } as SystemState)
  } catch (error) {
    throw new LawBroken(`job ${name}: ${(error as Error).message}`, { cause: error })
  }
}

function checkStep(shadow: Shadow, put: StepRecord, { at }: Commit): void {
  const name = `step ${put.job_id}/${put.step_id}`
  const old = shadow.before(put) as StepRecord | undefined
  if (old === undefined) return
  if (put.lease_id === old.lease_id) {
    law(put.attempt_no === old.attempt_no, () => `${name} counts an attempt without a new lease`)
  } else {
    // What is tried again, and was not known to be tried, was begun twice.
    const most = put.delivery === 'external' ? 2 : 1
    const more = put.attempt_no - old.attempt_no
    law(more >= 1 && more <= most, () => `${name}: a new lease is a new attempt`)
    law(!shadow.leases.has(put.lease_id as string), () => `${name}: lease ${put.lease_id} was used before`)
  }
  if (put.state === old.state) {
    checkBeat(name, put, at)
    return
  }
  law(put.last_error_code !== 'OUTPUT_LOST', () => `${name}: ${put.last_error_message}`)
  if (put.state === 'SUCCEEDED' && put.delivery !== 'external') {
    const by = madeBy(put.lease_id as string)
    law(put.result_ref === by, () => `${name}: attempt ${by} holds it, and ${put.result_ref} was accepted`)
  }
  const blamed = /made-by:\S+/.exec(put.last_error_message ?? '')?.[0]
  // Steps that never began are closed with the error of the one that failed.
  if (blamed !== undefined && (put.state === 'FAILED_RETRY' || put.state === 'FAILED_FINAL')) {
    const by = madeBy(old.lease_id as string)
    law(blamed === by, () => `${name}: attempt ${by} held it, and the failure of ${blamed} was accepted`)
  }
}

/** Nothing changes a step that stays in progress but a heartbeat. */
function checkBeat(name: string, step: StepRecord, at: number): void {
  if (step.state !== 'IN_PROGRESS') return
  const latest = fromIso(step.state_since) + policyOf(step, 'timeout_ms')
  const least = toIso(Math.min(at + POLICY.lease_ms, latest))
  const until = String(step.lease_expires_at)
  law(until >= least, () => `${name}: a heartbeat at ${toIso(at)} left its lease to end at ${until}`)
}
