import type { JobAggregate } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import type {
  CallbackAnswer,
  ReportResult,
  StageReport,
  StepError,
  StepResult,
  SubmitAnswer,
} from '../core/job/commands.ts'
import type { Protocol } from '../core/job/protocol.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../core/job/record.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isCancelled } from '../core/machines/job.ts'
import type { StepState } from '../core/machines/step.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import type { CallersTransaction } from '../store/inbox.ts'
import { type FindQuery, type Page, type PageOptions, pageSize } from '../store/query.ts'
import type { Timers } from '../world/timers.ts'
import type { Admission, PromisedJob, TurnedDown } from './admission.ts'
import type { AuditLog } from './audit-log.ts'
import { type ClaimOptions, claimSteps, type DispatchOptions, takeDirectives, type Work } from './claim.ts'
import type { Attempt, ReleaseOptions, SubmitToOptions } from './command-options.ts'
import type { Commands } from './commands.ts'
import type { Committer } from './committer.ts'
import type { EventInput } from './group-commands.ts'
import { JobEnds, type WaitOptions } from './job-ends.ts'
import {
  type AgainManyOptions,
  againKey,
  countJobs,
  type DoToJob,
  doToJobs,
  type JobFilter,
  jobQuery,
  type ManyOptions,
  type ManyReport,
  type MatchCount,
  TO_CANCEL,
  TO_RUN_AGAIN,
  withStates,
} from './many-jobs.ts'
import type { Outputs } from './outputs.ts'
import type { PipelineLike, PipelineRequest } from './pipeline-request.ts'
import type { Protocols } from './protocols.ts'
import type { Envelope } from './request.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'
import type { AgainOptions, ExpediteOptions } from './steering.ts'
import { SubmittedJob } from './submitted-job.ts'
import { tenantToFind } from './tenant-to-find.ts'

/** `tenant_id: '*'` for the jobs of all tenants. */
export interface ListJobs extends JobFilter, PageOptions {}

/** Which steps; what is absent matches everything, but for the tenant, which is then the ledger's own. */
export interface ListSteps extends PageOptions {
  readonly tenant_id?: string | undefined
  readonly state?: StepState | readonly StepState[] | undefined
  readonly job_id?: string | undefined
  readonly step_id?: string | undefined
  readonly service?: string | undefined
  readonly queue?: string | undefined
}

/** `ledger.jobs`: from submit to result. */
export class Jobs {
  readonly #committer: Committer
  readonly #commands: Commands
  readonly #audit: AuditLog
  readonly #settings: LedgerSettings
  readonly #protocols: Protocols
  readonly #outputs: Outputs | null
  readonly #ends: JobEnds
  readonly #admission: Admission

  constructor(
    committer: Committer,
    commands: Commands,
    audit: AuditLog,
    settings: LedgerSettings,
    protocols: Protocols,
    outputs: Outputs | null,
    timers: Timers,
    admission: Admission,
  ) {
    this.#admission = admission
    this.#outputs = outputs
    this.#ends = new JobEnds(committer.store, outputs, timers)
    this.#committer = committer
    this.#commands = commands
    this.#audit = audit
    this.#settings = settings
    this.#protocols = protocols
  }

  /** Says how requests of a type are answered. Jobs keep the protocol they were submitted under. */
  register(...protocols: readonly Protocol[]): void {
    for (const protocol of protocols) this.#protocols.register(protocol)
  }

  /** How requests are answered, by their types. */
  get protocols(): readonly Protocol[] {
    return this.#protocols.all()
  }

  /** Accepts a request. The same request again is answered with the same job and creates nothing. */
  submit(envelope: Envelope, options?: CallOptions): Promise<SubmittedJob>
  /** The same for a pipeline, which knows itself how it is answered. */
  submit(pipeline: PipelineLike, request: PipelineRequest, options?: SubmitToOptions): Promise<SubmittedJob>
  submit(
    what: Envelope | PipelineLike,
    second: PipelineRequest | CallOptions = {},
    third?: SubmitToOptions,
  ): Promise<SubmittedJob> {
    // Not async, and nothing that waits holds on to the command: see `Committer.run`.
    try {
      const command =
        'protocol' in what
          ? this.#commands.submitTo(what, second as PipelineRequest, third)
          : this.#commands.submit(what, second as CallOptions)
      return this.#committer.runAs(command, submittedBy(command.tenant_id, this.#ends))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * Accepts a request as part of a transaction of your own, on the database that the ledger is in: it becomes a job right
   * after that is committed, and never if it is not. Only what can be seen from the request itself is refused at once; what
   * is refused later is in `turnedDown`.
   *
   * ```ts
   * await client.query('begin')
   * await client.query('update orders set paid = true where id = $1', [id])
   * await ledger.jobs.submitIn(client, { request_type: 'SEND_RECEIPT', payload: { id } })
   * await client.query('commit')
   * ```
   */
  async submitIn(
    transaction: CallersTransaction,
    envelope: Envelope,
    options?: CallOptions,
  ): Promise<PromisedJob> {
    return this.#admission.put(transaction, this.#commands.submit(envelope, options))
  }

  /** The newest requests from transactions that did not become jobs of their own, and why. */
  async turnedDown(limit?: number): Promise<readonly TurnedDown[]> {
    return this.#admission.turnedDown(pageSize(limit))
  }

  /**
   * Waits until a job has ended, and answers what its last step came to. Throws `JobFailed` when it did not succeed.
   */
  async wait(job_id: string, options: WaitOptions = {}): Promise<Json> {
    return this.#ends.result({ tenant_id: this.#tenant(options.tenant_id), job_id }, options)
  }

  /** What a step came to, also when that is in a file. */
  async output({ output, output_file }: Pick<StepRecord, 'output' | 'output_file'>): Promise<Json> {
    return this.#ends.output({ output, output_file })
  }

  async get(job_id: string, tenant_id?: string): Promise<JobRecord | null> {
    return this.#committer.store.get({ kind: 'job', tenant_id: this.#tenant(tenant_id), id: job_id })
  }

  /** The job with its steps and the outbox rows that are still open. */
  async show(job_id: string, tenant_id?: string): Promise<JobAggregate | null> {
    return this.#committer.store.load({ kind: 'job', tenant_id: this.#tenant(tenant_id), id: job_id })
  }

  async list(query: ListJobs = {}): Promise<Page<JobRecord>> {
    const { order, direction, after, limit, ...filter } = query
    const tenant_id = tenantToFind(filter.tenant_id, this.#settings)
    return this.#committer.store.find({
      ...this.#matching(filter),
      tenant_id,
      order,
      direction,
      after,
      limit,
    })
  }

  /**
   * Steps of all jobs, sorted by `job/step`. They are found by way of their jobs: a page of few among many takes the longer, the
   * more jobs there are, unless `job_id` names some or `state` only open ones.
   */
  async steps(query: ListSteps = {}): Promise<Page<StepRecord>> {
    const { tenant_id, state, job_id, step_id, service, queue, ...page } = query
    const where = { state, job_id, step_id, service, queue }
    return this.#committer.store.find({ kind: 'step', tenant_id: this.#tenant(tenant_id), where, ...page })
  }

  /** Everything that happened to a job, its steps and its outbox rows, oldest first. */
  history(job_id: string, tenant_id?: string): AsyncIterable<AuditRecord> {
    return this.#audit.records({ job_id, tenant_id: this.#tenant(tenant_id) })
  }

  /** Takes ready steps for a worker: what comes back is leased to it and in progress. */
  claim(options: ClaimOptions): Promise<readonly Work[]> {
    return claimSteps(this.#committer, this.#settings, options)
  }

  /** Takes the step that this one job waits for; null when it waits for something else, or nobody may take it now. */
  async claimJob(job_id: string, options?: CallOptions): Promise<Work | null> {
    try {
      return await this.#committer.run(this.#commands.claim(job_id, options))
    } catch (error) {
      if (error instanceof WaybillError && NOT_NOW.has(error.code)) return null
      throw error
    }
  }

  /** Another scheduler, or a person, says how a stage goes that is not ours to run. See `LedgerStateManager`. */
  async reportStage(job_id: string, report: StageReport, options?: CallOptions): Promise<JobAggregate> {
    return this.#committer.run(this.#commands.reportStage(job_id, report, options))
  }

  /** Something to know about a job; a field that is null goes. Gates look at it. */
  async annotate(job_id: string, metadata: JsonObject, options?: CallOptions): Promise<JobRecord> {
    return this.#committer.run(this.#commands.annotate(job_id, metadata, null, options))
  }

  /** Something that happened to a job, for whoever follows the history. */
  async record(job_id: string, event: EventInput, options?: CallOptions): Promise<JobRecord> {
    return this.#committer.run(this.#commands.annotate(job_id, {}, event, options))
  }

  /** Takes directives that are to be published; report each with `sent` or `publishFailed`. */
  takeDirectives(options: DispatchOptions): Promise<readonly OutboxRecord[]> {
    return takeDirectives(this.#committer, this.#settings, options)
  }

  /** The directive was published. */
  async sent(row: OutboxRecord, options?: CallOptions): Promise<CallbackAnswer> {
    return this.#committer.run(this.#commands.sent(row, options))
  }

  /** The directive could not be published; it is tried again until its tries are used up. */
  async publishFailed(row: OutboxRecord, error: StepError, options?: CallOptions): Promise<CallbackAnswer> {
    return this.#committer.run(this.#commands.publishFailed(row, error, options))
  }

  /** The worker has begun. */
  async ack(attempt: Attempt, options?: CallOptions): Promise<CallbackAnswer> {
    return this.#committer.run(this.#commands.ack(attempt, options))
  }

  /** The worker is still at it: the lease starts anew. The answer may tell it to stop. */
  async heartbeat(attempt: Attempt, options?: CallOptions): Promise<CallbackAnswer> {
    return this.#committer.run(this.#commands.heartbeat(attempt, options))
  }

  /** The attempt is over, one way or the other. A large output goes to a file first. */
  result(attempt: Attempt, result: StepResult, options?: CallOptions): Promise<CallbackAnswer> {
    try {
      const command = this.#commands.result(attempt, result, options)
      const output = command.result.status === 'SUCCEEDED' ? command.result.output : undefined
      const isLarge = output !== undefined && this.#outputs?.isLarge(output) === true
      return isLarge ? this.#largeResult(command, output) : this.#committer.run(command)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async #largeResult(command: ReportResult, output: Json): Promise<CallbackAnswer> {
    const output_file = await this.#outputs?.keep(output)
    return this.#committer.run({
      ...command,
      result: { ...command.result, output: null, output_file } as StepResult,
    })
  }

  /** Gives a step back unfinished: the next attempt may start at once, and this one does not count. */
  async release(attempt: Attempt, options?: ReleaseOptions): Promise<CallbackAnswer> {
    return this.#committer.run(this.#commands.release(attempt, options))
  }

  /** Ends a job. What is running is told to stop; a job that has ended stays as it is. */
  async cancel(job_id: string, options?: CallOptions): Promise<JobRecord> {
    return this.#committer.run(this.#commands.cancel(job_id, options))
  }

  /** Gets on with a job: its delay and backoffs end now, and it does not wait for what it is told to ignore. */
  async expedite(job_id: string, options?: ExpediteOptions): Promise<JobRecord> {
    return this.#committer.run(this.#commands.expedite(job_id, options))
  }

  /** Makes a new job of one that has ended: all of it, or from a step on. */
  async again(job_id: string, options: AgainOptions = {}): Promise<SubmittedJob> {
    const command = this.#commands.again(job_id, options)
    return submittedBy(command.tenant_id, this.#ends)(await this.#committer.run(command))
  }

  /** How many jobs match; from 10,000 on they are not counted. */
  count(filter: JobFilter = {}): Promise<MatchCount> {
    return countJobs(this.#committer.store, this.#matching(filter))
  }

  /**
   * Cancels all open jobs that match. Without `expect` nothing is done, and the answer is how many would be; with it at most
   * so many are cancelled, and if more match by now it throws `CountChanged` and cancels none.
   */
  cancelMany(filter: JobFilter, options?: ManyOptions & { readonly expect?: undefined }): Promise<MatchCount>
  cancelMany(filter: JobFilter, options: ManyOptions & { readonly expect: number }): Promise<ManyReport>
  cancelMany(filter: JobFilter, options?: ManyOptions): Promise<MatchCount | ManyReport>
  async cancelMany(filter: JobFilter, options: ManyOptions = {}): Promise<MatchCount | ManyReport> {
    const { actor, reason } = options
    const tenant_id = this.#tenant(filter.tenant_id)
    return this.#many(withStates(filter, TO_CANCEL, TO_CANCEL), options, async ({ job_id, etag }) => {
      const job = await this.cancel(job_id, { tenant_id, actor, reason })
      return job.etag !== etag && isCancelled(job)
    })
  }

  /**
   * Makes new jobs of all that match and have ended: of those that failed for good, unless the filter names states. Each is
   * run again once, however often this is called with the same `request_key`. `expect` is as for `cancelMany`.
   */
  againMany(
    filter: JobFilter,
    options?: AgainManyOptions & { readonly expect?: undefined },
  ): Promise<MatchCount>
  againMany(filter: JobFilter, options: AgainManyOptions & { readonly expect: number }): Promise<ManyReport>
  againMany(filter: JobFilter, options?: AgainManyOptions): Promise<MatchCount | ManyReport>
  async againMany(filter: JobFilter, options: AgainManyOptions = {}): Promise<MatchCount | ManyReport> {
    const { actor, reason, from_step, request_key } = options
    const tenant_id = this.#tenant(filter.tenant_id)
    return this.#many(withStates(filter, TO_RUN_AGAIN, ['FAILED_FINAL']), options, async ({ job_id }) => {
      const idempotency_key = againKey(request_key, job_id)
      return !(await this.again(job_id, { tenant_id, actor, reason, from_step, idempotency_key })).duplicate
    })
  }

  async #many(filter: JobFilter, options: ManyOptions, doToOne: DoToJob): Promise<MatchCount | ManyReport> {
    const { expect } = options
    if (expect === undefined) return this.count(filter)
    return doToJobs(this.#committer.store, this.#matching(filter), { ...options, expect }, doToOne)
  }

  #matching(filter: JobFilter): FindQuery<'job'> {
    return jobQuery(this.#tenant(filter.tenant_id), filter)
  }

  #tenant(tenant_id: string | undefined): string {
    return tenant_id ?? this.#settings.tenant_id
  }
}

/** Somebody else was faster, or it is not its turn. */
const NOT_NOW: ReadonlySet<string> = new Set([
  'NOT_CLAIMABLE',
  'QUEUE_PAUSED',
  'CONCURRENCY_LIMIT',
  'RATE_LIMIT',
])

function submittedBy(tenant_id: string, ends: JobEnds): (answer: SubmitAnswer) => SubmittedJob {
  return (answer) => new SubmittedJob(answer, tenant_id, ends)
}
