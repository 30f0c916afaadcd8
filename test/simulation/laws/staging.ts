import type { JobAggregate } from '../../../src/core/aggregate.ts'
import type { Change } from '../../../src/core/decision.ts'
import type { GroupRecord } from '../../../src/core/group/commands.ts'
import type { StepRecord } from '../../../src/core/job/record.ts'
import { isTerminal, type Machine } from '../../../src/core/machine.ts'
import { machines } from '../../../src/core/machines/all.ts'
import { looksAtDocument } from '../../../src/core/pipeline/gate.ts'
import { law } from '../law-broken.ts'
import { type Commit, isEnded, jobsOf, nameOf, type Shadow } from '../shadow.ts'

/** Who has runs follow their jobs; everybody else may end one as they like. */
const FOLLOWER = 'roll-up'

/** Gates open when they may, one of a chain at most is open, and no run ends before its jobs. */
export function stagingIsSound(shadow: Shadow, commit: Commit): void {
  const { change } = commit
  for (const name of jobsOf(change)) {
    const after = shadow.after(name, change)
    for (const step of after.steps) checkGate(shadow, after, step, commit)
    checkChain(shadow, name, after, change)
  }
  for (const put of change.puts) {
    if (put.kind === 'run' || put.kind === 'workstream') checkGroup(shadow, put, change)
  }
}

function checkGate(shadow: Shadow, { job }: JobAggregate, step: StepRecord, commit: Commit): void {
  const { puts, audit } = commit.change
  const old = shadow.before(step) as StepRecord | undefined
  if (step.gate?.opened_at == null || old?.gate?.opened_at != null) return
  const isLet = audit.some(
    ({ job_id, metadata }) =>
      job_id === job.job_id &&
      (metadata.expedited as readonly string[] | undefined)?.includes('gate') === true,
  )
  if (isLet) return
  const written = puts.find((put) => put.kind === 'document' && put.doc_id === job.doc_id)
  const seen =
    written === undefined ? shadow.documentSeenBy(commit, nameOf(job.tenant_id, job.doc_id ?? '')) : [written]
  const isSo = looksAtDocument(step.gate)
    ? seen.some((one) => one?.state === 'parsed')
    : job.metadata.go === true
  law(isSo, () => `gate ${step.gate?.name} of job ${job.job_id} opened, and what it asks for is not so`)
}

function checkChain(shadow: Shadow, name: string, { job, steps }: JobAggregate, change: Change): void {
  const { escalation, tenant_id, job_id } = job
  if (escalation === null) return
  const find = (id: string) => {
    const other = nameOf(tenant_id, id)
    return jobsOf(change).has(other) ? shadow.after(other, change).job : shadow.jobs.get(other)?.job
  }
  const before = escalation.escalated_from
  if (before !== null) {
    const from = find(before)
    law(from?.state === 'FAILED_FINAL', () => `job ${name} took over from ${before}, which is ${from?.state}`)
    law(from.escalation?.escalated_to === job_id, () => `job ${before} was taken over by two`)
  }
  if (!isEnded(job)) return
  const isFailed = job.state === 'FAILED_FINAL' && steps.some(({ attempt_no }) => attempt_no > 0)
  const follows = isFailed && escalation.rungs.length > 0
  const next = escalation.escalated_to
  law((next !== null) === follows, () => `job ${name} is ${job.state}, and ${next} took over`)
  if (next !== null) law(find(next) !== undefined, () => `job ${name} says that ${next} took over`)
}

function checkGroup(shadow: Shadow, group: GroupRecord, change: Change): void {
  const id = group.kind === 'run' ? group.run_id : group.workstream_id
  const entry = change.audit.find((one) => one.kind === group.kind && one.id === id && one.event === 'moved')
  if (!isOver(group) || entry?.actor !== FOLLOWER) return
  const open = shadow.openJobs().find(({ job }) => {
    const of = group.kind === 'run' ? job.run_id : job.workstream_id
    return job.tenant_id === group.tenant_id && of === id
  })
  law(open === undefined, () => `${group.kind} ${id} is ${group.state}, and job ${open?.job.job_id} is open`)
}

function isOver({ kind, state }: GroupRecord): boolean {
  return isTerminal(machines[kind] as Machine<string>, state)
}

/** What its jobs say of a run or workstream, if it does not say so yet; null when it does. */
export function notFollowed(shadow: Shadow): string | null {
  for (const group of [...shadow.runs.values(), ...shadow.workstreams.values()]) {
    if (isOver(group)) continue
    const id = group.kind === 'run' ? group.run_id : group.workstream_id
    const own = [...shadow.jobs.values()].filter(
      ({ job }) =>
        job.tenant_id === group.tenant_id && (group.kind === 'run' ? job.run_id : job.workstream_id) === id,
    )
    const run = group.kind === 'run' ? group : shadow.runs.get(nameOf(group.tenant_id, group.run_id ?? ''))
    if (own.some(({ job }) => !isEnded(job))) continue
    if (group.sealed || run?.sealed === true) {
      const jobs = own.map(({ job }) => `${job.job_id} ${job.state}`).join(', ')
      return `${group.kind} ${id} takes no more jobs, and is ${group.state}: ${jobs}`
    }
    const isBegun = own.some(({ job }) => ['SUCCEEDED', 'FAILED_FINAL'].includes(job.state))
    if (isBegun && group.state !== 'running') return `${group.kind} ${id} is ${group.state}, and has run`
  }
  return null
}
