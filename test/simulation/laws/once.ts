import { idempotencyClaim } from '../../../src/core/idempotency.ts'
import type { JobRecord } from '../../../src/core/job/record.ts'
import type { ScheduleRecord } from '../../../src/core/schedule/record.ts'
import { law } from '../law-broken.ts'
import { type Commit, nameOf, type Shadow } from '../shadow.ts'

/** A request makes one job, however often it is sent; a time of a schedule makes one job, whoever fires it. */
export class Once {
  readonly #jobs = new Map<string, string>()

  readonly check = (shadow: Shadow, { change }: Commit): void => {
    for (const put of change.puts) {
      if (put.kind !== 'job' || shadow.before(put) !== undefined) continue
      this.#checkRequest(put, change)
      if (put.schedule_id !== null) checkTime(shadow, put, change)
    }
  }

  /** The job that a request made, if it made one. */
  jobOf(tenant_id: string, key: string | null, hash: string): string | undefined {
    return this.#jobs.get(nameOf(tenant_id, idempotencyClaim(key, hash)))
  }

  #checkRequest(job: JobRecord, { claims }: Commit['change']): void {
    const { tenant_id, job_id, idempotency_key, again_of } = job
    if (again_of !== null && idempotency_key === null) return
    // It comes of another job, and not of a request.
    if (job.escalation?.escalated_from != null) return
    const key = idempotencyClaim(idempotency_key, job.idempotency_hash)
    const name = nameOf(tenant_id, key)
    law(
      !this.#jobs.has(name),
      () => `${name} made job ${this.#jobs.get(name)}, and then job ${job_id} as well`,
    )
    this.#jobs.set(name, job_id)
    const isClaimed = claims.some((claim) => claim.key === key && claim.owner === job_id)
    law(isClaimed, () => `job ${job_id} came without a claim to ${name}`)
  }
}

function checkTime(shadow: Shadow, job: JobRecord, { puts }: Commit['change']): void {
  const name = nameOf(job.tenant_id, job.schedule_id as string)
  const schedule = puts.find(
    (put): put is ScheduleRecord => put.kind === 'schedule' && put.schedule_id === job.schedule_id,
  )
  law(
    schedule?.last_job_id === job.job_id,
    () => `schedule ${name} made job ${job.job_id} and does not say so`,
  )
  const before = shadow.schedules.get(name)
  law(before?.state === 'active', () => `schedule ${name} is ${before?.state} and made a job`)
  const [last, at] = [before.last_at, schedule.last_at as string]
  law(last === null || last < at, () => `schedule ${name} was fired for ${at} after it was for ${last}`)
  law(at === before.next_at, () => `schedule ${name} was fired for ${at}, but next was ${before.next_at}`)
}
