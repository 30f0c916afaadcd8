import type { JobAggregate, LedgerRecord } from '../aggregate.ts'
import type { AuditEntry } from '../audit.ts'
import type { Change, Decision, Given, Signal, SlotChange } from '../decision.ts'
import { type Json, sameJson } from '../json.ts'
import { EVERYBODY } from '../queue/record.ts'
import { toEpochSeconds, toIso } from '../time.ts'
import { Birth } from './birth.ts'
import { ClaimedAlike } from './claimed-alike.ts'
import type { CallbackAnswer, ClaimAnswer, JobCommand } from './commands.ts'
import { endedTopic } from './ended-topic.ts'
import { isPlainSuccess, Leg, type Legs, type StrideCommand } from './leg.ts'
import type { JobRecord, OutboxRecord, Ready, StepRecord } from './record.ts'

// Jobs that are alike mostly go the same way, too: a worker takes them, and they succeed, step by step. What was decided for
// the first few that took a stride holds for all that take it after them. So each of those is kept as what is its own, and
// becomes records when somebody looks. Whatever else happens to a job is decided as ever, on these records.

const NO_ROWS: readonly OutboxRecord[] = Object.freeze([])
const NOTHING: readonly never[] = Object.freeze([])

/** A job that has only ever been what others were before it. */
export type Alike = Birth | Stride

export function isAlike(aggregate: unknown): aggregate is Alike {
  return aggregate instanceof Birth || aggregate instanceof Stride
}

/** A stride that a job took: the change that it is, and the job as it is afterwards. */
export class Stride implements Change, JobAggregate {
  readonly leg: Leg
  readonly before: Alike
  readonly birth: Birth
  readonly now: number
  readonly lease_id: string
  readonly output: Json
  readonly due_at: string | null
  /** Since when the job is in its state, and the step was in the one before. */
  readonly jobSince: number
  readonly stepSince: number
  #etag: string | null = null
  #job: JobRecord | null = null
  #step: StepRecord | null = null
  #steps: readonly StepRecord[] | null = null

  constructor(leg: Leg, before: Alike, now: number, lease_id: string, output: Json) {
    const isBorn = before instanceof Birth
    this.leg = leg
    this.before = before
    this.birth = isBorn ? before : before.birth
    this.now = now
    this.lease_id = lease_id
    this.output = output
    this.due_at = leg.dueAfterMs === null ? null : toIso(now + leg.dueAfterMs)
    this.jobSince = leg.movesJob ? now : jobSinceOf(before)
    this.stepSince = leg.type === 'claimStep' ? this.birth.now : (before as Stride).now
  }

  get tenant_id(): string {
    return this.birth.form.tenant_id
  }

  get job_id(): string {
    return this.birth.job_id
  }

  get ready(): Ready | null {
    return this.leg.readyAt(this.birth.ready.rank)
  }

  /** As it is written; null before. */
  get etag(): string | null {
    return this.#etag
  }

  get waits_for(): readonly never[] {
    return NOTHING
  }

  /** From now on its records are as they are written, under this etag, and nobody changes them. */
  written(etag: string): void {
    this.#etag = etag
    // Nearly never has anybody looked by now.
    if (this.#job !== null) stamp(this.#job, etag)
    if (this.#step !== null) stamp(this.#step, etag)
  }

  get job(): JobRecord {
    this.#job ??= this.#made(this.#newJob())
    return this.#job
  }

  /** The one that it is about. */
  get step(): StepRecord {
    this.#step ??= this.#made(this.#newStep())
    return this.#step
  }

  get steps(): readonly StepRecord[] {
    this.#steps ??= this.before.steps.with(this.leg.step.step_index, this.step)
    return this.#steps
  }

  get outbox(): readonly OutboxRecord[] {
    return NO_ROWS
  }

  get puts(): readonly LedgerRecord[] {
    return [this.step, this.job]
  }

  get audit(): readonly AuditEntry[] {
    return this.leg.change.audit.map((entry) => this.#entry(entry))
  }

  get claims(): readonly never[] {
    return NOTHING
  }

  get takes(): boolean {
    return this.leg.takes
  }

  get slots(): readonly SlotChange[] {
    const { slots } = this.leg.change
    return slots.length === 0 ? NOTHING : slots.map((slot) => ({ ...slot, owner: this.job_id }))
  }

  get signals(): readonly Signal[] {
    const { signals } = this.leg.change
    const topic = endedTopic(this.job_id)
    return signals.length === 0 ? NOTHING : signals.map((signal) => ({ ...signal, topic }))
  }

  /** Stores write etags into what is not written yet. */
  #made<R extends JobRecord | StepRecord>(record: R): R {
    return this.#etag === null ? record : Object.freeze(record)
  }

  #newJob(): JobRecord {
    const { birth, leg, due_at } = this
    const at = toIso(this.now)
    return {
      ...leg.job,
      job_id: birth.job_id,
      state_since: toIso(this.jobSince),
      idempotency_key: birth.idempotency_key,
      idempotency_hash: birth.idempotency_hash,
      input_ref: birth.input_ref,
      output_ref: birth.output_ref,
      payload: birth.payload,
      created_at: toIso(birth.now),
      updated_at: at,
      completed_at: leg.job.completed_at === null ? null : at,
      due_at,
      ready: this.ready,
      etag: this.#etag ?? '',
    }
  }

  #newStep(): StepRecord {
    const { birth, leg } = this
    const at = toIso(this.now)
    return {
      ...leg.step,
      job_id: birth.job_id,
      state_since: at,
      lease_id: this.lease_id,
      lease_expires_at: leg.step.lease_expires_at === null ? null : this.due_at,
      input_ref: birth.input_ref,
      output_ref: birth.output_ref,
      output: this.output,
      created_at: toIso(birth.now),
      updated_at: at,
      completed_at: leg.step.completed_at === null ? null : at,
      etag: this.#etag ?? '',
    }
  }

  /** How long what an entry tells of was in the state before. */
  secondsOf({ kind }: AuditEntry): number {
    return toEpochSeconds(this.now - (kind === 'job' ? jobSinceOf(this.before) : this.stepSince))
  }

  #entry(entry: AuditEntry): AuditEntry {
    const { job_id, lease_id, leg, now } = this
    return {
      ...entry,
      id: entry.kind === 'job' ? job_id : `${job_id}/${leg.step.step_id}`,
      job_id,
      timestamp: toEpochSeconds(now),
      duration_seconds: this.secondsOf(entry),
      // What is told of a job may be of a step that nobody has taken yet.
      metadata: entry.metadata.lease_id === null ? entry.metadata : { ...entry.metadata, lease_id },
    }
  }
}

function stamp(record: JobRecord | StepRecord, etag: string): void {
  record.etag = etag
  Object.freeze(record)
}

export function jobSinceOf(alike: Alike): number {
  return alike instanceof Birth ? alike.now : alike.jobSince
}

/** Decides on a job as was decided on others; null when none was in its place, or got another command. */
export function decideStride(
  aggregate: JobAggregate,
  command: JobCommand,
  given: Given,
): Decision<unknown> | null {
  if (!isAlike(aggregate) || !isStrideCommand(command)) return null
  const leg = legsOf(aggregate).like(command)
  if (leg === null || !leg.isProven) return null
  if (command.type === 'claimStep') return claimLike(leg, aggregate, given)
  const { lease_id, result } = command
  // Only one that was claimed has come to anything.
  if (lease_id !== (aggregate as Stride).lease_id) return null
  const change = new Stride(leg, aggregate, given.now, lease_id, result.output ?? null)
  return { kind: 'change', change, answer: leg.answer }
}

function claimLike(leg: Leg, aggregate: Alike, given: Given): Decision<ClaimAnswer> | null {
  if (isSteered(leg.step, given)) return null
  const stride = new Stride(leg, aggregate, given.now, given.ids.next(), leg.step.output)
  return { kind: 'change', change: stride, answer: new ClaimedAlike(stride) }
}

/** Somebody has decided about its queue, or it is not known whether. */
function isSteered({ queue }: StepRecord, given: Given): boolean {
  return given.get('queue', EVERYBODY, queue) !== null
}

/** What was decided on one, for those that come after it. */
export function learnStride(
  aggregate: JobAggregate,
  command: JobCommand,
  given: Given,
  decision: Decision<unknown>,
): void {
  if (!isAlike(aggregate) || !isStrideCommand(command) || decision.kind !== 'change') return
  const { change, answer } = decision
  const legs = legsOf(aggregate)
  const known = legs.like(command)
  if (known?.isSettled === true || (known === null && legs.isFull) || !isOneStride(change)) return
  const [step] = change.puts as readonly [StepRecord, JobRecord]
  if (command.type === 'claimStep' && isSteered(step, given)) return
  const leg = known ?? new Leg(command, change, given.now, answer as CallbackAnswer)
  const stride = new Stride(leg, aggregate, given.now, step.lease_id as string, step.output)
  if (known === null) legs.add(leg)
  leg.prove(isSame(stride, change))
}

function legsOf(alike: Alike): Legs {
  return alike instanceof Birth ? alike.form.legs : alike.leg.next
}

function isStrideCommand(command: JobCommand): command is StrideCommand {
  if (command.if_match !== undefined) return false
  return command.type === 'claimStep' || (command.type === 'reportResult' && isPlainSuccess(command.result))
}

/** A step and its job go on, and that is all. */
function isOneStride({ puts, audit, claims }: Change): boolean {
  return (
    puts.length === 2 &&
    puts[0]?.kind === 'step' &&
    puts[0].document === null &&
    puts[1]?.kind === 'job' &&
    claims.length === 0 &&
    audit.every(({ event, kind }) => event === 'moved' && (kind === 'job' || kind === 'step'))
  )
}

function isSame(stride: Stride, change: Change): boolean {
  const told = ({ puts, audit, slots, signals }: Change) =>
    [puts.map((put) => ({ ...put, etag: '' })), audit, slots, signals] as unknown as Json
  return sameJson(told(stride), told(change))
}
