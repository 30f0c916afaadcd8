import type { JobAggregate, RecordKey } from '../aggregate.ts'
import { type Given, type Needed, need } from '../decision.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import type { JobDraft } from './draft.ts'
import { endedTopic, jobsAmong } from './ended-topic.ts'
import { endJob } from './finish.ts'
import type { JobRecord } from './record.ts'

/** The jobs named, or those that took over from them; or a request to load those that were not. */
export function loadJobs(
  given: Given,
  tenant_id: string,
  ids: readonly string[],
): Needed | Map<string, JobAggregate | null> {
  const found = new Map<string, JobAggregate | null>()
  const missing: RecordKey[] = []
  for (const id of ids) {
    const last = lastOfChain(given, tenant_id, id)
    if (typeof last === 'string') missing.push({ kind: 'job', tenant_id, id: last })
    else found.set(id, last)
  }
  return missing.length > 0 ? need(missing) : found
}

/** The job that has the work now: another one, if this one was escalated. The id of one that is not loaded. */
function lastOfChain(given: Given, tenant_id: string, first: string): JobAggregate | null | string {
  let id = first
  for (;;) {
    const aggregate = given.get('job', tenant_id, id)
    if (aggregate === undefined) return id
    const next = aggregate?.job.escalation?.escalated_to ?? null
    if (next === null) return aggregate
    id = next
  }
}

/**
 * Looks at what the job still waits for. A dependency that succeeded is struck off; one that did not, or that no
 * longer exists, is dealt with by the job's policy, so that nothing waits in silence.
 */
export function resolveDependencies(
  draft: JobDraft,
  dependencies: ReadonlyMap<string, JobAggregate | null>,
): void {
  // Nearly always.
  if (dependencies.size === 0 && draft.job.waits_for.length === 0) return
  // Whatever else it waits for is not a job.
  // Two of the others may have come to the same job, where one took over from the other.
  const topics = new Set(draft.job.waits_for.filter((topic) => jobsAmong([topic]).length === 0))
  for (const [id, aggregate] of dependencies) {
    const dependency = aggregate?.job
    if (dependency !== undefined && !isTerminal(jobMachine, dependency.state)) {
      topics.add(endedTopic(dependency.job_id))
    } else if (dependency?.state !== 'SUCCEEDED' && draft.job.on_dependency_failure !== 'release') {
      giveUp(draft, id, dependency)
      return
    }
  }
  if (!sameTopics(topics, draft.job.waits_for)) draft.setJob({ waits_for: [...topics] })
}

function giveUp(draft: JobDraft, id: string, dependency: JobRecord | undefined): void {
  const message = `It depends on job ${id}, which is ${dependency?.state ?? 'no longer there'}`
  if (draft.job.on_dependency_failure === 'fail') {
    endJob(draft, 'FAILED_FINAL', { code: 'DEPENDENCY_FAILED', message })
  } else {
    draft.moveJob('CANCELLING')
    endJob(draft, 'CANCELLED', { code: 'DEPENDENCY_SKIPPED', message })
  }
}

function sameTopics(a: ReadonlySet<string>, b: readonly string[]): boolean {
  return a.size === b.length && b.every((topic) => a.has(topic))
}

/** The ids of the jobs that a job still waits for. */
export function awaitedJobs(job: JobRecord): readonly string[] {
  return jobsAmong(job.waits_for)
}
