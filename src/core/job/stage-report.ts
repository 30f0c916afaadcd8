// What another scheduler says of the stages it runs, or a person of the work that was left to them. Its stages are steps with
// delivery `external`. A job may begin with one step of this kind, `bootstrap`, and nothing else: it is then open-ended, and
// its stages appear as they are reported, until somebody says that there are no more.
import type { JobAggregate } from '../aggregate.ts'
import { type Decision, type Refused, refuse } from '../decision.ts'
import { isTerminal, nextStates } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { stepMachine } from '../machines/step.ts'
import { beginWork, renewLease, succeedStep } from './attempt.ts'
import type { ReportStage, StageReport } from './commands.ts'
import { beginAttempt } from './dispatch.ts'
import type { JobDraft } from './draft.ts'
import { catchUp, endJob, leaveAttempt } from './finish.ts'
import { overlaid } from './metadata.ts'
import { newStep } from './new-job.ts'
import { awaitReport, isOpenEnded } from './open-ended.ts'
import { BOOTSTRAP } from './protocol.ts'
import type { StepRecord } from './record.ts'
import { finishEnding, settle } from './settle.ts'
import { waitOf } from './waiting.ts'

type Report<W extends StageReport['what']> = Extract<StageReport, { readonly what: W }>

export function reportStage(draft: JobDraft, command: ReportStage): Decision<JobAggregate> {
  finishEnding(draft)
  const { job } = draft
  const { what } = command.report
  if (isTerminal(jobMachine, job.state)) {
    if (what !== 'completed' || job.state !== 'SUCCEEDED') return refuseMove(draft, command)
    draft.ignore(command.type, job)
    return finish(draft)
  }
  if (job.state === 'CANCELLING' && what !== 'succeeded' && what !== 'failed')
    return refuseMove(draft, command)
  const refused = take(draft, command)
  if (refused !== null) return refused
  keepUp(draft)
  settle(draft)
  return finish(draft)
}

function take(draft: JobDraft, command: ReportStage): Refused | null {
  const { report } = command
  switch (report.what) {
    case 'prepared':
      return prepare(draft, command, report)
    case 'attempted':
      draft.setJob({ job_attempts: draft.job.job_attempts + 1 })
      draft.remark({ job_attempts: draft.job.job_attempts })
      return null
    case 'started':
      return refusedOr(openStage(draft, command, report.stage), () => {})
    case 'retried':
      return refusedOr(openStage(draft, command, report.stage), (step) => {
        const error = report.error ?? { code: 'RETRIED', message: 'Its scheduler tries it again' }
        leaveAttempt(draft, step, 'FAILED_RETRY', { retry_at: draft.at, holder: null }, error)
        begin(draft, draft.steps[step.step_index] as StepRecord, command.actor)
      })
    case 'succeeded':
      return succeed(draft, command, report)
    case 'failed':
      return fail(draft, command, report)
    case 'completed':
      return complete(draft, command, report)
  }
}

/** What is asked for was done already, or is refused; else it is done. */
function refusedOr(opened: StepRecord | Refused, then: (step: StepRecord) => void): Refused | null {
  if (opened.kind === 'refusal') return opened
  then(opened)
  return null
}

function prepare(draft: JobDraft, command: ReportStage, report: Report<'prepared'>): Refused | null {
  const step = draft.active
  const opened = step === undefined ? null : open(draft, command, step)
  if (opened?.kind === 'refusal') return opened
  draft.setJob({
    pipeline_name: report.pipeline_name,
    metadata: overlaid(draft.job.metadata, report.metadata),
  })
  return null
}

function succeed(draft: JobDraft, command: ReportStage, report: Report<'succeeded'>): Refused | null {
  return refusedOr(openStage(draft, command, report.stage), (step) => {
    const { output, attempts, output_count, duration_ms } = report
    succeedStep(draft, step, {
      output,
      ...(attempts === null ? null : { attempts }),
      ...(output_count === null ? null : { output_count }),
      ...(duration_ms === null ? null : { duration_ms }),
    })
  })
}

function fail(draft: JobDraft, command: ReportStage, report: Report<'failed'>): Refused | null {
  const { stage, error } = report
  const step = stage === null ? draft.active : openStage(draft, command, stage)
  if (step === undefined) {
    // Between two stages.
    endJob(draft, 'FAILED_FINAL', error)
    return null
  }
  if (step.kind === 'refusal') return step
  return refusedOr(open(draft, command, step), (opened) => {
    if (draft.job.state === 'CANCELLING') {
      leaveAttempt(draft, opened, 'CANCELLED', {}, error)
      return
    }
    leaveAttempt(draft, opened, 'FAILED_FINAL', {}, error)
    endJob(draft, 'FAILED_FINAL', error)
  })
}

function complete(draft: JobDraft, command: ReportStage, report: Report<'completed'>): Refused | null {
  const step = draft.active
  if (step !== undefined && step.step_id !== BOOTSTRAP) return refuseOpen(draft, command, step)
  if (step !== undefined) {
    const refused = passBootstrap(draft, command, step)
    if (refused !== null) return refused
  }
  draft.setJob({ report_by: null, metadata: overlaid(draft.job.metadata, report.metadata) })
  return null
}

/** The step of a stage, under way: begun, or made, where nobody said that it started. */
function openStage(draft: JobDraft, command: ReportStage, stage: string): StepRecord | Refused {
  const step = draft.steps.find(({ step_id }) => step_id === stage)
  if (step !== undefined) return open(draft, command, step)
  if (!isOpenEnded(draft)) return refuseStage(draft, stage)
  if (draft.job.state === 'CANCELLING') return refuseMove(draft, command)
  const active = draft.active
  if (active !== undefined && active.step_id !== BOOTSTRAP) return refuseOpen(draft, command, active)
  if (active !== undefined) {
    const refused = passBootstrap(draft, command, active)
    if (refused !== null) return refused
  }
  if (draft.steps.length > MOST_STAGES) return refuseMore(draft)
  const next = append(draft, stage)
  catchUp(draft)
  draft.moveJob('IN_PROGRESS', {
    report_by: null,
    current_step_id: next.step_id,
    current_step_index: next.step_index,
  })
  return begin(draft, next, command.actor)
}

function open(draft: JobDraft, command: ReportStage, step: StepRecord): StepRecord | Refused {
  if (step.delivery !== 'external') return refuseForeign(draft, step)
  if (step.state === 'IN_PROGRESS') return step
  if (isTerminal(stepMachine, step.state) || draft.job.state === 'CANCELLING') {
    return refuseMove(draft, command, step)
  }
  if (step !== draft.active) return refuseOpen(draft, command, draft.active as StepRecord)
  const wait = waitOf(draft, draft.given.now)
  if (wait.cause !== 'claim') return refuseWaiting(draft, wait.cause)
  return begin(draft, step, command.actor)
}

/** The run is past its preparation. */
function passBootstrap(draft: JobDraft, command: ReportStage, step: StepRecord): Refused | null {
  return refusedOr(open(draft, command, step), (opened) => leaveAttempt(draft, opened, 'SUCCEEDED', {}))
}

/** Stages that a run may report: each is read and written with its job. */
const MOST_STAGES = 200

function append(draft: JobDraft, stage: string): StepRecord {
  const { job, steps } = draft
  const { service, queue, policy } = steps[0] as StepRecord
  const protocolStep = {
    step_id: stage,
    step_type: stage,
    service,
    delivery: 'external',
    queue,
    policy,
  } as const
  const { tenant_id, job_id } = job
  const request = { tenant_id, job_id, input_ref: '', output_ref: '', payload: null }
  const step = newStep(request, protocolStep, steps.length, [], draft.at)
  draft.addStep({ ...step, input_ref: job.input_ref, output_ref: job.output_ref })
  return draft.steps.at(-1) as StepRecord
}

function begin(draft: JobDraft, step: StepRecord, holder: string): StepRecord {
  return beginWork(draft, beginAttempt(draft, step, holder))
}

/** Whoever reports is there: what it has, it may keep for longer. */
function keepUp(draft: JobDraft): void {
  const step = draft.active
  if (draft.job.state === 'CANCELLING') return
  if (step?.state === 'IN_PROGRESS' && step.delivery === 'external') renewLease(draft, step)
  else if (draft.job.report_by !== null) awaitReport(draft)
}

function finish(draft: JobDraft): Decision<JobAggregate> {
  draft.reindex()
  const { job, steps, outbox } = draft
  return draft.finish({ job, steps, outbox })
}

function refuseMove(draft: JobDraft, { type }: ReportStage, step?: StepRecord): Refused {
  const record = step ?? draft.job
  const { job_id } = draft.job
  const legal =
    step === undefined
      ? [...nextStates(jobMachine, draft.job.state)]
      : [...nextStates(stepMachine, step.state)]
  const name = step === undefined ? `Job ${job_id}` : `Stage ${step.step_id} of job ${job_id}`
  return refuse(
    {
      code: 'INVALID_STATE_TRANSITION',
      message: `${name} is ${record.state} and cannot be worked on any more`,
      field: step === undefined ? 'job_id' : 'stage',
      next: `What has ended stays as it is; run it again as a new job: waybill jobs again ${job_id}`,
      details: { kind: record.kind, id: job_id, from: record.state, to: 'IN_PROGRESS', legal },
    },
    draft.refusalEntry('INVALID_STATE_TRANSITION', type, record),
  )
}

function refuseStage({ job, steps }: JobDraft, stage: string): Refused {
  const names = steps.map(({ step_id }) => step_id)
  return refuse({
    code: 'STEP_UNKNOWN',
    message: `Job ${job.job_id} has no stage ${stage}, and its protocol says which stages it has`,
    field: 'stage',
    next: `Use one of: ${names.join(', ')}.`,
    details: { job_id: job.job_id, stage, steps: names },
  })
}

function refuseForeign({ job }: JobDraft, step: StepRecord): Refused {
  return refuse({
    code: 'NOT_EXTERNAL',
    message: `Step ${step.step_id} of job ${job.job_id} is done by workers (${step.delivery}), not by another scheduler`,
    field: 'stage',
    next: 'Leave it to the workers, or submit the job under a protocol whose steps have delivery external.',
    details: { job_id: job.job_id, step_id: step.step_id, delivery: step.delivery },
  })
}

function refuseOpen({ job }: JobDraft, { report }: ReportStage, step: StepRecord): Refused {
  return refuse({
    code: 'STEP_NOT_REACHED',
    message: `Stage ${step.step_id} of job ${job.job_id} is ${step.state}: nobody said that it is over, and ${report.what} comes after it`,
    field: 'stage',
    next: `Report how ${step.step_id} ended first.`,
    details: { job_id: job.job_id, step_id: step.step_id, state: step.state },
  })
}

function refuseMore({ job }: JobDraft): Refused {
  return refuse({
    code: 'STAGE_LIMIT',
    message: `Job ${job.job_id} has reported ${MOST_STAGES} stages, as many as a job may have`,
    field: 'stage',
    next: 'Complete the run and go on in another job, or report parts of a stage as its attempts.',
    details: { job_id: job.job_id, limit: MOST_STAGES },
  })
}

function refuseWaiting({ job }: JobDraft, cause: string): Refused {
  return refuse({
    code: 'NOT_CLAIMABLE',
    message: `Job ${job.job_id} cannot begin yet: it waits for ${cause}`,
    next: `Ask what keeps it: waybill why ${job.job_id}`,
    details: { job_id: job.job_id, state: job.state, waits_for: cause },
  })
}
