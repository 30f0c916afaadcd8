// What people may do with a job. Nobody writes the rules down once more for it: the decision itself is asked what it would
// say, on what is there now, and what it says is not written.
import type { JobAggregate } from '../aggregate.ts'
import { type Decision, type Given, isNothing, type Needed } from '../decision.ts'
import { onlyAsked } from '../only-asked.ts'
import type { JobCommand, RunAgain } from './commands.ts'
import { decideJob } from './decide.ts'
import { NO_LIMIT } from './limits.ts'

/** Something that a person may do with a job. */
export interface JobAction {
  readonly action: JobActionName
  /** It would be done, and would change something. */
  readonly allowed: boolean
  readonly why_not: string | null
  /** What to do instead. */
  readonly next: string | null
  /** What it does, in one line. */
  readonly about: string
  /** The steps that the new job may begin with; only `again` has any. */
  readonly from_steps: readonly string[]
}

export const JOB_ACTIONS = ['cancel', 'again', 'expedite', 'annotate'] as const

export type JobActionName = (typeof JOB_ACTIONS)[number]

const ABOUT: { readonly [action in JobActionName]: string } = {
  cancel: 'Ends it; what is running is told to stop',
  again: 'Makes a new job of it: all of it, or from a step on',
  expedite: 'Gets on with it: delays and backoffs end now, and what is named is not waited for',
  annotate: 'Lays something over what is known of it; gates look at it',
}

/** No job can have this name: one is asked about, and never made. */
const NOBODYS = ''

const NOBODY = { actor: '', reason: null } as const

/** What it comes to, or what has to be loaded first. */
export function jobActions(aggregate: JobAggregate, given: Given): readonly JobAction[] | Needed {
  const actions: JobAction[] = []
  const asking = onlyAsked(given.now, (kind, tenant_id, id) =>
    id === NOBODYS ? null : given.get(kind, tenant_id, id),
  )
  for (const action of JOB_ACTIONS) {
    const decision = decideJob(commandFor(action, aggregate), asking)
    if (decision.kind === 'need') return decision
    const from_steps = action === 'again' ? stepsToBegin(aggregate, asking) : []
    actions.push({ action, ...verdictOn(decision, aggregate), about: ABOUT[action], from_steps })
  }
  return actions
}

function verdictOn(decision: Exclude<Decision<unknown>, Needed>, { job }: JobAggregate) {
  if (decision.kind === 'refusal') {
    const { message, next } = decision.refusal
    return { allowed: false, why_not: message, next }
  }
  if (!isNothing(decision.change)) return { allowed: true, why_not: null, next: null }
  return { allowed: false, why_not: `Job ${job.job_id} is ${job.state}: it would change nothing`, next: null }
}

function commandFor(action: JobActionName, { job }: JobAggregate): JobCommand {
  const { tenant_id, job_id } = job
  const to = { tenant_id, job_id, ...NOBODY }
  switch (action) {
    case 'cancel':
      return { type: 'cancelJob', ...to }
    case 'again':
      return againFrom(job, null)
    case 'expedite':
      // Whoever does it says what is not to be waited for: there is something to it if there is with all of it.
      return {
        type: 'expediteJob',
        ...to,
        priority: null,
        ignore: ['dependencies', 'limits', 'attempt', 'gate'],
      }
    case 'annotate':
      return { type: 'annotateJob', ...to, metadata: { note: '' }, event: null }
  }
}

function againFrom({ tenant_id, job_id }: JobAggregate['job'], from_step: string | null): RunAgain {
  return {
    type: 'runAgain',
    tenant_id,
    job_id,
    ...NOBODY,
    new_job_id: NOBODYS,
    from_step,
    idempotency_key: null,
    inFlightLimit: NO_LIMIT,
  }
}

function stepsToBegin({ job, steps }: JobAggregate, given: Given): readonly string[] {
  return steps
    .map(({ step_id }) => step_id)
    .filter((step_id) => decideJob(againFrom(job, step_id), given).kind === 'change')
}
