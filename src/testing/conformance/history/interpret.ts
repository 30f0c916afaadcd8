import type { Command } from '../../../core/command.ts'
import type { Protocol } from '../../../core/job/protocol.ts'
import type { JobRecord, Rung } from '../../../core/job/record.ts'
import { nextStates } from '../../../core/machine.ts'
import { documentMachine } from '../../../core/machines/document.ts'
import { SECOND_MS, toIso } from '../../../core/time.ts'
import {
  ack,
  annotate,
  expedite,
  failure,
  giveBack,
  heartbeat,
  moveDocument,
  onJob,
  recordPublishFailure,
  recordSent,
  report,
  reportStage,
  SUCCESS,
  stageDone,
  submitJob,
} from '../commands.ts'
import {
  DOCUMENT_GATED,
  GATED,
  LIMITED,
  LIMITED_PUSH,
  MIXED,
  MOVING,
  OPEN_ENDED,
  PULLED,
  PUSHED,
  RATED,
} from '../protocols.ts'
import type { CallbackIntent, CommandIntent, JobIntent, SubmitIntent, UpdateIntent } from './intents.ts'
import { nameOf, type ReferenceLedger } from './reference-ledger.ts'
import { jobsIn, keyOfJob } from './reference-reads.ts'
import { etagFor, fromEnd, type Seen, UNKNOWN_JOB } from './seen.ts'
import { stagingOf } from './staging.ts'
import { steeringOf } from './steering.ts'

const PROTOCOLS = [
  PULLED,
  PUSHED,
  MIXED,
  LIMITED,
  LIMITED_PUSH,
  RATED,
  GATED,
  DOCUMENT_GATED,
  OPEN_ENDED,
  MOVING,
] as const

/** These are about documents, and only a few: so that jobs meet at one. */
const ABOUT_DOCUMENTS: readonly Protocol[] = [DOCUMENT_GATED, MOVING]

/** Jobs that follow when one fails. */
const LADDER: readonly Rung[] = [
  { protocol: LIMITED, payload: { rung: 2 }, priority: 1 },
  { protocol: PUSHED, payload: null, priority: 0 },
]

/** The command that an intent means, given what is there now. */
export function commandOf(intent: CommandIntent, model: ReferenceLedger, seen: Seen, now: number): Command {
  switch (intent.what) {
    case 'update':
      return updateOf(intent, model, seen)
    case 'submit':
      return submitOf(intent, model, now)
    case 'ack':
    case 'heartbeat':
    case 'result':
    case 'give back':
      return callbackOf(intent, model, seen)
    case 'sent':
    case 'publish failed': {
      const row = fromEnd(seen.rows, intent.row)
      const make = intent.what === 'sent' ? recordSent : recordPublishFailure
      return make(row?.job_id ?? UNKNOWN_JOB, row?.outbox_id ?? 'row-unknown', row?.tenant_id)
    }
    case 'drive':
      return driveOf(fromEnd(jobsIn(model), intent.job), model)
    case 'steer':
    case 'schedule':
    case 'fire':
    case 'token':
    case 'expedite':
    case 'again':
      return steeringOf(intent, model, seen)
    case 'annotate':
    case 'stage':
    case 'group':
      return stagingOf(intent, model, seen)
    default:
      return onJobOf(intent, model, seen)
  }
}

function updateOf(intent: UpdateIntent, model: ReferenceLedger, seen: Seen): Command {
  const doc_id = `doc:${intent.doc}`
  const before = model.get('document', intent.tenant, doc_id)
  const from = before?.kind === 'document' ? before.state : documentMachine.initial
  const legal = [...nextStates(documentMachine, from)]
  const to = typeof intent.to === 'string' ? intent.to : legal[intent.to % legal.length]
  const error = { error_type: 'ParseError', error_message: 'unexpected end', traceback: 'at parse' }
  return moveDocument(doc_id, to ?? 'retrying', {
    tenant_id: intent.tenant,
    adapter: intent.doc === 0 ? undefined : `adapter-${intent.doc}`,
    metadata: { [`key-${intent.doc}`]: model.log.length },
    error: intent.failed ? error : undefined,
    validate: intent.validate,
    if_match: etagFor(intent.match, before?.etag, seen, nameOf('document', intent.tenant, doc_id)),
  })
}

function submitOf(intent: SubmitIntent, model: ReferenceLedger, now: number): Command {
  const later = (ms: number | null) => (ms === null ? null : toIso(now + ms))
  const jobs = jobsIn(model).filter(({ tenant_id }) => tenant_id === intent.tenant)
  const awaited = intent.dependsOn.flatMap((n) => (n === 0 ? [UNKNOWN_JOB] : (jobs.at(-n)?.job_id ?? [])))
  const protocol = PROTOCOLS[intent.protocol] ?? PULLED
  const isAboutDocument = ABOUT_DOCUMENTS.includes(protocol)
  // Not in the order of their making: ids must not be what sorts them.
  const chosen = `job-${(intent.request * 7 + model.log.length) % 97}`
  // Some come as most do, under an id that nobody ever has: they may be alike.
  const isFreshId = !intent.known && intent.request % 3 === 1
  const made = `made-${intent.request}-${intent.protocol}-${intent.key}-${model.log.length}`
  const fresh = isFreshId ? made : chosen
  return submitJob(intent.known ? (jobs.at(-1)?.job_id ?? fresh) : fresh, {
    isFreshId,
    tenant_id: intent.tenant,
    protocol,
    input_ref: 'in',
    output_ref: { uri: 'out', size_bytes: 3 },
    payload: { request: intent.request },
    idempotency_key: intent.key,
    strictIdempotency: intent.strict,
    inFlightLimit: intent.limit,
    priority: intent.priority,
    ...(awaited.length === 0 ? null : { depends_on: [...new Set(awaited)] }),
    on_dependency_failure: intent.policy,
    run_at: later(intent.delayMs),
    expires_at: later(intent.expiresMs),
    mode: intent.burst ? 'BURST' : undefined,
    doc_id: isAboutDocument || (!isFreshId && intent.request % 2 === 0) ? `doc:${intent.request % 3}` : null,
    doc_key: intent.docKey,
    run_id: isFreshId ? null : `run-${intent.request % 5}`,
    workstream_id:
      isFreshId || intent.workstream === null ? null : `workstream-${intent.request % 5}${intent.workstream}`,
    ...(intent.rungs === 0 ? null : { rungs: LADDER.slice(0, intent.rungs) }),
  })
}

function onJobOf(intent: JobIntent, model: ReferenceLedger, seen: Seen): Command {
  const job = fromEnd(jobsIn(model), intent.job)
  const tenant_id = intent.stranger ? 'stranger' : job?.tenant_id
  const job_id = job?.job_id ?? UNKNOWN_JOB
  const if_match = etagFor(intent.match, job?.etag, seen, nameOf('job', tenant_id ?? '', job_id))
  return onJob(intent.what, job_id, { if_match, ...(tenant_id === undefined ? null : { tenant_id }) })
}

function callbackOf(intent: CallbackIntent, model: ReferenceLedger, seen: Seen): Command {
  const step = fromEnd(seen.attempts, intent.attempt)
  if (step === undefined) {
    const job = jobsIn(model).at(-1)
    return onJob(
      'claimStep',
      job?.job_id ?? UNKNOWN_JOB,
      job === undefined ? {} : { tenant_id: job.tenant_id },
    )
  }
  const fence = {
    right: {},
    'wrong lease': { lease_id: 'of somebody else' },
    'wrong attempt': { attempt_no: step.attempt_no + 1 },
    'wrong step': { step_id: 'no such step' },
  }[intent.fence]
  if (intent.what === 'ack') return ack(step, fence)
  if (intent.what === 'heartbeat') return heartbeat(step, fence)
  if (intent.what === 'give back') {
    const error = { code: 'CIRCUIT_OPEN', message: 'too many failures' }
    return giveBack(step, { ...(intent.more ? { error, delay_ms: SECOND_MS } : null), ...fence })
  }
  const results = { success: SUCCESS, retryable: failure('RETRYABLE'), final: failure('NON_RETRYABLE') }
  const result = results[intent.result]
  return report(step, intent.more ? { ...result, metadata: { exit_code: 1 } } : result, fence)
}

export function driveOf(job: JobRecord | undefined, model: ReferenceLedger): Command {
  if (job === undefined) return onJob('advanceJob', UNKNOWN_JOB)
  const { tenant_id, job_id } = job
  const aggregate = model.load(keyOfJob(job))
  const step = aggregate?.steps.find(
    ({ state }) => !['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'].includes(state),
  )
  const row = aggregate?.outbox[0]
  if (step?.state === 'IN_PROGRESS') return report(step, SUCCESS)
  if (step?.state === 'AWAITING_ACK') return ack(step)
  if (row !== undefined && row.taken_until !== null) return recordSent(job_id, row.outbox_id, tenant_id)
  if (step?.delivery === 'push') return onJob('takeOutbox', job_id, { tenant_id })
  if (step?.state === 'PENDING' && step.gate?.since != null && step.gate.opened_at === null) {
    const isByDocument = step.gate.name === 'parsed'
    return isByDocument
      ? expedite(job_id, ['gate'], { tenant_id })
      : annotate(job_id, { go: true }, { tenant_id })
  }
  if (job.request_type === OPEN_ENDED.request_type) return reportOn(job, aggregate?.steps.length ?? 0)
  return step === undefined
    ? onJob('advanceJob', job_id, { tenant_id })
    : onJob('claimStep', job_id, { tenant_id })
}

/** Two stages, and that is all. */
function reportOn({ tenant_id, job_id }: JobRecord, steps: number): Command {
  const said = steps < 3 ? stageDone(`stage-${steps}`) : ({ what: 'completed', metadata: {} } as const)
  return reportStage(job_id, said, { tenant_id })
}
