// How much there is in queues. Nobody keeps count of it: it is found out by looking, as far as a look goes, and what
// there is beyond that is said.

import { slotKey } from '../core/job/limits.ts'
import { PUSHED, type Rate } from '../core/job/protocol.ts'
import type { JobRecord } from '../core/job/record.ts'
import { isTerminal, statesOf } from '../core/machine.ts'
import type { QueueState } from '../core/machines/queue.ts'
import { stepMachine } from '../core/machines/step.ts'
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
  /** Attempts under way. */
  readonly running: Counted
  /** Attempts that failed and wait for the next one. */
  readonly retrying: Counted
  /** Since when the first of those waits that are ready; of many only those that go first are looked at. */
  readonly oldest_ready_at: string | null
}

/** Open steps that are looked at. */
const MOST_STEPS = 20_000

/** Ready work that is counted in each group. */
const MOST_READY = 1000

/** Of ready work so many are looked at for the one that waits longest. */
const MOST_OLDEST = 100

const UNDER_WAY: readonly string[] = ['DISPATCHING', 'AWAITING_ACK', 'IN_PROGRESS']
const OPEN = statesOf(stepMachine).filter((state) => !isTerminal(stepMachine, state))

interface Tally {
  running: number
  retrying: number
}

/** Every queue that somebody steered, or that has an open step; or just the one named. */
export async function queueLoads(store: Store, name?: string): Promise<readonly QueueLoad[]> {
  const steered = await steeredQueues(store, name)
  const { tallies, isMore } = await tallyOpenSteps(store, name)
  const names = [...new Set([...steered.keys(), ...tallies.keys()])].sort()
  const loads: QueueLoad[] = []
  for (const queue of names) {
    const record = steered.get(queue) ?? null
    const { running = 0, retrying = 0 } = tallies.get(queue) ?? {}
    loads.push({
      ...decided(queue, record),
      ...(await readyIn(store, queue, record)),
      running: { count: running, is_more: isMore },
      retrying: { count: retrying, is_more: isMore },
    })
  }
  return loads
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

async function tallyOpenSteps(
  store: Store,
  queue?: string,
): Promise<{ readonly tallies: ReadonlyMap<string, Tally>; readonly isMore: boolean }> {
  const tallies = new Map<string, Tally>()
  let looked = 0
  for await (const page of findPages(store, { kind: 'step', where: { state: OPEN, queue } })) {
    for (const step of page) {
      const tally = tallies.get(step.queue) ?? { running: 0, retrying: 0 }
      tallies.set(step.queue, tally)
      if (UNDER_WAY.includes(step.state)) tally.running++
      if (step.state === 'FAILED_RETRY') tally.retrying++
    }
    looked += page.length
    if (looked >= MOST_STEPS) return { tallies, isMore: true }
  }
  return { tallies, isMore: false }
}

function decided(queue: string, record: QueueRecord | null) {
  return {
    queue,
    state: record?.state ?? ('running' as const),
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
