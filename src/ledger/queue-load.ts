// How much there is in queues. Nobody keeps count of it: it is found out by looking, as far as a look goes, and what
// there is beyond that is said.

import { slotKey } from '../core/job/limits.ts'
import { PUSHED, type Rate } from '../core/job/protocol.ts'
import type { JobRecord } from '../core/job/record.ts'
import { isTerminal, statesOf } from '../core/machine.ts'
import { type QueueState, queueMachine } from '../core/machines/queue.ts'
import { HANDED_OUT, type StepState, stepMachine } from '../core/machines/step.ts'
import { byRank, queueName, type ReadyHead, type WorkView } from '../core/pick.ts'
import { EVERYBODY, type QueueRecord, queueLimits } from '../core/queue/record.ts'
import { findAll, findPages } from '../store/find-all.ts'
import type { Store } from '../store/store.ts'

/** A number of things, of which there may be more than were counted. */
export interface Counted {
  readonly count: number
  readonly is_more: boolean
}

export interface QueueLoad {
  readonly queue: string
  readonly state: QueueState
  /** Since when; null when nobody ever steered it. */
  readonly state_since: string | null
  readonly concurrency: number | null
  readonly rate: Rate | null
  /** Attempts that hold one of its places now, and those begun within the span of its rate; null without a limit. */
  readonly concurrency_used: number | null
  readonly rate_used: number | null
  /** What a worker or dispatcher could take, if the queue is not paused and no limit is reached. */
  readonly ready: Counted
  /** Attempts that a worker or service has; one whose directive is still to be published is not among them. */
  readonly running: Counted
  /** Attempts that failed and wait for the next one. */
  readonly retrying: Counted
  /** Since when the first of those waits that are ready; of many only those that go first are looked at. */
  readonly oldest_ready_at: string | null
}

/** What there is in queues; with `is_more` there are more open steps than were looked at, so that one may be missing. */
export interface QueueLoads {
  readonly queues: readonly QueueLoad[]
  readonly is_more: boolean
}

/** Steps that are looked at: so many that were begun, and so many that were not. */
const MOST_STEPS = 20_000

/** Ready work that is counted in each group. */
const MOST_READY = 1000

/** Of ready work so many are looked at for the one that waits longest. */
const MOST_OLDEST = 100

const OPEN = statesOf(stepMachine).filter((state) => !isTerminal(stepMachine, state))
const BEGUN = OPEN.filter((state) => HANDED_OUT.includes(state) || isRetry(state))
const NOT_BEGUN = OPEN.filter((state) => !BEGUN.includes(state))

function isRetry(state: StepState): boolean {
  return stepMachine.states[state].retry === true
}

interface Tally {
  running: number
  retrying: number
}

/** Every queue that somebody steered, or that has an open step; or just the one named. */
export async function queueLoads(store: Store, name?: string): Promise<QueueLoads> {
  const steered = await steeredQueues(store, name)
  const tallies = new Map<string, Tally>()
  // By themselves, so that they are counted to the last however many wait for their turn.
  const isMoreBegun = await tally(store, tallies, { state: BEGUN, queue: name })
  const isMore = await tally(store, tallies, { state: NOT_BEGUN, queue: name })
  const queues: QueueLoad[] = []
  for (const queue of [...new Set([...steered.keys(), ...tallies.keys()])].sort()) {
    const record = steered.get(queue) ?? null
    const { running = 0, retrying = 0 } = tallies.get(queue) ?? {}
    queues.push({
      ...decided(queue, record),
      ...(await readyIn(store, queue, record)),
      running: { count: running, is_more: isMoreBegun },
      retrying: { count: retrying, is_more: isMoreBegun },
    })
  }
  return { queues, is_more: isMore || isMoreBegun }
}

async function steeredQueues(store: Store, name?: string): Promise<ReadonlyMap<string, QueueRecord>> {
  const steered = new Map<string, QueueRecord>()
  if (name === undefined) {
    for await (const record of findAll(store, { kind: 'queue' })) steered.set(record.queue, record)
    return steered
  }
  const record = await store.get({ kind: 'queue', tenant_id: EVERYBODY, id: name })
  if (record !== null) steered.set(name, record)
  return steered
}

/** Answers whether there are more than it looked at. */
async function tally(
  store: Store,
  tallies: Map<string, Tally>,
  where: { readonly state: readonly StepState[]; readonly queue: string | undefined },
): Promise<boolean> {
  let left = MOST_STEPS
  for await (const page of findPages(store, { kind: 'step', where })) {
    if (left <= 0) return true
    for (const { queue, state } of page) {
      const known = tallies.get(queue) ?? { running: 0, retrying: 0 }
      tallies.set(queue, known)
      if (HANDED_OUT.includes(state)) known.running++
      if (isRetry(state)) known.retrying++
    }
    left -= page.length
  }
  return false
}

function decided(queue: string, record: QueueRecord | null) {
  return {
    queue,
    state: record?.state ?? queueMachine.initial,
    state_since: record?.state_since ?? null,
    concurrency: record?.concurrency ?? null,
    rate: record?.rate ?? null,
  }
}

async function readyIn(store: Store, queue: string, record: QueueRecord | null) {
  const { ready, first, concurrency_used, rate_used } = await store.ready(
    [queue, `${PUSHED}${queue}`],
    MOST_READY + 1,
    (heads, view) => ({
      ready: counted(heads),
      first: heads.toSorted(byRank).slice(0, MOST_OLDEST),
      ...usedOf(view, record),
    }),
  )
  const jobs = await Promise.all(first.map(({ key }) => store.get<'job'>(key)))
  return { ready, concurrency_used, rate_used, oldest_ready_at: oldest(jobs) }
}

function counted(heads: readonly ReadyHead[]): Counted {
  const groups = new Map<string, number>()
  for (const head of heads) {
    const name = `${queueName(head)}\n${head.key.tenant_id}\n${head.ready.group}`
    groups.set(name, (groups.get(name) ?? 0) + 1)
  }
  const counts = [...groups.values()]
  return {
    count: counts.reduce((sum, n) => sum + Math.min(n, MOST_READY), 0),
    is_more: counts.some((n) => n > MOST_READY),
  }
}

function usedOf(view: WorkView, record: QueueRecord | null) {
  const used = queueLimits(record).map((limit) => ({
    isRate: limit.per_ms !== undefined,
    used: view.used(EVERYBODY, slotKey(limit)),
  }))
  return {
    concurrency_used: used.find(({ isRate }) => !isRate)?.used ?? null,
    rate_used: used.find(({ isRate }) => isRate)?.used ?? null,
  }
}

/** A job that is ready last changed when it became so. */
function oldest(jobs: readonly (JobRecord | null)[]): string | null {
  const times = jobs.flatMap((job) => (job === null ? [] : job.updated_at))
  return times.reduce<string | null>((first, time) => (first === null || time < first ? time : first), null)
}
