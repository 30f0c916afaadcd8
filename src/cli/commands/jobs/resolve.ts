import { Argument, Option } from 'commander'
import type { JobAggregate } from '../../../core/aggregate.ts'
import type { StageReport } from '../../../core/job/commands.ts'
import { activeStep } from '../../../core/job/waiting.ts'
import type { Json } from '../../../core/json.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { Conflict } from '../../../errors/refusal-errors.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import type { Session } from '../../session.ts'
import { jobNotFound } from './not-found.ts'

interface Options {
  readonly done?: boolean
  readonly failed?: boolean
  readonly stage?: string
  readonly note?: string
  readonly output?: Json
}

/** Said by a person: whoever looks for a reason finds the note. */
const FAILED_BY_HAND = 'FAILED_BY_HAND'

export const jobsResolve = defineCommand<Options>({
  name: 'resolve',
  summary: 'say how a job ended that was left to a person',
  about:
    'Says of a job that waits for a person that the work is done, or that it could not be. Such a job is the last rung ' +
    'of an escalation, when no tool could do the work; all of them: waybill jobs list --waiting-for-people. It works for ' +
    'every stage that is not run by workers here (delivery external), too; --stage says which one where the job has ' +
    'more than one to come. Jobs that wait for this one go on, or not, as with any other.',
  arguments: [new Argument('<id>', 'id of the job')],
  options: [
    new Option('--done', 'the work is done').conflicts('failed'),
    new Option('--failed', 'it could not be done: the job fails for good'),
    new Option('--note <text>', 'what there is to say about it; for a failure, why'),
    new Option('--output <json>', 'what came of it, for the jobs and stages after it')
      .argParser(parseOutput)
      .conflicts('failed'),
    new Option('--stage <name>', 'which stage; the one that the job is at unless told'),
  ],
  writes: true,
  examples: [
    ['jobs list --waiting-for-people', 'what there is to do'],
    ['jobs resolve JOB --done --note "fixed by hand in 1a2b3c4"', 'it is done'],
    ['jobs resolve JOB --failed --note "not worth it"', 'it is not'],
    [`jobs resolve JOB --done --stage review --output '{"approved": true}'`, 'a stage of a pipeline'],
  ],
  exits: [
    [2, 'it is not said how it ended, or the job has no such stage'],
    [3, 'there is no such job'],
    [4, 'it does not wait for anybody to say so: it has ended, or a worker has it'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { tenant, done, failed, stage, note, output }, [id]) {
    if (done !== true && failed !== true) throw howIsMissing(id as string)
    const job_id = id as string
    const ledger = await session.openToChange()
    const aggregate = await ledger.jobs.show(job_id, tenant)
    if (aggregate === null) throw await jobNotFound(session, ledger, job_id)
    const at = stage ?? stageOf(session, aggregate)
    const report: StageReport =
      failed === true
        ? { what: 'failed', stage: at, error: { code: FAILED_BY_HAND, message: note ?? NO_NOTE } }
        : { what: 'succeeded', stage: at, output: output ?? null, ...UNCOUNTED }
    const { job } = await ledger.jobs.reportStage(job_id, report, { tenant_id: tenant, reason: note })
    if (session.isJson) return session.json(job)
    const { out } = session
    await out.line(`${safeText(job_id)}: ${out.paint(stateStyle(job.state), job.state)}`)
  },
})

const NO_NOTE = 'Whoever had it says that it failed'

const UNCOUNTED = { attempts: null, output_count: null, duration_ms: null }

function parseOutput(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    const next = `Write it in quotes for the shell: --output '{"approved": true}'.`
    throw InvalidInput.by(error, 'output', `--output is not JSON: ${(error as Error).message}`, next)
  }
}

function howIsMissing(id: string): InvalidInput {
  const next = `Say --done or --failed: waybill jobs resolve ${shellWord(id)} --done`
  return new InvalidInput('done', 'It is not said how it ended', next)
}

/** The stage it is at, which nobody here runs. */
function stageOf(session: Session, { job, steps }: JobAggregate): string {
  const step = activeStep(steps)
  if (step !== undefined && step.delivery === 'external') return step.step_id
  const { job_id, state, escalation } = job
  const next = escalation?.escalated_to ?? null
  throw new Conflict({
    code: 'NOT_EXTERNAL',
    field: 'id',
    message: `Job ${job_id} is ${state}, and waits for nobody to say how it ended`,
    next:
      next === null
        ? `See what keeps it: ${session.hintOf(`why ${shellWord(job_id)}`)}`
        : `Job ${next} took over from it: ${session.hintOf(`why ${shellWord(next)}`)}`,
    details: { job_id, state, escalated_to: next },
  })
}
