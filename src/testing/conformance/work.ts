import assert from 'node:assert/strict'
import type { RecordKey } from '../../core/aggregate.ts'
import type { Given } from '../../core/decision.ts'
import type { ClaimAnswer } from '../../core/job/commands.ts'
import { decideJob } from '../../core/job/decide.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../core/job/record.ts'
import { pick } from '../../core/pick.ts'
import type { Store, Sweep, Swept } from '../../store/store.ts'
import { onJob, recordSent, report, SUCCESS } from './commands.ts'
import type { Scene } from './scene.ts'

/** More pages than any test has. */
const MOST_PAGES = 1000

export interface ClaimRequest {
  readonly queues: readonly string[]
  readonly limit?: number
  readonly tenants?: readonly string[]
  /** As a worker asks who wants few: the store need not show more than about so many. */
  readonly most?: number
  readonly running?: ReadonlyMap<string, number>
}

/** Ready work as workers take it: the store shows heads, the kernel's `pick` chooses. */
export async function claim(store: Store, request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
  const swept = await store.sweep(readySweep(request), (key, given) =>
    decideJob(onJob('claimStep', key.id, { tenant_id: key.tenant_id }), given),
  )
  return swept.flatMap(({ outcome }) => (outcome.ok ? [outcome.answer] : []))
}

/** Directives as dispatchers take them. */
export async function takeDirectives(store: Store, request: ClaimRequest): Promise<readonly OutboxRecord[]> {
  const swept = await store.sweep(readySweep(request), (key, given) =>
    decideJob(onJob('takeOutbox', key.id, { tenant_id: key.tenant_id }), given),
  )
  return swept.flatMap(({ outcome }) => (outcome.ok ? [outcome.answer] : []))
}

function readySweep({ limit = 1, running = new Map(), ...request }: ClaimRequest): Sweep {
  return {
    what: 'ready',
    ...request,
    perGroup: limit,
    pick: (heads, view) => pick(heads, { limit, running, view }).chosen,
  }
}

export function advance({ tenant_id, id }: RecordKey, given: Given) {
  return decideJob(onJob('advanceJob', id, { tenant_id }), given)
}

/** One page of what is due, or of what was signalled. */
export function advancePage(
  store: Store,
  what: 'due' | 'signalled',
  limit = 100,
): Promise<readonly Swept<JobRecord>[]> {
  return store.sweep({ what, limit }, advance)
}

/** All pages, until there is nothing left; the keys that were advanced, in order. */
export async function advanceAll(
  store: Store,
  what: 'due' | 'signalled',
  limit = 100,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 0; page < MOST_PAGES; page++) {
    const swept = await advancePage(store, what, limit)
    assert(swept.length <= limit, `a page of ${limit} holds no more`)
    if (swept.length === 0) return ids
    ids.push(...swept.map(({ key }) => key.id))
  }
  return assert.fail(`${what} work comes to an end`)
}

/** The job's first step as it was claimed. */
export async function claimJob(scene: Scene, job_id: string): Promise<StepRecord> {
  return (await scene.do(onJob('claimStep', job_id))).step
}

/** Takes the job's directive, says it was sent, and gives the step that was sent. */
export async function sendDirective(scene: Scene, job_id: string): Promise<StepRecord> {
  const row = await scene.do(onJob('takeOutbox', job_id))
  await scene.do(recordSent(job_id, row.outbox_id))
  const aggregate = await scene.store.load({ kind: 'job', tenant_id: row.tenant_id, id: job_id })
  const step = aggregate?.steps.find(({ step_id }) => step_id === row.step_id)
  assert(step !== undefined, 'the directive belongs to a step')
  return step
}

/** A job of one pulled step, from claim to success. */
export async function succeed(scene: Scene, job_id: string): Promise<void> {
  await scene.do(report(await claimJob(scene, job_id), SUCCESS))
}
