import type { JobAggregate, LedgerRecord } from '../aggregate.ts'
import type { AuditEntry } from '../audit.ts'
import type { Change, Claim, SlotChange } from '../decision.ts'
import { frozenJson, isJsonObject, type Json } from '../json.ts'
import { stepMachine } from '../machines/step.ts'
import { toEpochSeconds, toIso } from '../time.ts'
import type { SubmitJob } from './commands.ts'
import { Legs } from './leg.ts'
import type { Protocol } from './protocol.ts'
import type { JobRecord, OutboxRecord, Ready, Ref, StepRecord } from './record.ts'
import { rankAt } from './waiting.ts'

// Most jobs are submitted by the thousand, and nothing tells one from the other but its id, its request and the time. What
// was decided for the first of them holds for all. So it is decided once; each of the others is kept as what is its own
// and the form that all of them have, and becomes records when somebody looks at them.

const NO_ROWS: readonly OutboxRecord[] = Object.freeze([])
const NOTHING: readonly never[] = Object.freeze([])

/** What was decided for one job, for all that are submitted like it. */
export class JobForm {
  readonly command: SubmitJob
  readonly tenant_id: string
  readonly entry: AuditEntry
  readonly slot: SlotChange
  /** How those went on that were born like this. */
  readonly legs = new Legs()
  readonly #first: Change
  #job: JobRecord | null = null
  #steps: readonly StepRecord[] | null = null
  #lastReady: Ready

  private constructor(command: SubmitJob, ready: Ready, first: Change) {
    this.command = command
    this.tenant_id = command.tenant_id
    this.entry = first.audit[0] as AuditEntry
    this.slot = first.slots[0] as SlotChange
    this.#first = first
    this.#lastReady = ready
  }

  /** A copy: what is written is frozen, and copies of frozen records take longer to make. */
  get job(): JobRecord {
    this.#job ??= { ...(this.#first.puts.at(-1) as JobRecord) }
    return this.#job
  }

  get steps(): readonly StepRecord[] {
    this.#steps ??= (this.#first.puts.slice(0, -1) as readonly StepRecord[]).map((step) => ({ ...step }))
    return this.#steps
  }

  /** Null when what was decided does not hold for others: it made more than a job that waits for whoever takes it. */
  static of(command: SubmitJob, change: Change): JobForm | null {
    const { puts, audit, claims, slots, signals } = change
    const job = puts.at(-1)
    if (!isPlain(command) || job?.kind !== 'job' || job.ready === null || job.due_at !== null) return null
    const isSimple = audit.length === 1 && claims.length === 1 && slots.length === 1 && signals.length === 0
    const steps = puts.slice(0, -1)
    return isSimple && steps.every(isPlainStep) ? new JobForm(command, job.ready, change) : null
  }

  /** Whether what was decided holds for another one, too. */
  isFor(command: SubmitJob): boolean {
    const { command: first } = this
    return (
      command.tenant_id === first.tenant_id &&
      command.actor === first.actor &&
      command.reason === first.reason &&
      command.request_type === first.request_type &&
      command.schema_version === first.schema_version &&
      command.mode === first.mode &&
      command.tenantMode === first.tenantMode &&
      command.globalMode === first.globalMode &&
      command.inFlightLimit === first.inFlightLimit &&
      command.priority === first.priority &&
      command.on_dependency_failure === first.on_dependency_failure &&
      command.schedule_id === first.schedule_id &&
      command.pipeline_name === first.pipeline_name &&
      command.metadata === first.metadata &&
      command.tags === first.tags &&
      command.callback_urls === first.callback_urls &&
      command.correlation_id === first.correlation_id &&
      command.traceparent === first.traceparent &&
      (command.idempotency_key === null) === (first.idempotency_key === null) &&
      isPlain(command)
    )
  }

  /** The place in a queue of one that is submitted at a time. Many come in the same millisecond. */
  readyAt(now: number): Ready {
    const rank = rankAt(now, this.command.priority)
    if (this.#lastReady.rank !== rank) this.#lastReady = { ...this.#lastReady, rank }
    return this.#lastReady
  }
}

/** What it asks for depends on nothing but itself. */
function isPlain(command: SubmitJob): boolean {
  return (
    command.isFreshId === true &&
    command.doc_id === null &&
    command.doc_key === null &&
    command.run_id === null &&
    command.workstream_id === null &&
    command.run_at === null &&
    command.delay_ms === null &&
    command.expires_at === null &&
    command.depends_on.length === 0 &&
    command.rungs.length === 0 &&
    !hasOwnSteps(command.payload)
  )
}

/** Some of its steps may have a payload of their own. */
function hasOwnSteps(payload: Json): boolean {
  return isJsonObject(payload) && payload.steps !== undefined
}

/** Limits may go by what the request says, and a gate looks at the time. */
function isPlainStep(put: LedgerRecord): boolean {
  return (
    put.kind === 'step' && put.state === stepMachine.initial && put.gate === null && put.limits.length === 0
  )
}

// The last form of each protocol: mostly one program submits many jobs in the same way.
const forms = new WeakMap<Protocol, JobForm>()
let lastForm: JobForm | undefined

/** What was decided for another one and holds for this one, too; null when nothing was. */
export function formFor(command: SubmitJob): JobForm | null {
  const { protocol } = command
  if (lastForm?.command.protocol !== protocol) lastForm = forms.get(protocol)
  return lastForm?.isFor(command) === true ? lastForm : null
}

/** For those that will be submitted like it. */
export function keepForm(command: SubmitJob, change: Change): void {
  const form = JobForm.of(command, change)
  if (form === null) return
  forms.set(command.protocol, form)
  lastForm = form
}

/** A job that was just submitted, as what is its own. It has records as soon as somebody asks for them. */
export class Birth implements JobAggregate {
  readonly form: JobForm
  readonly job_id: string
  readonly idempotency_key: string | null
  readonly idempotency_hash: string
  /** What makes its request count once. */
  readonly claim: string
  readonly input_ref: Ref & Json
  readonly output_ref: Ref & Json
  /** The payload as JSON: there may be very many of them, and a text is the least that can be kept of each. */
  readonly payloadText: string
  readonly now: number
  #payload: Json | undefined
  #etag: string | null = null
  #job: JobRecord | null = null
  #steps: readonly StepRecord[] | null = null

  constructor(form: JobForm, command: SubmitJob, claim: string, now: number) {
    this.form = form
    this.job_id = command.job_id
    this.idempotency_key = command.idempotency_key
    this.idempotency_hash = command.idempotency_hash
    this.claim = claim
    this.input_ref = command.input_ref
    this.output_ref = command.output_ref
    this.payloadText = command.payloadText ?? JSON.stringify(command.payload)
    this.now = now
  }

  get payload(): Json {
    this.#payload ??= frozenJson(this.payloadText)
    return this.#payload
  }

  get tenant_id(): string {
    return this.form.tenant_id
  }

  /** From now on its records are as they are written, under this etag, and nobody changes them. */
  written(etag: string): void {
    this.#etag = etag
    // Nearly never has anybody looked by now.
    if (this.#job !== null || this.#steps !== null) this.#stamp(etag)
  }

  #stamp(etag: string): void {
    for (const record of [this.#job, ...(this.#steps ?? NOTHING)]) {
      if (record === null) continue
      record.etag = etag
      Object.freeze(record)
    }
  }

  get ready(): Ready {
    return this.form.readyAt(this.now)
  }

  get due_at(): null {
    return null
  }

  get waits_for(): readonly never[] {
    return NOTHING
  }

  get job(): JobRecord {
    this.#job ??= this.#made(this.#newJob())
    return this.#job
  }

  get steps(): readonly StepRecord[] {
    this.#steps ??= this.form.steps.map((step) => this.#made(this.#newStep(step)))
    return this.#steps
  }

  get outbox(): readonly OutboxRecord[] {
    return NO_ROWS
  }

  get entry(): AuditEntry {
    const { job_id } = this
    return { ...this.form.entry, id: job_id, job_id, timestamp: toEpochSeconds(this.now) }
  }

  /** Stores write etags into what is not written yet. */
  #made<R extends JobRecord | StepRecord>(record: R): R {
    return this.#etag === null ? record : Object.freeze(record)
  }

  #newJob(): JobRecord {
    const at = toIso(this.now)
    return {
      ...this.form.job,
      job_id: this.job_id,
      state_since: at,
      idempotency_key: this.idempotency_key,
      idempotency_hash: this.idempotency_hash,
      input_ref: this.input_ref,
      output_ref: this.output_ref,
      payload: this.payload,
      created_at: at,
      updated_at: at,
      ready: this.ready,
      etag: this.#etag ?? '',
    }
  }

  #newStep(step: StepRecord): StepRecord {
    const at = toIso(this.now)
    return {
      ...step,
      job_id: this.job_id,
      state_since: at,
      input_ref: this.input_ref,
      output_ref: this.output_ref,
      created_at: at,
      updated_at: at,
      etag: this.#etag ?? '',
    }
  }
}

/** Jobs that are born together, as the change that writes them. */
export class Births implements Change {
  readonly births: readonly Birth[]
  #puts: readonly LedgerRecord[] | null = null
  #audit: readonly AuditEntry[] | null = null
  #claims: readonly Claim[] | null = null
  #slots: readonly SlotChange[] | null = null

  constructor(births: readonly Birth[]) {
    this.births = births
  }

  get puts(): readonly LedgerRecord[] {
    this.#puts ??= this.births.flatMap(({ steps, job }) => [...steps, job])
    return this.#puts
  }

  get audit(): readonly AuditEntry[] {
    this.#audit ??= this.births.map(({ entry }) => entry)
    return this.#audit
  }

  get claims(): readonly Claim[] {
    this.#claims ??= this.births.map(({ tenant_id, claim: key, job_id: owner }) => ({
      tenant_id,
      key,
      owner,
    }))
    return this.#claims
  }

  get slots(): readonly SlotChange[] {
    this.#slots ??= this.births.map(({ form, job_id }) => ({ ...form.slot, owner: job_id }))
    return this.#slots
  }

  get signals(): readonly never[] {
    return NOTHING
  }
}
