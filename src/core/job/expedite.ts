import type { Decision } from '../decision.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { isUnderWay } from '../machines/step.ts'
import { giveBack } from './attempt.ts'
import type { ExpediteJob } from './commands.ts'
import type { JobDraft } from './draft.ts'
import { jobsAmong } from './ended-topic.ts'
import { endJob } from './finish.ts'
import { openGate } from './gates.ts'
import type { JobRecord, StepRecord } from './record.ts'
import { settle } from './settle.ts'
import { isAhead } from './waiting.ts'

/**
 * An operator gets on with a job. Delays and backoffs end; what else stands in the way is passed over only when it is
 * named. A job that has ended, or is being cancelled, stays as it is.
 */
export function expedite(draft: JobDraft, command: ExpediteJob): Decision<JobRecord> {
  const { job, given } = draft
  const ignores = new Set(command.ignore)
  if (job.state === 'CANCELLING' && ignores.has('attempt')) return stopWaiting(draft)
  if (job.state === 'CANCELLING' || isTerminal(jobMachine, job.state)) {
    draft.ignore('expediteJob', job)
    return draft.finish(job)
  }
  draft.remark({
    expedited: [...ignores],
    ...(command.priority === null ? null : { priority: command.priority }),
  })
  if (command.priority !== null) draft.setJob({ priority: command.priority })
  if (isAhead(job.run_at, given.now)) draft.setJob({ run_at: draft.at })
  if (ignores.has('dependencies')) {
    draft.setJob({ waits_for: job.waits_for.filter((topic) => jobsAmong([topic]).length === 0) })
  }
  if (ignores.has('limits')) draft.setJob({ unlimited: true })
  const step = draft.active
  if (step !== undefined && ignores.has('gate')) openGate(draft, step)
  if (step !== undefined) expediteStep(draft, step, ignores.has('attempt'))
  settle(draft)
  draft.reindex()
  return draft.finish(draft.job)
}

/** The worker that was told to stop is not waited for. */
function stopWaiting(draft: JobDraft): Decision<JobRecord> {
  draft.remark({ expedited: ['attempt'] })
  endJob(draft, 'CANCELLED')
  draft.reindex()
  return draft.finish(draft.job)
}

function expediteStep(draft: JobDraft, step: StepRecord, endsAttempt: boolean): void {
  const row = draft.currentRow
  if (endsAttempt && isUnderWay(step.state)) {
    giveBack(draft, step, { code: 'GIVEN_UP', message: 'An operator did not want to wait for it any longer' })
  } else if (step.state === 'FAILED_RETRY') {
    draft.setStep(step.step_index, { retry_at: draft.at })
  } else if (row !== undefined && row.next_try_at !== null) {
    draft.setRow(row, { next_try_at: null })
  }
}
