import assert from 'node:assert/strict'
import type { JobAggregate } from '../../src/core/aggregate.ts'
import type { Change } from '../../src/core/decision.ts'
import type { JobCommand } from '../../src/core/job/commands.ts'
import type { StepRecord } from '../../src/core/job/record.ts'
import { activeStep, waitOf } from '../../src/core/job/waiting.ts'
import { isTerminal } from '../../src/core/machine.ts'
import { jobMachine } from '../../src/core/machines/job.ts'
import { looksAtDocument } from '../../src/core/pipeline/gate.ts'
import { addressed, after, aggregateOf, decideIn, type Kernel, type SystemState } from './job-system.ts'

/** A gate opens when what it asks for is so, or when somebody says so. */
export function checkOpened(before: SystemState, command: JobCommand, { puts }: Change): void {
  const aggregate = aggregateOf(before, command.job_id)
  for (const put of puts) {
    if (put.kind !== 'step' || put.gate?.opened_at == null) continue
    const old = aggregate?.steps[put.step_index]
    if (old?.gate?.opened_at != null) continue
    if (command.type === 'expediteJob' && command.ignore.includes('gate')) continue
    const job = puts.find((one) => one.kind === 'job' && one.job_id === put.job_id) ?? aggregate?.job
    const go = job?.kind === 'job' && job.metadata.go === true
    const isSo = looksAtDocument(put.gate) ? before.document === 'parsed' : go
    assert(isSo, `gate ${put.gate.name} opened, and what it asks for is not so`)
  }
}

/** What stands at a gate hears of its document, is nobody's work, and was not begun. */
export function checkParked({ aggregate, now }: SystemState): void {
  if (aggregate === null) return
  const { job, steps } = aggregate
  const step = activeStep(steps)
  const isParked = waitOf(aggregate, now).cause === 'gate' && job.state !== 'CANCELLING'
  if (!isParked || step?.gate == null) return
  assert.equal(step.attempt_no, 0, 'nobody begins behind a gate that is shut')
  assert.equal(job.ready, null, 'what stands at a gate is not ready')
  if (job.doc_id === null || !looksAtDocument(step.gate)) return
  assert(job.waits_for.includes(`document:${job.doc_id}`), 'it hears of its document')
}

/** Of a job and those that took over from it, one at most has the work; and one always had it. */
export function checkChain(state: SystemState): void {
  const { aggregate, heirs } = state
  if (aggregate === null) return
  const chain = [aggregate, ...heirs.values()]
  assert(chain.filter(isOpen).length <= 1, 'one of a chain at most is open')
  const { job, steps } = aggregate
  const failedAtIt = job.state === 'FAILED_FINAL' && steps.some(({ attempt_no }) => attempt_no > 0)
  const follows = failedAtIt && (job.escalation?.rungs.length ?? 0) > 0
  assert.equal(heirs.size, follows ? 1 : 0, 'somebody takes over exactly when it failed at it')
  const [heir] = heirs.values()
  assert.equal(job.escalation?.escalated_to ?? null, heir?.job.job_id ?? null, 'it says who took over')
  if (heir === undefined) return
  assert.equal(heir.job.escalation?.escalated_from, job.job_id, 'and the other says from whom')
  if (isOpen(heir)) assert(heir.job.ready !== null || heir.job.due_at !== null, 'the work is somebody’s')
}

export function openJobs({ aggregate, heirs }: SystemState): number {
  return [...(aggregate === null ? [] : [aggregate]), ...heirs.values()].filter(isOpen).length
}

function isOpen({ job }: JobAggregate): boolean {
  return !isTerminal(jobMachine, job.state)
}

/** Passed over by a gate: it was not done, and did not fail. */
export function isPassedOver({ state, last_error_code }: StepRecord): boolean {
  return state === 'CANCELLED' && last_error_code === 'GATE'
}

/**
 * A wait without a timer is one that somebody else can end: who takes the work, who reports on it, who opens the gate. The
 * state in which they have.
 */
export function endedByOthers(state: SystemState, kernel: Kernel): SystemState {
  const aggregate = state.aggregate as JobAggregate
  const { cause } = waitOf(aggregate, state.now)
  const step = activeStep(aggregate.steps)
  assert(['gate', 'claim', 'publish'].includes(cause), `${aggregate.job.state} waits for ever for ${cause}`)
  const command: JobCommand =
    cause === 'gate'
      ? { ...addressed, type: 'expediteJob', priority: null, ignore: ['gate'] }
      : step?.delivery === 'external'
        ? { ...addressed, type: 'reportStage', report: { what: 'failed', stage: null, error: GAVE_UP } }
        : { ...addressed, type: cause === 'publish' ? 'takeOutbox' : 'claimStep' }
  const { decision, idsMade } = decideIn(state, command, kernel)
  assert(decision.kind === 'change', `${aggregate.job.state} waits for ever: ${command.type} is refused`)
  return after(state, decision.change, idsMade)
}

const GAVE_UP = { code: 'GAVE_UP', message: 'its scheduler gave up' }
