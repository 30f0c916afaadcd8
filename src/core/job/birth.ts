import type { JobAggregate, LedgerRecord } from '../aggregate.ts'
import type { AuditEntry } from '../audit.ts'
import type { Change, Claim, SlotChange } from '../decision.ts'
import { idempotencyTail } from '../idempotency.ts'
import { frozenJson, type Json } from '../json.ts'
import { toEpochSeconds, toIso } from '../time.ts'
import type { JobForm, OwnOfJob } from './job-form.ts'
import type { JobRecord, OutboxRecord, Ready, Ref, StepRecord } from './record.ts'

const NO_ROWS: readonly OutboxRecord[] = Object.freeze([])
const NOTHING: readonly never[] = Object.freeze([])

/**
 * A job as it was when it was submitted: what is its own, and the form of all that are alike. It has records as soon as somebody asks
 * for them.
 */
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

  constructor(form: JobForm, own: OwnOfJob, claim: string, now: number) {
    this.form = form
    this.job_id = own.job_id
    this.idempotency_key = own.idempotency_key
    this.idempotency_hash = own.idempotency_hash
    this.claim = claim
    this.input_ref = own.input_ref
    this.output_ref = own.output_ref
    this.payloadText = own.payloadText ?? JSON.stringify(own.payload)
    this.now = now
  }

  get payload(): Json {
    this.#payload ??= frozenJson(this.payloadText)
    return this.#payload
  }

  get tenant_id(): string {
    return this.form.tenant_id
  }

  /** What its claim ends with, where that is a text of its own. */
  get claimTail(): string | undefined {
    return idempotencyTail(this.idempotency_key, this.idempotency_hash)
  }

  /** As it is written; null before. */
  get etag(): string | null {
    return this.#etag
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
