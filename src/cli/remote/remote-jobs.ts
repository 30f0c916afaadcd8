import type { JobAggregate } from '../../core/aggregate.ts'
import type { StageReport } from '../../core/job/commands.ts'
import type { Protocol } from '../../core/job/protocol.ts'
import type { JobRecord } from '../../core/job/record.ts'
import type { JsonObject } from '../../core/json.ts'
import { toIso } from '../../core/time.ts'
import { Conflict, jobNotFound } from '../../errors/refusal-errors.ts'
import type { ListJobs } from '../../ledger/jobs.ts'
import type {
  AgainManyOptions,
  JobFilter,
  ManyOptions,
  ManyReport,
  MatchCount,
} from '../../ledger/many-jobs.ts'
import type { Envelope } from '../../ledger/request.ts'
import type { CallOptions } from '../../ledger/settings.ts'
import type { AgainOptions, ExpediteOptions } from '../../ledger/steering.ts'
import type { Page } from '../../store/query.ts'
import type { AcceptedJob, ChangeableJobs } from './changeable-ledger.ts'
import { pathOf } from './http-client.ts'
import type { Teller } from './teller.ts'

type Accepted = Omit<AcceptedJob, 'tenant_id' | 'job_id'> & { readonly jobId: string }

export class RemoteJobs implements ChangeableJobs {
  readonly #teller: Teller
  readonly #isStrict: boolean
  /** How requests of some types are to be answered, which the server is told with each. */
  readonly #protocols = new Map<string, Protocol>()

  constructor(teller: Teller, { isStrict }: { readonly isStrict: boolean }) {
    this.#teller = teller
    this.#isStrict = isStrict
  }

  register(...protocols: readonly Protocol[]): void {
    for (const protocol of protocols) this.#protocols.set(protocol.request_type, protocol)
  }

  async submit(envelope: Envelope, { reason }: CallOptions = {}): Promise<AcceptedJob> {
    const { tenant_id, request_type, schema_version: _, ...request } = envelope
    const protocol = this.#protocols.get(request_type)
    // Whose it is the request says itself.
    const query = { actor: this.#teller.actor, reason }
    const { jobId, duplicate, differing } =
      protocol === undefined
        ? await this.#teller.post<Accepted>('/v1/commands', { query, body: envelope })
        : await this.#teller.post<Accepted>('/v1/admin/commands', {
            query,
            body: { protocol, request: { ...request, tenant_id } },
          })
    if (this.#isStrict && differing.length > 0) throw isAnother(envelope, jobId, differing)
    return { tenant_id, job_id: jobId, duplicate, differing }
  }

  async again(job_id: string, options: AgainOptions = {}): Promise<AcceptedJob> {
    const { new_job_id, from_step, idempotency_key, ...call } = options
    const { jobId, duplicate } = await this.#teller.post<Accepted>(pathOf`/v1/jobs/${job_id}:again`, {
      ...this.#teller.by(call),
      body: { new_job_id, from_step },
      idempotencyKey: idempotency_key,
    })
    const tenant_id = call.tenant_id ?? this.#teller.tenant ?? ''
    return { tenant_id, job_id: jobId, duplicate, differing: [] }
  }

  async get(job_id: string, tenant_id?: string): Promise<JobRecord | null> {
    return (await this.show(job_id, tenant_id))?.job ?? null
  }

  async show(job_id: string, tenant_id?: string): Promise<JobAggregate | null> {
    const found = await this.#teller.find<JobRecord & Omit<JobAggregate, 'job'>>(
      pathOf`/v1/jobs/${job_id}`,
      tenant_id,
    )
    if (found === null) return null
    const { steps, outbox, ...job } = found
    return { job: job as JobRecord, steps, outbox } as JobAggregate
  }

  list({ tenant_id, limit, order, direction }: ListJobs = {}): Promise<Page<JobRecord>> {
    const query = { tenant_id: tenant_id ?? this.#teller.tenant, limit, order, direction }
    return this.#teller.get('/v1/jobs', query)
  }

  cancel(job_id: string, options?: CallOptions): Promise<JobRecord> {
    return this.#teller.post(pathOf`/v1/jobs/${job_id}:cancel`, this.#teller.by(options))
  }

  cancelMany(filter: JobFilter, options?: ManyOptions & { readonly expect?: undefined }): Promise<MatchCount>
  cancelMany(filter: JobFilter, options: ManyOptions & { readonly expect: number }): Promise<ManyReport>
  cancelMany(filter: JobFilter, options?: ManyOptions): Promise<MatchCount | ManyReport>
  cancelMany(filter: JobFilter, options: ManyOptions = {}): Promise<MatchCount | ManyReport> {
    return this.#many('/v1/jobs:cancel', filter, options)
  }

  againMany(
    filter: JobFilter,
    options?: AgainManyOptions & { readonly expect?: undefined },
  ): Promise<MatchCount>
  againMany(filter: JobFilter, options: AgainManyOptions & { readonly expect: number }): Promise<ManyReport>
  againMany(filter: JobFilter, options?: AgainManyOptions): Promise<MatchCount | ManyReport>
  againMany(filter: JobFilter, options: AgainManyOptions = {}): Promise<MatchCount | ManyReport> {
    const { from_step, request_key } = options
    return this.#many('/v1/jobs:again', filter, options, { from_step }, request_key)
  }

  #many<T>(
    path: string,
    { tenant_id, changedFrom, changedBefore, state, ...filter }: JobFilter,
    { reason, expect }: ManyOptions,
    more: object = {},
    idempotencyKey?: string,
  ): Promise<T> {
    const wanted = {
      ...filter,
      ...(state === undefined ? null : { state: [state].flat() }),
      ...(changedFrom === undefined ? null : { changed_from: toIso(changedFrom) }),
      ...(changedBefore === undefined ? null : { changed_before: toIso(changedBefore) }),
    }
    const to = this.#teller.by({ tenant_id, reason })
    return this.#teller.post(path, { ...to, body: { filter: wanted, expect, ...more }, idempotencyKey })
  }

  annotate(job_id: string, metadata: JsonObject, options?: CallOptions): Promise<JobRecord> {
    const to = this.#teller.by(options)
    return this.#teller.post(pathOf`/v1/jobs/${job_id}:annotate`, { ...to, body: { metadata } })
  }

  expedite(job_id: string, { priority, ignore, ...call }: ExpediteOptions = {}): Promise<JobRecord> {
    const to = this.#teller.by(call)
    return this.#teller.post(pathOf`/v1/jobs/${job_id}:expedite`, { ...to, body: { priority, ignore } })
  }

  async reportStage(job_id: string, report: StageReport, options?: CallOptions): Promise<JobAggregate> {
    const { verb, body } = messageOf(report)
    const path = `${pathOf`/v1/stages/${job_id}`}:${verb}`
    const { entry } = await this.#teller.post<{ entry: object | null }>(path, {
      ...this.#teller.by(options),
      body,
    })
    const after = entry === null ? null : await this.show(job_id, options?.tenant_id)
    if (after === null) throw jobNotFound({ job_id })
    return after
  }
}

/** Only how a stage ended is told by people; what else there is, schedulers tell themselves. */
function messageOf(report: StageReport): { readonly verb: string; readonly body: object } {
  switch (report.what) {
    case 'succeeded':
      return { verb: 'stageSucceeded', body: { stage: report.stage, output: report.output } }
    case 'failed': {
      const { code, message } = report.error
      return { verb: 'stageFailed', body: { stage: report.stage, error: { code, message } } }
    }
    default:
      throw new Error(`${report.what} is told by schedulers`)
  }
}

/** Nothing was made of it: a known key makes nothing, so that whoever is strict can find out afterwards. */
function isAnother(envelope: Envelope, job_id: string, differing: readonly string[]): Conflict {
  return new Conflict({
    code: 'IDEMPOTENCY_CONFLICT',
    message: `The idempotency key ${envelope.idempotency_key} belongs to job ${job_id}, which is another request`,
    field: 'idempotency_key',
    next: 'Use a new key for a new request, or send the same request again.',
    details: { job_id, differing },
  })
}
