import type { JobAggregate } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import type { CallbackAnswer, StepError, StepResult, SubmitAnswer } from '../core/job/commands.ts'
import type { Protocol } from '../core/job/protocol.ts'
import type { JobRecord, OutboxRecord } from '../core/job/record.ts'
import type { JobState } from '../core/machines/job.ts'
import type { Page } from '../store/query.ts'
import type { World } from '../world/world.ts'
import type { AuditLog } from './audit-log.ts'
import { checkCount, checkId } from './check-input.ts'
import { type ClaimOptions, claimSteps, type DispatchOptions, takeDirectives, type Work } from './claim.ts'
import type { Committer } from './committer.ts'
import { type Envelope, parseEnvelope } from './envelope.ts'
import { Protocols } from './protocols.ts'
import { parseResult, parseStepError } from './result.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'
import { submitCommand } from './submit-command.ts'

/** Which attempt speaks: the fence around every callback. The step or outbox row that was handed out is one. */
export interface Attempt {
  readonly tenant_id?: string | undefined
  readonly job_id: string
  readonly step_id: string
  readonly attempt_no: number
  readonly lease_id: string | null
}

export interface ListJobs {
  readonly tenant_id?: string | undefined
  readonly state?: JobState | readonly JobState[] | undefined
  readonly request_type?: string | undefined
  readonly run_id?: string | undefined
  readonly workstream_id?: string | undefined
  readonly doc_id?: string | undefined
  readonly changedFrom?: number | undefined
  readonly changedBefore?: number | undefined
  readonly order?: 'id' | 'changed' | undefined
  readonly direction?: 'asc' | 'desc' | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** `ledger.jobs`: from submit to result. */
export class Jobs {
  readonly #committer: Committer
  readonly #audit: AuditLog
  readonly #settings: LedgerSettings
  readonly #world: World
  readonly #protocols = new Protocols()

  constructor(committer: Committer, audit: AuditLog, settings: LedgerSettings, world: World) {
    this.#committer = committer
    this.#audit = audit
    this.#settings = settings
    this.#world = world
  }

  /** Says how requests of a type are answered. Jobs keep the protocol they were submitted under. */
  register(protocol: Protocol): void {
    this.#protocols.register(protocol)
  }

  /** Accepts a request. The same request again is answered with the same job and creates nothing. */
  async submit(envelope: Envelope, options: CallOptions = {}): Promise<SubmitAnswer> {
    return this.#committer.run(this.command(envelope, options))
  }

  /** The command behind `submit`, for `ledger.batch`. */
  command(envelope: Envelope, options: CallOptions = {}) {
    const request = parseEnvelope(envelope)
    const protocol = this.#protocols.get(request.request_type)
    return submitCommand(request, protocol, this.#settings, this.#world, options)
  }

  async get(job_id: string, tenant_id?: string): Promise<JobRecord | null> {
    return this.#committer.store.get({ kind: 'job', tenant_id: this.#tenant(tenant_id), id: job_id })
  }

  /** The job with its steps and the outbox rows that are still open. */
  async show(job_id: string, tenant_id?: string): Promise<JobAggregate | null> {
    return this.#committer.store.load({ kind: 'job', tenant_id: this.#tenant(tenant_id), id: job_id })
  }

  async list(query: ListJobs = {}): Promise<Page<JobRecord>> {
    const { tenant_id, state, request_type, run_id, workstream_id, doc_id, ...rest } = query
    return this.#committer.store.find({
      kind: 'job',
      tenant_id: this.#tenant(tenant_id),
      where: { state, request_type, run_id, workstream_id, doc_id },
      ...rest,
    })
  }

  /** Everything that happened to a job, its steps and its outbox rows, oldest first. */
  history(job_id: string, tenant_id?: string): AsyncIterable<AuditRecord> {
    return this.#audit.records({ job_id, tenant_id: this.#tenant(tenant_id) })
  }

  /** Takes ready steps for a worker: what comes back is leased to it and in progress. */
  claim(options: ClaimOptions): Promise<readonly Work[]> {
    return claimSteps(this.#committer, this.#settings, options)
  }

  /** Takes directives that are to be published; report each with `sent` or `publishFailed`. */
  takeDirectives(options: DispatchOptions): Promise<readonly OutboxRecord[]> {
    return takeDirectives(this.#committer, this.#settings, options)
  }

  /** The directive was published. */
  sent(row: OutboxRecord, options: CallOptions = {}): Promise<CallbackAnswer> {
    const { outbox_id } = row
    return this.#committer.run({ type: 'recordSent', outbox_id, ...this.#to(row.job_id, row, options) })
  }

  /** The directive could not be published; it is tried again until its tries are used up. */
  async publishFailed(
    row: OutboxRecord,
    error: StepError,
    options: CallOptions = {},
  ): Promise<CallbackAnswer> {
    return this.#committer.run({
      type: 'recordPublishFailure',
      outbox_id: row.outbox_id,
      error: parseStepError(error),
      ...this.#to(row.job_id, row, options),
    })
  }

  /** The worker has begun. */
  async ack(attempt: Attempt, options: CallOptions = {}): Promise<CallbackAnswer> {
    return this.#committer.run({ type: 'ackStep', ...this.#fence(attempt, options) })
  }

  /** The worker is still at it: the lease starts anew. The answer may tell it to stop. */
  async heartbeat(attempt: Attempt, options: CallOptions = {}): Promise<CallbackAnswer> {
    return this.#committer.run({ type: 'heartbeatStep', ...this.#fence(attempt, options) })
  }

  async result(attempt: Attempt, result: StepResult, options: CallOptions = {}): Promise<CallbackAnswer> {
    return this.#committer.run({
      type: 'reportResult',
      result: parseResult(result),
      ...this.#fence(attempt, options),
    })
  }

  /** Ends a job. What is running is told to stop; a job that has ended stays as it is. */
  async cancel(job_id: string, options: CallOptions = {}): Promise<JobRecord> {
    return this.#committer.run({ type: 'cancelJob', ...this.#to(job_id, options, options) })
  }

  #fence(attempt: Attempt, options: CallOptions) {
    return {
      ...this.#to(attempt.job_id, attempt, options),
      step_id: checkId('step_id', attempt.step_id),
      attempt_no: checkCount('attempt_no', attempt.attempt_no),
      lease_id: checkId('lease_id', attempt.lease_id),
    }
  }

  #to(job_id: string, of: { readonly tenant_id?: string | undefined }, options: CallOptions) {
    return {
      tenant_id: this.#tenant(options.tenant_id ?? of.tenant_id),
      job_id: checkId('job_id', job_id),
      actor: options.actor ?? this.#settings.actor,
      reason: options.reason ?? null,
      if_match: options.if_match,
    }
  }

  #tenant(tenant_id: string | undefined): string {
    return tenant_id ?? this.#settings.tenant_id
  }
}
