import type { JobAggregate, RecordKey } from '../aggregate.ts'
import { type Given, type Needed, need } from '../decision.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import type { JobDraft } from './draft.ts'
import { endedTopic, endJob } from './finish.ts'
import type { JobRecord } from './record.ts'

/** The jobs named, or a request to load those that were not. */
export function loadJobs(
  given: Given,
  tenant_id: string,
  ids: readonly string[],
): Needed | Map<string, JobAggregate | null> {
  const found = new Map<string, JobAggregate | null>()
  const missing: RecordKey[] = []
  for (const id of ids) {
    const aggregate = given.get('job', tenant_id, id)
    if (aggregate === undefined) missing.push({ kind: 'job', tenant_id, id })
    else found.set(id, aggregate)
  }
  return missing.length > 0 ? need(missing) : found
}

/**
 * Looks at what the job still waits for. A dependency that succeeded is struck off; one that did not, or that no
 * longer exists, is dealt with by the job's policy, so that nothing waits in silence.
 */
export function resolveDependencies(
  draft: JobDraft,
  dependencies: ReadonlyMap<string, JobAggregate | null>,
): void {
  const waits_for: string[] = []
  for (const [id, aggregate] of dependencies) {
    const dependency = aggregate?.job
    if (dependency !== undefined && !isTerminal(jobMachine, dependency.state)) {
      waits_for.push(endedTopic(id))
    } else if (dependency?.state !== 'SUCCEEDED' && draft.job.on_dependency_failure !== 'release') {
      giveUp(draft, id, dependency)
      return
    }
  }
  if (waits_for.length !== draft.job.waits_for.length) draft.setJob({ waits_for })
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

/** The ids of the jobs that a job still waits for. */
export function awaitedJobs(job: JobRecord): readonly string[] {
  const topics = new Set(job.waits_for)
  return job.depends_on.filter((id) => topics.has(endedTopic(id)))
}
