import type { JobAggregate } from '../core/aggregate.ts'
import { awaitedJobs } from '../core/job/dependencies.ts'
import type { JobRecord } from '../core/job/record.ts'
import { activeStep } from '../core/job/waiting.ts'
import { type Why, whyJob } from '../core/job/why.ts'
import { placeOf } from '../core/job/why-not-taken.ts'
import { EVERYBODY } from '../core/queue/record.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'

/** Of each group of ready work so many are looked at: who is behind more than that knows that it is far behind. */
const LOOKED_AT = 1000

/** Dependencies that are looked at: each is a cause of its own. */
const MOST_DEPENDENCIES = 100

/** Why a job is where it is; null when there is none. */
export async function why(
  store: Store,
  clock: Clock,
  { tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string },
): Promise<Why | null> {
  const aggregate = await store.load({ kind: 'job', tenant_id, id: job_id })
  if (aggregate === null) return null
  const { job } = aggregate
  const queue = activeStep(aggregate.steps)?.queue
  return whyJob(aggregate, {
    now: clock.now(),
    dependencies: await dependenciesOf(store, aggregate),
    queue: queue === undefined ? null : await store.get({ kind: 'queue', tenant_id: EVERYBODY, id: queue }),
    place:
      job.ready === null
        ? null
        : await store.ready([job.ready.queue], LOOKED_AT, (heads, view) => placeOf(job, heads, view)),
  })
}

async function dependenciesOf(
  store: Store,
  { job }: JobAggregate,
): Promise<ReadonlyMap<string, JobRecord | null>> {
  const { tenant_id } = job
  const ids = awaitedJobs(job).slice(0, MOST_DEPENDENCIES)
  const jobs = await Promise.all(ids.map((id) => store.get({ kind: 'job', tenant_id, id })))
  return new Map(ids.map((id, i) => [id, jobs[i] ?? null]))
}
