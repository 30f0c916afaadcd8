import assert from 'node:assert/strict'
import { idOf, isJobPart, isOpenRow, type JobAggregate, type LedgerRecord } from '../../src/core/aggregate.ts'
import type { AuditEntry } from '../../src/core/audit.ts'
import type { Change, Decision } from '../../src/core/decision.ts'
import type { JobCommand } from '../../src/core/job/commands.ts'
import { IN_FLIGHT, slotKey } from '../../src/core/job/limits.ts'
import { attemptsLeft } from '../../src/core/job/protocol.ts'
import type { StepRecord } from '../../src/core/job/record.ts'
import { activeStep } from '../../src/core/job/waiting.ts'
import { isEdge, isTerminal, type Machine } from '../../src/core/machine.ts'
import { machines } from '../../src/core/machines/all.ts'
import { pick } from '../../src/core/pick.ts'
import { EVERYBODY } from '../../src/core/queue/record.ts'
import { fromIso } from '../../src/core/time.ts'
import {
  addressed,
  aggregateOf,
  decideIn,
  type Kernel,
  type SystemState,
  usedIn,
  viewOf,
} from './job-system.ts'
import { isPassedOver, openJobs } from './staged-laws.ts'

/** What must hold of every change, whatever led to it. */
export function checkChange(before: SystemState, change: Change): void {
  for (const put of change.puts) {
    const old = recordIn(before, put)
    if (old !== undefined) assert(!ended(old), `${idOf(put)} had ended and was written again`)
  }
  const told = new Map(before.told)
  for (const entry of change.audit) {
    if (entry.event !== 'moved') continue
    const known = told.get(entry.id) ?? initialOf(entry, before)
    assert.equal(entry.path[0], known, `${entry.id} leaves the state that the history left it in`)
    entry.path.reduce((old, next) => {
      if (old !== null) assertEdge(machines[entry.kind] as Machine<string>, old, next as string)
      return next
    })
    told.set(entry.id, entry.path.at(-1) as string)
  }
  for (const put of change.puts) {
    const old = recordIn(before, put)
    const moved = change.audit.some((entry) => entry.event === 'moved' && entry.id === idOf(put))
    const changed = old === undefined ? put.state !== machines[put.kind].initial : old.state !== put.state
    if (changed) assert(moved, `${idOf(put)} changed its state and the history does not say so`)
  }
  checkLeases(before, change)
}

/** Only the attempt that holds a step is heard; one that is over is answered, and changes nothing. */
export function checkFence(before: SystemState, command: JobCommand, decision: Decision<unknown>): void {
  if (!('lease_id' in command)) return
  const step = aggregateOf(before, command.job_id)?.steps.find(({ step_id }) => step_id === command.step_id)
  const holds = step?.lease_id === command.lease_id && step.attempt_no === command.attempt_no
  if (!holds) assert.equal(decision.kind, 'refusal', `${command.lease_id} does not hold the step`)
  const over = step !== undefined && (ended(step) || step.state === 'FAILED_RETRY')
  if (holds && over) assert(decision.kind === 'change' && decision.change.puts.length === 0, 'it is over')
}

/** A new job has no old state; steps and rows start in their first one. */
function initialOf({ kind, id }: Pick<AuditEntry, 'kind' | 'id'>, before: SystemState): string | null {
  return kind === 'job' && aggregateOf(before, id) === null ? null : machines[kind].initial
}

function assertEdge(machine: Machine<string>, from: string, to: string): void {
  assert(isEdge(machine, from, to), `${machine.name} went from ${from} to ${to}`)
}

function checkLeases(before: SystemState, { puts }: Change): void {
  for (const put of puts) {
    if (put.kind !== 'step') continue
    const old = aggregateOf(before, put.job_id)?.steps[put.step_index]
    const attempts = old?.attempt_no ?? 0
    if (put.attempt_no === attempts) {
      assert.equal(put.lease_id, old?.lease_id ?? null, 'a lease changes only with the attempt')
      continue
    }
    // A stage that is tried again, and that nobody here knew to be tried, was begun twice.
    const most = put.delivery === 'external' ? 2 : 1
    assert(put.attempt_no <= attempts + most, 'attempts are counted one by one')
    const used = before.leases.some((lease) => lease.lease_id === put.lease_id)
    assert(put.lease_id !== null && !used, `lease ${put.lease_id} was used before`)
  }
}

/** What must hold of every state, also of one that a crash has torn. */
export function checkState({ aggregate }: SystemState): void {
  if (aggregate === null) return
  const { steps } = aggregate
  const running = steps.filter((step) => step.state === 'IN_PROGRESS')
  assert(running.length <= 1, 'one step at most is in progress')
  for (const step of steps) assert(attemptsLeft(step) >= 0, 'attempts stay within bounds')
  for (const step of steps) checkTimeout(step)
  const active = steps.findIndex((step) => !ended(step))
  for (const step of steps.slice(active === -1 ? steps.length : active + 1)) {
    assert.equal(step.state, 'PENDING', 'later steps wait for their turn')
  }
}

/** What must hold of every state that no crash has torn, and of a torn one as soon as it was advanced. */
export function checkShape({ aggregate }: SystemState): void {
  if (aggregate === null) return
  const { job, steps, outbox } = aggregate
  const attempts = steps.reduce((sum, step) => sum + step.attempt_no, 0)
  assert.equal(job.attempts_total, attempts, 'attempts_total counts all')
  const dispatching = steps.filter((step) => step.state === 'DISPATCHING')
  assert.deepEqual(
    outbox.filter(isOpenRow).map((row) => row.lease_id),
    dispatching.filter((step) => step.delivery === 'push').map((step) => step.lease_id),
    'a row is open exactly while its step is being dispatched',
  )
  if (job.state === 'QUEUED') assert.equal(attempts, 0, 'a queued job was never handed out')
  if (job.state === 'DISPATCHING') {
    assert(attempts > 0 && steps[0]?.state !== 'IN_PROGRESS', 'a job is dispatching until somebody answers')
  }
  checkEnd(aggregate)
}

/** What must hold of every state whose changes were all written whole: the history and the slots agree with it. */
export function checkStory(state: SystemState): void {
  const { aggregate } = state
  if (aggregate === null) return
  for (const record of [aggregate.job, ...aggregate.steps]) {
    const told = state.told.get(idOf(record)) ?? machines[record.kind].initial
    assert.equal(record.state, told, `${idOf(record)} is where its history says`)
  }
  checkSlots(state, aggregate)
}

function checkEnd({ job, steps, outbox }: JobAggregate): void {
  if (!ended(job)) return
  assert(steps.every(ended), 'a job that has ended has no open step')
  assert.equal(outbox.filter(isOpenRow).length, 0, 'nor an open row')
  assert.equal(job.due_at, null, 'nor a timer')
  assert.equal(job.ready, null, 'nor is it ready')
  const succeeded = steps.every((step) => step.state === 'SUCCEEDED' || isPassedOver(step))
  if (job.state === 'SUCCEEDED') assert(succeeded, 'it succeeded because all its steps did')
  if (job.state === 'FAILED_FINAL') assert(job.error_code, 'a failure says why')
}

/** However often a worker says that it is there. */
function checkTimeout({ state_since, lease_expires_at, policy }: StepRecord): void {
  if (lease_expires_at === null || policy.timeout_ms === undefined) return
  assert(
    fromIso(lease_expires_at) - fromIso(state_since) <= policy.timeout_ms,
    'no lease is longer than that',
  )
}

function checkSlots(state: SystemState, { job, steps }: JobAggregate): void {
  const used = (key: string, tenant_id: string = job.tenant_id) => usedIn(state, tenant_id, key)
  assert.equal(used(IN_FLIGHT), openJobs(state), 'a job is in flight until it ends')
  for (const step of steps) {
    const working = ['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS'].includes(step.state)
    for (const limit of step.limits) {
      const { key, max, per_ms } = limit
      if (per_ms === undefined) assert.equal(used(key) === 1, working, `${key} is held while it works`)
      else
        assert(used(slotKey(limit)) <= max || job.unlimited, `no more than ${max} begin within ${per_ms} ms`)
    }
    if (step.queue_slot) assert(working, 'only an attempt under way holds a place of its queue')
    const isTaken = step.state === 'IN_PROGRESS' && step.delivery === 'pull'
    if (isTaken && state.queue?.concurrency != null) assert(step.queue_slot, 'whoever works holds a place')
  }
  const holders = steps.filter(({ queue_slot }) => queue_slot).length
  assert.equal(
    used('queue:svc', EVERYBODY),
    holders,
    'a place of the queue is held by the attempt that says so',
  )
}

/** A queue that is paused hands out nothing, whatever else it is told. */
export function checkPaused({ queue }: SystemState, { type }: JobCommand, { kind }: Decision<unknown>): void {
  const takes = type === 'claimStep' || type === 'takeOutbox'
  if (takes && queue?.state === 'paused') assert.equal(kind, 'refusal', 'a paused queue hands out nothing')
}

/** Attempts that are given back do not count, and only those who may give one back do. */
export function checkReleased(before: SystemState, { type }: JobCommand, { puts }: Change): void {
  for (const put of puts) {
    const old = put.kind === 'step' ? aggregateOf(before, put.job_id)?.steps[put.step_index] : undefined
    if (put.kind !== 'step' || old === undefined) continue
    if (put.released === old.released) continue
    assert(type === 'releaseStep' || type === 'expediteJob', `${type} does not give back an attempt`)
    assert.equal(put.released, old.released + 1, 'attempts are given back one by one')
    const isNext = put.attempt_no !== old.attempt_no
    assert.equal(attemptsLeft(put), attemptsLeft(old) + (isNext ? 0 : 1), 'one given back does not count')
  }
}

/** What must hold right after `advance`: all that was due has been done, and doing it again does nothing. */
export function checkSettled(state: SystemState, kernel: Kernel): void {
  const due = state.aggregate?.job.due_at
  assert(!due || fromIso(due) > state.now, `still due at ${due}`)
  const { decision } = decideIn(state, { ...addressed, type: 'advanceJob' }, kernel)
  assert(decision.kind === 'change' && decision.change.puts.length === 0, 'advance twice is advance once')
}

/** What is shown as ready and chosen can be taken, and nothing else can. */
export function checkReady(state: SystemState, kernel: Kernel): void {
  const { aggregate } = state
  if (aggregate === null) return
  const { ready, tenant_id, job_id } = aggregate.job
  const heads = ready === null ? [] : [{ key: { kind: 'job', tenant_id, id: job_id } as const, ready }]
  const { chosen } = pick(heads, { limit: 1, running: new Map(), view: viewOf(state) })
  const queue = chosen[0]?.ready.queue
  const claim = decideIn(state, { ...addressed, type: 'claimStep' }, kernel).decision
  const take = decideIn(state, { ...addressed, type: 'takeOutbox' }, kernel).decision
  // Whoever reports on what is not ours may say by a claim that they have begun.
  if (activeStep(aggregate.steps)?.delivery === 'external')
    assert.equal(queue, undefined, 'nobody is sent there')
  else assert.equal(claim.kind === 'change', queue === 'svc', 'ready to claim')
  assert.equal(take.kind === 'change', queue === 'push:svc', 'ready to publish')
}

function recordIn(state: SystemState, put: LedgerRecord): LedgerRecord | undefined {
  const aggregate = isJobPart(put) ? aggregateOf(state, put.job_id) : null
  const all: readonly LedgerRecord[] =
    aggregate === null ? [] : [aggregate.job, ...aggregate.steps, ...aggregate.outbox]
  return all.find((record) => record.kind === put.kind && idOf(record) === idOf(put))
}

function ended(record: LedgerRecord): boolean {
  return isTerminal(machines[record.kind] as Machine<string>, record.state)
}
