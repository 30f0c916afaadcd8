import assert from 'node:assert/strict'
import { idOf, isOpenRow, type JobAggregate, type LedgerRecord } from '../../src/core/aggregate.ts'
import type { Change, Decision } from '../../src/core/decision.ts'
import type { JobCommand } from '../../src/core/job/commands.ts'
import { isEdge, isTerminal, type Machine } from '../../src/core/machine.ts'
import { machines } from '../../src/core/machines/all.ts'
import { fromIso } from '../../src/core/time.ts'
import { addressed, decideIn, type Kernel, POLICY, type SystemState } from './job-system.ts'

/** What must hold of every change, whatever led to it. */
export function checkChange(before: SystemState, change: Change): void {
  for (const put of change.puts) {
    const old = recordIn(before.aggregate, put)
    if (old !== undefined) assert(!ended(old), `${idOf(put)} had ended and was written again`)
  }
  const told = new Map(before.told)
  for (const entry of change.audit) {
    if (entry.event !== 'moved') continue
    const known = told.get(entry.id) ?? initialOf(entry.kind, before)
    assert.equal(entry.path[0], known, `${entry.id} leaves the state that the history left it in`)
    entry.path.reduce((old, next) => {
      if (old !== null) assertEdge(machines[entry.kind] as Machine<string>, old, next as string)
      return next
    })
    told.set(entry.id, entry.path.at(-1) as string)
  }
  for (const put of change.puts) {
    const old = recordIn(before.aggregate, put)
    const moved = change.audit.some((entry) => entry.event === 'moved' && entry.id === idOf(put))
    const changed = old === undefined ? put.state !== machines[put.kind].initial : old.state !== put.state
    if (changed) assert(moved, `${idOf(put)} changed its state and the history does not say so`)
  }
  checkLeases(before, change)
}

/** Only the attempt that holds a step is heard; one that is over is answered, and changes nothing. */
export function checkFence(before: SystemState, command: JobCommand, decision: Decision<unknown>): void {
  if (!('lease_id' in command)) return
  const step = before.aggregate?.steps.find(({ step_id }) => step_id === command.step_id)
  const holds = step?.lease_id === command.lease_id && step.attempt_no === command.attempt_no
  if (!holds) assert.equal(decision.kind, 'refusal', `${command.lease_id} does not hold the step`)
  const over = step !== undefined && (ended(step) || step.state === 'FAILED_RETRY')
  if (holds && over) assert(decision.kind === 'change' && decision.change.puts.length === 0, 'it is over')
}

/** A new job has no old state; steps and rows start in their first one. */
function initialOf(kind: keyof typeof machines, before: SystemState): string | null {
  return kind === 'job' && before.aggregate === null ? null : machines[kind].initial
}

function assertEdge(machine: Machine<string>, from: string, to: string): void {
  assert(isEdge(machine, from, to), `${machine.name} went from ${from} to ${to}`)
}

function checkLeases(before: SystemState, { puts }: Change): void {
  for (const put of puts) {
    if (put.kind !== 'step') continue
    const old = before.aggregate?.steps[put.step_index]
    if (old === undefined || put.attempt_no === old.attempt_no) {
      assert.equal(put.lease_id, old?.lease_id ?? null, 'a lease changes only with the attempt')
      continue
    }
    assert.equal(put.attempt_no, old.attempt_no + 1, 'attempts are counted one by one')
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
  for (const step of steps) assert(step.attempt_no <= POLICY.max_attempts, 'attempts stay within bounds')
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
  const succeeded = steps.every((step) => step.state === 'SUCCEEDED')
  if (job.state === 'SUCCEEDED') assert(succeeded, 'it succeeded because all its steps did')
  if (job.state === 'FAILED_FINAL') assert(job.error_code, 'a failure says why')
}

function checkSlots({ held }: SystemState, { job, steps }: JobAggregate): void {
  assert.equal(held.has('in-flight'), !ended(job), 'a job is in flight until it ends')
  for (const step of steps) {
    const working = ['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS'].includes(step.state)
    for (const { key } of step.limits) assert.equal(held.has(key), working, `${key} is held while it works`)
  }
}

/** What must hold right after `advance`: all that was due has been done, and doing it again does nothing. */
export function checkSettled(state: SystemState, kernel: Kernel): void {
  const due = state.aggregate?.job.due_at
  assert(!due || fromIso(due) > state.now, `still due at ${due}`)
  const { decision } = decideIn(state, { ...addressed, type: 'advanceJob' }, kernel)
  assert(decision.kind === 'change' && decision.change.puts.length === 0, 'advance twice is advance once')
}

/** What is shown as ready can be taken, and nothing else can. */
export function checkReady(state: SystemState, kernel: Kernel): void {
  const { aggregate } = state
  if (aggregate === null) return
  const ready = aggregate.job.ready
  const claim = decideIn(state, { ...addressed, type: 'claimStep' }, kernel).decision
  const take = decideIn(state, { ...addressed, type: 'takeOutbox' }, kernel).decision
  assert.equal(claim.kind === 'change', ready !== null && ready.queue === 'svc', 'ready to claim')
  assert.equal(take.kind === 'change', ready !== null && ready.queue === 'push:svc', 'ready to publish')
}

function recordIn(aggregate: JobAggregate | null, put: LedgerRecord): LedgerRecord | undefined {
  const all: readonly LedgerRecord[] =
    aggregate === null ? [] : [aggregate.job, ...aggregate.steps, ...aggregate.outbox]
  return all.find((record) => record.kind === put.kind && idOf(record) === idOf(put))
}

function ended(record: LedgerRecord): boolean {
  return isTerminal(machines[record.kind] as Machine<string>, record.state)
}
