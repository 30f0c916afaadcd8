import type { DocumentRecord } from '../../core/document/record.ts'
import type { LedgerState } from '../../core/document/states.ts'
import type { Why } from '../../core/job/why.ts'
import type { JsonObject } from '../../core/json.ts'
import { documentMachine } from '../../core/machines/document.ts'
import { HOUR_MS } from '../../core/time.ts'
import { Forbidden } from '../../errors/http-errors.ts'
import type { UpdateOptions } from '../../ledger/command-options.ts'
import type { LedgerStats } from '../../ledger/ledger.ts'
import type { QueueJobOptions } from '../../orchestrator/orchestrator.ts'
import type { ToolJob } from '../../orchestrator/tools/tool-job.ts'
import type { MaintenanceReport } from '../../store/store.ts'
import type { AcceptedJob, ChangeableLedger } from './changeable-ledger.ts'
import { HttpClient, pathOf } from './http-client.ts'
import { RemoteJobs } from './remote-jobs.ts'
import { type Asker, Teller } from './teller.ts'

export interface RemoteOptions extends Asker {
  readonly url: string
  /** What lets it in: a token, or the secret that the server left for us. */
  readonly token: string
  /** Refuse a known key with another request. */
  readonly isStrict: boolean
}

export interface OneTimeLink {
  readonly url: string
  readonly expires_at: string
}

/** A ledger that a server has: commands ask it, instead of opening the ledger themselves. */
export class RemoteLedger implements ChangeableLedger {
  readonly url: string
  readonly jobs: RemoteJobs
  readonly #teller: Teller

  constructor({ url, token, isStrict, ...asker }: RemoteOptions) {
    this.url = url
    this.#teller = new Teller(new HttpClient(url, token), asker)
    this.jobs = new RemoteJobs(this.#teller, { isStrict })
  }

  /** Throws when nobody answers there, or does not let us in. */
  async probe(): Promise<void> {
    await this.#teller.get('/v1/session')
  }

  readonly documents: ChangeableLedger['documents'] = {
    getState: async (doc_id, tenant_id) =>
      (await this.#teller.find<DocumentRecord>(pathOf`/v1/documents/${doc_id}`, tenant_id))?.state ??
      documentMachine.initial,
    updateState: (doc_id: string, state: string, options: UpdateOptions = {}) => {
      const { tenant_id, actor: _, reason, if_match, request_key: __, validate, ...update } = options
      const to = this.#teller.by({ tenant_id, reason, if_match })
      const body = { state: state as LedgerState, ...update }
      // A way that is not declared is for those who may do everything.
      return validate === false
        ? this.#teller.post<DocumentRecord>(pathOf`/v1/admin/documents/${doc_id}:force`, { ...to, body })
        : this.#teller.post<DocumentRecord>(pathOf`/v1/documents/${doc_id}:move`, { ...to, body })
    },
  }

  readonly queues: ChangeableLedger['queues'] = {
    pause: (queue, options) =>
      this.#teller.post(pathOf`/v1/queues/${queue}:pause`, this.#teller.byAll(options)),
    resume: (queue, options) =>
      this.#teller.post(pathOf`/v1/queues/${queue}:resume`, this.#teller.byAll(options)),
    limit: (queue, limits, options) =>
      this.#teller.post(pathOf`/v1/queues/${queue}:limit`, { ...this.#teller.byAll(options), body: limits }),
  }

  readonly runs: ChangeableLedger['runs'] = {
    create: (run = {}, options) => this.#teller.post('/v1/runs', { ...this.#teller.by(options), body: run }),
    update: (run_id, state, options) =>
      this.#teller.post(pathOf`/v1/runs/${run_id}:move`, { ...this.#teller.by(options), body: { state } }),
    seal: (run_id, options) => this.#teller.post(pathOf`/v1/runs/${run_id}:seal`, this.#teller.by(options)),
    cancel: (run_id, options) =>
      this.#teller.post(pathOf`/v1/runs/${run_id}:cancel`, this.#teller.by(options)),
  }

  readonly workstreams: ChangeableLedger['workstreams'] = {
    update: (id, state, options) =>
      this.#teller.post(pathOf`/v1/workstreams/${id}:move`, { ...this.#teller.by(options), body: { state } }),
    seal: (id, options) => this.#teller.post(pathOf`/v1/workstreams/${id}:seal`, this.#teller.by(options)),
  }

  readonly schedules: ChangeableLedger['schedules'] = {
    put: ({ schedule_id, ...schedule }, options) =>
      this.#teller.client.call({
        method: 'PUT',
        path: pathOf`/v1/schedules/${schedule_id}`,
        ...this.#teller.by(options),
        body: schedule,
      }),
    pause: (id, options) => this.#teller.post(pathOf`/v1/schedules/${id}:pause`, this.#teller.by(options)),
    resume: (id, options) => this.#teller.post(pathOf`/v1/schedules/${id}:resume`, this.#teller.by(options)),
    remove: (id, options) =>
      this.#teller.client.call({
        method: 'DELETE',
        path: pathOf`/v1/schedules/${id}`,
        ...this.#teller.by(options),
      }),
  }

  readonly tokens: ChangeableLedger['tokens'] = {
    mint: (token, options) =>
      this.#teller.post('/v1/admin/tokens', { ...this.#teller.byAll(options), body: token }),
    revoke: (id, options) =>
      this.#teller.post(pathOf`/v1/admin/tokens/${id}:revoke`, this.#teller.byAll(options)),
  }

  why(job_id: string, tenant_id?: string): Promise<Why | null> {
    return this.#teller.find(pathOf`/v1/jobs/${job_id}/why`, tenant_id)
  }

  async stats(): Promise<LedgerStats> {
    const { ledger } = await this.#teller.get<{ ledger?: LedgerStats }>('/v1/stats', {
      tenant_id: this.#teller.tenant,
    })
    if (ledger !== undefined) return ledger
    const next = 'Use a token that is for all tenants.'
    throw new Forbidden('How the ledger is, is told to those who are for all tenants', next)
  }

  compact(): Promise<MaintenanceReport> {
    return this.#teller.post('/v1/admin/compact', { timeoutMs: HOUR_MS })
  }

  /** Leaves a tool job to the workers. Its repository is one of the server's machine. */
  async queueToolJob(job: ToolJob, options: QueueJobOptions): Promise<AcceptedJob> {
    const { priority, after, onDependencyFailure, reason } = options
    const body = {
      job: job as unknown as JsonObject,
      priority,
      after,
      on_dependency_failure: onDependencyFailure,
    }
    const { jobId, ...rest } = await this.#teller.post<
      Omit<AcceptedJob, 'job_id'> & { readonly jobId: string }
    >('/v1/admin/tool-jobs', { ...this.#teller.by({ reason }), body })
    return { ...rest, job_id: jobId }
  }

  /** A link that opens the page, once. */
  link(who: {
    readonly role?: string | undefined
    readonly tenants?: readonly string[] | undefined
  }): Promise<OneTimeLink> {
    return this.#teller.post('/v1/links', { body: who })
  }

  async close(): Promise<void> {
    this.#teller.client.close()
  }
}
