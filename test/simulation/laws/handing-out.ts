import type { JobAggregate } from '../../../src/core/aggregate.ts'
import { documentTopic } from '../../../src/core/document/topic.ts'
import { endedTopic } from '../../../src/core/job/ended-topic.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../src/core/job/record.ts'
import { activeStep } from '../../../src/core/job/waiting.ts'
import { law } from '../law-broken.ts'
import { type Commit, isEnded, isUnderWay, jobsOf, nameOf, type Shadow } from '../shadow.ts'

/** Work is handed out only when nothing stands in its way, and nothing is left waiting for what will never come. */
export class HandingOut {
  /** Jobs that somebody told not to wait for others. */
  readonly #released = new Set<string>()

  readonly check = (shadow: Shadow, commit: Commit): void => {
    const { change } = commit
    for (const { tenant_id, job_id, metadata } of change.audit) {
      const expedited = metadata.expedited as readonly string[] | undefined
      if (expedited?.includes('dependencies')) this.#released.add(nameOf(tenant_id, job_id as string))
    }
    for (const name of jobsOf(change)) {
      const after = shadow.after(name, change)
      for (const step of handedOut(shadow, after, commit)) {
        const paused = shadow.queueSeenBy(commit, step.queue).every((queue) => queue?.state === 'paused')
        law(!paused, () => `step ${step.step_id} of ${name} was handed out of ${step.queue}, which is paused`)
      }
      this.#checkDependencies(shadow, name, after, commit)
      checkWait(shadow, name, after, commit)
    }
  }

  #checkDependencies(shadow: Shadow, name: string, { job }: JobAggregate, { change }: Commit): void {
    const had = shadow.jobs.get(name)?.job.attempts_total ?? 0
    const ids = job.depends_on
    const ends = ids.map((id) => stateOf(shadow, nameOf(job.tenant_id, id), change))
    const isBegun = had === 0 && job.attempts_total > 0
    if (isBegun && !this.#released.has(name)) {
      for (const [n, state] of ends.entries()) {
        const met = state === 'SUCCEEDED' || (isEndState(state) && job.on_dependency_failure === 'release')
        law(met, () => `job ${name} began while ${ids[n]}, on which it depends, is ${state}`)
      }
    }
    if (job.error_code !== 'DEPENDENCY_FAILED' && job.error_code !== 'DEPENDENCY_SKIPPED') return
    const policy = job.error_code === 'DEPENDENCY_FAILED' ? 'fail' : 'skip'
    law(job.on_dependency_failure === policy, () => `job ${name} ended by the policy ${policy}`)
    const failed = ends.some((state) => isEndState(state) && state !== 'SUCCEEDED')
    law(failed, () => `job ${name} was given up although what it depends on is ${ends.join(', ')}`)
  }
}

/** Steps that a worker or dispatcher was given by this commit. */
function handedOut(shadow: Shadow, { steps }: JobAggregate, { change }: Commit): readonly StepRecord[] {
  return steps.filter((step) => {
    const old = shadow.before(step) as StepRecord | undefined
    if (step.delivery === 'pull') return isUnderWay(step) && step.lease_id !== old?.lease_id
    return change.puts.some((put) => {
      if (put.kind !== 'outbox' || put.lease_id !== step.lease_id) return false
      return put.tries > ((shadow.before(put) as OutboxRecord | undefined)?.tries ?? 0)
    })
  })
}

/** A job that is open has a time, a place among what is ready, or jobs that it waits for. */
function checkWait(shadow: Shadow, name: string, { job, steps }: JobAggregate, { change }: Commit): void {
  if (isEnded(job)) return
  // Only its scheduler can begin with it.
  if (activeStep(steps)?.delivery === 'external') return
  if (job.waits_for.length > 0) {
    const known = job.depends_on.filter(
      (id) => stateOf(shadow, nameOf(job.tenant_id, id), change) !== undefined,
    )
    const chain = known.flatMap((id) => chainOf(shadow, job.tenant_id, id, change))
    const topics = [...chain.map(endedTopic), documentTopic(job.doc_id ?? '')]
    law(
      job.waits_for.every((topic) => topics.includes(topic)),
      () => `job ${name} waits for ${job.waits_for}`,
    )
    return
  }
  law(job.due_at !== null || job.ready !== null, () => `job ${name} is ${job.state} and waits for nothing`)
}

/** Of the one that has the work now, if others took over. */
function stateOf(shadow: Shadow, name: string, change: Commit['change']): string | undefined {
  const job = jobOf(shadow, name, change)
  const next = job?.escalation?.escalated_to ?? null
  return next === null || job === undefined
    ? job?.state
    : stateOf(shadow, nameOf(job.tenant_id, next), change)
}

function jobOf(shadow: Shadow, name: string, change: Commit['change']): JobRecord | undefined {
  return jobsOf(change).has(name) ? shadow.after(name, change).job : shadow.jobs.get(name)?.job
}

/** It, and all that took over from it. */
function chainOf(shadow: Shadow, tenant_id: string, id: string, change: Commit['change']): readonly string[] {
  const next = jobOf(shadow, nameOf(tenant_id, id), change)?.escalation?.escalated_to ?? null
  return next === null ? [id] : [id, ...chainOf(shadow, tenant_id, next, change)]
}

function isEndState(state: string | undefined): boolean {
  return state === 'SUCCEEDED' || state === 'FAILED_FINAL' || state === 'CANCELLED'
}
