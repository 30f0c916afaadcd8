import type { RunRecord } from '../core/group/run-record.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../core/job/record.ts'
import type { CauseName } from '../core/job/why-cause.ts'
import { isTerminal, openStatesOf, statesOf } from '../core/machine.ts'
import { jobMachine } from '../core/machines/job.ts'
import { outboxMachine } from '../core/machines/outbox.ts'
import { runMachine } from '../core/machines/run.ts'
import { HANDED_OUT } from '../core/machines/step.ts'
import { findPages } from '../store/find-all.ts'
import { LARGEST_PAGE } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'
import { oneOrAll } from './tenant-to-find.ts'
import { why } from './why.ts'

/** What stands still, what is on its way, who works, and what ended last. */
export interface Overview {
  /** `*` when it is about all of them. */
  readonly tenant_id: string
  readonly waiting: WaitingJobs
  readonly outbox: OutboxLag
  readonly workers: Holders
  readonly runs: EndedRuns
}

export interface WaitingJobs {
  readonly count: number
  /** More is under way than one look takes in: some of the oldest may be so by now. */
  readonly is_more: boolean
  readonly oldest: readonly WaitingJob[]
}

export interface WaitingJob {
  readonly tenant_id: string
  readonly job_id: string
  readonly request_type: string
  readonly since: string
  readonly cause: CauseName
  readonly message: string
}

export interface OutboxLag {
  readonly pending: number
  /** There are more than were looked at for the oldest. */
  readonly is_more: boolean
  readonly oldest_at: string | null
  readonly oldest_job_id: string | null
}

/** Who holds leases now. */
export interface Holders {
  readonly items: readonly Holder[]
  readonly is_more: boolean
}

export interface Holder {
  readonly name: string
  readonly tenants: readonly string[]
  readonly queues: readonly string[]
  readonly running: number
  /** When the oldest of its attempts began. */
  readonly since: string
  /** When the first of its leases ends. */
  readonly lease_expires_at: string | null
  readonly jobs: readonly HeldJob[]
}

export interface HeldJob {
  readonly tenant_id: string
  readonly job_id: string
  readonly step_id: string
  readonly since: string
}

/** The runs that ended last, the newest first. */
export interface EndedRuns {
  readonly items: readonly RunRecord[]
  readonly succeeded: number
  readonly ended: number
}

const MOST_OLDEST = 5
const MOST_JOBS_TOLD = 5
const MOST_RUNS = 10
const MOST_HOLDERS = 500

/** Steps that somebody has, and jobs that are gone through for those that wait longest. */
const MOST_SEEN = 20_000
const WAITING_PAGE = 200

const OPEN = openStatesOf(jobMachine)
const ENDED_RUNS = statesOf(runMachine).filter((state) => isTerminal(runMachine, state))

/** `tenant_id` is `*` for all of them. */
export async function overview(store: Store, clock: Clock, tenant_id: string): Promise<Overview> {
  const tenant = oneOrAll(tenant_id)
  const held = await heldSteps(store, tenant)
  return {
    tenant_id,
    waiting: await waitingJobs(store, clock, tenant, held),
    outbox: await outboxLag(store, tenant),
    workers: holdersOf(held.steps, held.is_more),
    runs: await endedRuns(store, tenant),
  }
}

/** What is told of a step that somebody has. */
type HeldStep = Pick<
  StepRecord,
  'tenant_id' | 'job_id' | 'step_id' | 'service' | 'queue' | 'holder' | 'state_since' | 'lease_expires_at'
>

interface HeldSteps {
  readonly steps: readonly HeldStep[]
  readonly is_more: boolean
}

async function heldSteps(store: Store, tenant_id: string | undefined): Promise<HeldSteps> {
  const steps: HeldStep[] = []
  const query = { kind: 'step', tenant_id, where: { state: HANDED_OUT } } as const
  for await (const page of findPages(store, query)) {
    if (steps.length >= MOST_SEEN) return { steps, is_more: true }
    for (const step of page) {
      const { tenant_id, job_id, step_id, service, queue, holder, state_since, lease_expires_at } = step
      steps.push({ tenant_id, job_id, step_id, service, queue, holder, state_since, lease_expires_at })
    }
  }
  return { steps, is_more: false }
}

/** A job waits while nobody has its step. */
async function waitingJobs(
  store: Store,
  clock: Clock,
  tenant_id: string | undefined,
  held: HeldSteps,
): Promise<WaitingJobs> {
  const [jobs, steps] = [await store.counts('job', tenant_id), await store.counts('step', tenant_id)]
  const isHeld = new Set(held.steps.map(jobKey))
  const oldest: WaitingJob[] = []
  let left = MOST_SEEN
  const query = { kind: 'job', tenant_id, where: { state: OPEN }, order: 'changed' } as const
  for await (const page of findPages(store, query, WAITING_PAGE)) {
    for (const job of page) {
      if (oldest.length === MOST_OLDEST || isHeld.has(jobKey(job))) continue
      const [first] = (await why(store, clock, job))?.causes ?? []
      // It may have ended meanwhile.
      if (first === undefined || first.cause === 'ended') continue
      const { job_id, request_type, updated_at: since } = job
      oldest.push({
        tenant_id: job.tenant_id,
        job_id,
        request_type,
        since,
        cause: first.cause,
        message: first.message,
      })
    }
    left -= page.length
    if (oldest.length === MOST_OLDEST || left <= 0) break
  }
  const count = Math.max(oldest.length, sum(jobs, OPEN) - sum(steps, HANDED_OUT))
  return { count, is_more: held.is_more, oldest }
}

async function outboxLag(store: Store, tenant_id: string | undefined): Promise<OutboxLag> {
  const { [outboxMachine.initial]: pending = 0 } = await store.counts('outbox', tenant_id)
  // Those that nobody has tried for longest have the oldest among them, or one as old as makes no difference.
  const { items, next } = await store.find({
    kind: 'outbox',
    tenant_id,
    where: { state: outboxMachine.initial },
    order: 'changed',
    limit: LARGEST_PAGE,
  })
  const oldest = items.reduce<OutboxRecord | null>(
    (first, row) => (first === null || row.created_at < first.created_at ? row : first),
    null,
  )
  return {
    pending,
    is_more: next !== null,
    oldest_at: oldest?.created_at ?? null,
    oldest_job_id: oldest?.job_id ?? null,
  }
}

/** Those who have the most go first. */
function holdersOf(steps: readonly HeldStep[], isMore: boolean): Holders {
  const byName = Map.groupBy(steps, ({ holder, service }) => holder ?? service)
  const items = [...byName]
    .map(([name, own]) => holderOf(name, own))
    .sort((a, b) => b.running - a.running || (a.name < b.name ? -1 : 1))
  return { items: items.slice(0, MOST_HOLDERS), is_more: isMore || items.length > MOST_HOLDERS }
}

function holderOf(name: string, steps: readonly HeldStep[]): Holder {
  const oldestFirst = steps.toSorted((a, b) => (a.state_since < b.state_since ? -1 : 1))
  const leases = steps.flatMap(({ lease_expires_at }) => lease_expires_at ?? []).sort()
  return {
    name,
    tenants: distinct(steps, 'tenant_id'),
    queues: distinct(steps, 'queue'),
    running: steps.length,
    since: (oldestFirst[0] as HeldStep).state_since,
    lease_expires_at: leases[0] ?? null,
    jobs: oldestFirst
      .slice(0, MOST_JOBS_TOLD)
      .map(({ tenant_id, job_id, step_id, state_since: since }) => ({ tenant_id, job_id, step_id, since })),
  }
}

async function endedRuns(store: Store, tenant_id: string | undefined): Promise<EndedRuns> {
  const counts = await store.counts('run', tenant_id)
  const { items } = await store.find({
    kind: 'run',
    tenant_id,
    where: { state: ENDED_RUNS },
    order: 'changed',
    direction: 'desc',
    limit: MOST_RUNS,
  })
  return { items, succeeded: sum(counts, ['succeeded']), ended: sum(counts, ENDED_RUNS) }
}

function sum(counts: { readonly [state: string]: number }, states: readonly string[]): number {
  return states.reduce((total, state) => total + (counts[state] ?? 0), 0)
}

function distinct(steps: readonly HeldStep[], field: 'tenant_id' | 'queue'): readonly string[] {
  return [...new Set(steps.map((step) => step[field]))].sort()
}

function jobKey({ tenant_id, job_id }: Pick<JobRecord, 'tenant_id' | 'job_id'>): string {
  return JSON.stringify([tenant_id, job_id])
}
