import type { JobAggregate } from '../aggregate.ts'
import {
  type ClaimKey,
  change,
  type Decision,
  type Given,
  type Needed,
  need,
  type Refused,
  refuse,
} from '../decision.ts'
import { joinGroups } from '../group/join.ts'
import { differingFields, idempotencyClaim, idempotencyTail } from '../idempotency.ts'
import { route } from '../routing.ts'
import { Birth, Births } from './birth.ts'
import type { SubmitAnswer, SubmitJob } from './commands.ts'
import { loadJobs, resolveDependencies } from './dependencies.ts'
import { docKeyClaim } from './doc-key.ts'
import { JobDraft } from './draft.ts'
import { formFor, type JobForm, keepForm } from './job-form.ts'
import { IN_FLIGHT, limitsFor } from './limits.ts'
import { newJob } from './new-job.ts'
import { type Limit, NO_LIMITS, type ProtocolStep } from './protocol.ts'
import type { JobRecord } from './record.ts'
import { settle } from './settle.ts'

/**
 * Accepts a job. A request that was accepted before is answered with the job there is, before anything else is
 * looked at: repeating a submit is always safe, also at the limit.
 */
export function decideSubmit(command: SubmitJob, given: Given): Decision<SubmitAnswer> {
  const form = formFor(command)
  return form === null ? decideFirst(command, given) : decideAlike(form, command, given)
}

/** What was decided for another one holds for this one, but for what others have or take. */
function decideAlike(form: JobForm, command: SubmitJob, given: Given): Decision<SubmitAnswer> {
  const { tenant_id, job_id } = command
  const { idempotency_key, idempotency_hash } = command
  const key = idempotencyClaim(idempotency_key, idempotency_hash)
  const tail = idempotencyTail(idempotency_key, idempotency_hash)
  const owner = given.ownerOf({ tenant_id, key, tail })
  if (owner !== undefined) return answerDuplicate(command, given, owner)
  if (given.isFull({ tenant_id, key: IN_FLIGHT })) return refuseInFlight(command)
  const births = new Births([new Birth(form, command, key, given.now)])
  return { kind: 'change', change: births, answer: new NewJob(job_id) }
}

const NONE: readonly never[] = Object.freeze([])

/** Made by a constructor, as its command is, and for the same reason: a batch has a thousand of them. */
class NewJob implements SubmitAnswer {
  readonly job_id: string
  readonly duplicate = false
  readonly differing = NONE

  constructor(job_id: string) {
    this.job_id = job_id
  }
}

function decideFirst(command: SubmitJob, given: Given): Decision<SubmitAnswer> {
  const routing = route(command)
  if (routing === null) return refuseBurst(command)
  const { tenant_id, job_id } = command
  const key = idempotencyClaim(command.idempotency_key, command.idempotency_hash)
  const owner = given.ownerOf({ tenant_id, key })
  if (owner !== undefined) return answerDuplicate(command, given, owner)
  const document = documentClaim(command)
  const entry = document === null ? undefined : given.ownerOf(document)
  if (entry !== undefined) return answerDuplicate({ ...command, strictIdempotency: false }, given, entry)
  const jobs = command.depends_on.length === 0 ? NOBODY : loadJobs(given, tenant_id, command.depends_on)
  // An id that was just made is nobody's.
  const own = command.isFreshId === true ? null : given.get('job', tenant_id, job_id)
  if (own === undefined || !(jobs instanceof Map)) return needJobs(command, jobs)
  const refused = refuseBadIds(command, own, jobs)
  if (refused !== null) return refused
  const limits = limitsOfSteps(command)
  if (typeof limits === 'string') return refuseLimitKey(command, limits)
  const joined = joinGroups(command, given)
  if (joined.kind !== 'joined') return joined
  if (given.isFull({ tenant_id, key: IN_FLIGHT })) return refuseInFlight(command)

  const own_run = joined.run_id === command.run_id ? command : { ...command, run_id: joined.run_id }
  const draft = JobDraft.born(newJob(own_run, routing, limits, given.now), command, given)
  draft.join(joined)
  draft.claim({ tenant_id, key, owner: job_id })
  if (document !== null) draft.claim({ ...document, owner: job_id })
  draft.slot({ tenant_id, key: IN_FLIGHT, verb: 'take', owner: job_id, max: command.inFlightLimit })
  resolveDependencies(draft, jobs)
  settle(draft)
  const decision = draft.finish({ job_id, duplicate: false, differing: NONE })
  keepForm(command, decision.change)
  return decision
}

/** The document's own key belongs to the first job that names it. */
function documentClaim({ tenant_id, doc_key }: SubmitJob): ClaimKey | null {
  return doc_key === null ? null : { tenant_id, key: docKeyClaim(doc_key) }
}

const NOBODY = new Map<string, JobAggregate | null>()

/** Everything that it may be missing, at once. */
function needJobs({ tenant_id, job_id }: SubmitJob, jobs: ReturnType<typeof loadJobs>): Needed {
  const own = { kind: 'job', tenant_id, id: job_id } as const
  return need(jobs instanceof Map ? [own] : [own, ...jobs.keys])
}

function answerDuplicate(command: SubmitJob, given: Given, owner: string): Decision<SubmitAnswer> {
  const existing = given.get('job', command.tenant_id, owner)
  if (existing === undefined) return need([{ kind: 'job', tenant_id: command.tenant_id, id: owner }])
  const job = existing?.job
  const differing = job === undefined ? [] : differingFields(command, job as SubmitJob & JobRecord)
  if (command.strictIdempotency && differing.length > 0) {
    return refuse({
      code: 'IDEMPOTENCY_CONFLICT',
      message: `The idempotency key ${command.idempotency_key} belongs to job ${owner}, which is another request`,
      field: 'idempotency_key',
      next: 'Use a new key for a new request, or send the same request again.',
      details: { job_id: owner, differing },
    })
  }
  return change({ job_id: owner, duplicate: true, differing }, {})
}

/** The limits of each step, or of none when none has any; or the path to a value that one of their keys needs and the request lacks. */
function limitsOfSteps(command: SubmitJob): readonly (readonly Limit[])[] | string {
  const { steps } = command.protocol
  // Most have none, and then there is nothing to fill in for any of their jobs.
  if (!steps.some(hasLimits)) return NO_LIMITS_OF_STEPS
  const all: (readonly Limit[])[] = []
  for (const { limits = NO_LIMITS } of steps) {
    const filled = limitsFor(limits, command)
    if ('missing' in filled) return filled.missing
    all.push(filled.limits)
  }
  return all
}

const NO_LIMITS_OF_STEPS: readonly never[] = Object.freeze([])

function hasLimits({ limits }: ProtocolStep): boolean {
  return limits !== undefined && limits.length > 0
}

function refuseBadIds(
  command: SubmitJob,
  own: JobAggregate | null,
  jobs: ReadonlyMap<string, JobAggregate | null>,
): Refused | null {
  const { job_id, depends_on } = command
  if (depends_on.includes(job_id)) {
    return refuse({
      code: 'DEPENDENCY_CYCLE',
      message: `Job ${job_id} cannot depend on itself`,
      field: 'depends_on',
      next: 'Take its own id out of depends_on.',
      details: { job_id },
    })
  }
  if (own !== null) {
    return refuse({
      code: 'JOB_EXISTS',
      message: `There is a job ${job_id} already, for another request`,
      field: 'job_id',
      next: 'Leave job_id out to get a fresh one, or give an idempotency_key if this is the same request.',
      details: { job_id },
    })
  }
  if (depends_on.length === 0) return null
  const unknown = depends_on.filter((id) => jobs.get(id) === null)
  if (unknown.length === 0) return null
  return refuse({
    code: 'DEPENDENCY_UNKNOWN',
    message: `Job ${job_id} depends on ${unknown.join(', ')}, which is not known here`,
    field: 'depends_on',
    next: 'Submit what it depends on first, or together with it in one batch.',
    details: { job_id, unknown },
  })
}

function refuseLimitKey(command: SubmitJob, path: string): Refused {
  return refuse({
    code: 'LIMIT_KEY_MISSING',
    message: `A limit of ${command.request_type} is kept by ${path}, and the request has no value there that could be used`,
    field: path,
    next: `Give ${path} as a short text or a number, and not as a name that is reserved.`,
    details: { request_type: command.request_type, path },
  })
}

function refuseBurst(command: SubmitJob): Refused {
  return refuse({
    code: 'DOC_ID_REQUIRED',
    message: 'Mode BURST spreads a tenant by document, and the request names none',
    field: 'doc_id',
    next: 'Give doc_id, or use mode DEFAULT.',
    details: { tenant_id: command.tenant_id },
  })
}

export function refuseInFlight(command: {
  readonly tenant_id: string
  readonly inFlightLimit: number
}): Refused {
  return refuse({
    code: 'IN_FLIGHT_LIMIT',
    message: `Tenant ${command.tenant_id} has ${command.inFlightLimit} jobs in flight, as many as it may`,
    next: 'Wait for one to end and submit again, or raise inFlightLimit.',
    details: { tenant_id: command.tenant_id, limit: command.inFlightLimit, retry_after_seconds: 1 },
  })
}
