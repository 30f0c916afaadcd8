import { briefOf, briefOfNone, type JobBrief } from '../core/job/brief.ts'
import type { JobRecord } from '../core/job/record.ts'
import { fromIso } from '../core/time.ts'
import { findPages } from '../store/find-all.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'

export type { JobBrief } from '../core/job/brief.ts'

/** Jobs that have to do with a job. */
export interface Related {
  readonly depends_on: readonly JobBrief[]
  readonly dependants: readonly JobBrief[]
  /** Not all jobs were looked at, or not all are told: there may be more that depend on it or run it again. */
  readonly dependants_is_more: boolean
  readonly again_of: JobBrief | null
  readonly again: readonly JobBrief[]
  readonly escalated_from: JobBrief | null
  readonly escalated_to: JobBrief | null
  /** Every job of its escalation in order, itself among them; empty when there is none. */
  readonly chain: readonly JobBrief[]
  /** The newest others with its document. */
  readonly same_document: readonly JobBrief[]
}

/** Jobs that are looked at for those that name this one: no engine knows them by it. */
const MOST_LOOKED_AT = 20_000

/** Most of each that are told. */
const MOST_TOLD = 100
const MOST_OF_DOCUMENT = 10
const LONGEST_CHAIN = 100

/** Somebody waits for it. */
const LOOKED_FOR_MS = 1000

export async function related(store: Store, clock: Clock, job: JobRecord): Promise<Related> {
  const one = (job_id: string) => brief(store, job.tenant_id, job_id)
  const oneOrNone = async (job_id: string | null | undefined) => (job_id == null ? null : one(job_id))
  const { again_of, escalation } = job
  return {
    depends_on: await Promise.all(job.depends_on.slice(0, MOST_TOLD).map(one)),
    ...(await thoseThatName(store, clock, job)),
    again_of: await oneOrNone(again_of),
    escalated_from: await oneOrNone(escalation?.escalated_from),
    escalated_to: await oneOrNone(escalation?.escalated_to),
    chain: await chainOf(store, job),
    same_document: await sameDocument(store, job),
  }
}

async function brief(store: Store, tenant_id: string, job_id: string): Promise<JobBrief> {
  const job = await store.get({ kind: 'job', tenant_id, id: job_id })
  return job === null ? briefOfNone({ tenant_id, job_id }) : briefOf(job)
}

/** The newest jobs come first: none that is older than this one can name it. */
async function thoseThatName(store: Store, clock: Clock, { tenant_id, job_id, created_at }: JobRecord) {
  const until = clock.now() + LOOKED_FOR_MS
  const query = { kind: 'job', tenant_id, changedFrom: fromIso(created_at) } as const
  const dependants: JobBrief[] = []
  const again: JobBrief[] = []
  let left = MOST_LOOKED_AT
  let is_more = false
  for await (const page of findPages(store, { ...query, order: 'changed', direction: 'desc' })) {
    for (const job of page) {
      if (job.depends_on.includes(job_id)) dependants.push(briefOf(job))
      if (job.again_of === job_id) again.push(briefOf(job))
    }
    left -= page.length
    is_more = left <= 0 || Math.max(dependants.length, again.length) > MOST_TOLD || clock.now() > until
    if (is_more) break
  }
  return {
    dependants: dependants.slice(0, MOST_TOLD),
    dependants_is_more: is_more,
    again: again.slice(0, MOST_TOLD),
  }
}

/** Those before it from the last to the first, those after it from the first to the last. */
async function chainOf(store: Store, job: JobRecord): Promise<readonly JobBrief[]> {
  const before = await following(store, job, 'escalated_from')
  const after = await following(store, job, 'escalated_to')
  return before.length + after.length === 0 ? [] : [...before.toReversed(), briefOf(job), ...after]
}

async function following(
  store: Store,
  { tenant_id, escalation }: JobRecord,
  link: 'escalated_from' | 'escalated_to',
): Promise<readonly JobBrief[]> {
  const found: JobBrief[] = []
  let id = escalation?.[link] ?? null
  while (id !== null && found.length < LONGEST_CHAIN) {
    const next: JobRecord | null = await store.get({ kind: 'job', tenant_id, id })
    found.push(next === null ? briefOfNone({ tenant_id, job_id: id }) : briefOf(next))
    id = next?.escalation?.[link] ?? null
  }
  return found
}

async function sameDocument(
  store: Store,
  { tenant_id, job_id, doc_id }: JobRecord,
): Promise<readonly JobBrief[]> {
  if (doc_id === null) return []
  const { items } = await store.find({
    kind: 'job',
    tenant_id,
    where: { doc_id },
    order: 'changed',
    direction: 'desc',
    limit: MOST_OF_DOCUMENT + 1,
  })
  const others = items.filter((job) => job.job_id !== job_id)
  return others.slice(0, MOST_OF_DOCUMENT).map(briefOf)
}
