import type { StageReport, StepError } from '../core/job/commands.ts'
import { entryOf, type LedgerEntry } from '../core/job/entry.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { NotFound } from '../errors/refusal-errors.ts'
import type { Ledger } from './ledger.ts'
import { normalised } from './normalised.ts'
import { runMetadata } from './pipeline-request.ts'
import type { CallOptions } from './settings.ts'
import { stepErrorOf } from './step-error.ts'

export interface RunPreparation {
  readonly pipeline_name: string
  readonly pipeline_version: string
  /** Who asked for it and why, say. */
  readonly context?: unknown
  /** What the adapter is asked to do. */
  readonly adapter_request?: unknown
  readonly payload?: unknown
}

/** What is known of a stage that succeeded. What is absent the ledger counts itself. */
export interface StageOutcome {
  readonly attempts?: number | undefined
  readonly output_count?: number | undefined
  readonly duration_ms?: number | undefined
  readonly output?: unknown
}

/**
 * The one way in which stage code touches the ledger. Workers of pipelines need not call it: it is for other schedulers,
 * which run the stages themselves and say here how that goes. A job that is not there never makes a stage fail: it is logged
 * and counted, and the answer is null.
 */
export class LedgerStateManager {
  readonly #ledger: Ledger
  readonly #options: CallOptions
  #missing = 0

  constructor(ledger: Ledger, options: CallOptions = {}) {
    this.#ledger = ledger
    this.#options = options
  }

  /** How often a job was asked for that is not there. */
  get missing(): number {
    return this.#missing
  }

  /** The run is about to begin: what it is given is kept with the job, which is processing, in `bootstrap`. */
  async prepareRun(job_id: string, run: RunPreparation): Promise<LedgerEntry | null> {
    const { pipeline_name, pipeline_version, context, adapter_request, payload } = run
    const facts = { context: context ?? {}, adapter_request: adapter_request ?? {}, payload: payload ?? {} }
    const metadata = runMetadata({ pipeline_version, ...facts })
    return this.#report(job_id, { what: 'prepared', pipeline_name, metadata })
  }

  async stageStarted(job_id: string, stage: string): Promise<LedgerEntry | null> {
    return this.#report(job_id, { what: 'started', stage })
  }

  /** An attempt at the stage failed, and the next one begins. */
  async recordRetry(job_id: string, stage: string, error?: unknown): Promise<LedgerEntry | null> {
    return this.#report(job_id, {
      what: 'retried',
      stage,
      error: error === undefined ? null : errorOf(error),
    })
  }

  async stageSucceeded(
    job_id: string,
    stage: string,
    outcome: StageOutcome = {},
  ): Promise<LedgerEntry | null> {
    const { attempts = null, output_count = null, duration_ms = null } = outcome
    const output: Json = outcome.output === undefined ? null : normalised('output', outcome.output)
    return this.#report(job_id, { what: 'succeeded', stage, attempts, output_count, duration_ms, output })
  }

  /** The stage failed for good, and with it the job. Null stands for before the first stage, or between two. */
  async stageFailed(job_id: string, stage: string | null, error: unknown): Promise<LedgerEntry | null> {
    return this.#report(job_id, { what: 'failed', stage, error: errorOf(error) })
  }

  /** There are no more stages to come: the job is completed. */
  async completeRun(job_id: string, metadata: JsonObject = {}): Promise<LedgerEntry | null> {
    return this.#report(job_id, {
      what: 'completed',
      metadata: normalised('metadata', metadata) as JsonObject,
    })
  }

  /** The whole run was begun once more. */
  async recordJobAttempt(job_id: string): Promise<LedgerEntry | null> {
    return this.#report(job_id, { what: 'attempted' })
  }

  async fetchEntry(job_id: string): Promise<LedgerEntry | null> {
    const aggregate = await this.#ledger.jobs.show(job_id, this.#options.tenant_id)
    if (aggregate === null) return this.#isMissing(job_id, 'fetch')
    return entryOf(aggregate)
  }

  async #report(job_id: string, report: StageReport): Promise<LedgerEntry | null> {
    try {
      return entryOf(await this.#ledger.jobs.reportStage(job_id, report, this.#options))
    } catch (error) {
      if (error instanceof NotFound) return this.#isMissing(job_id, report.what)
      throw error
    }
  }

  #isMissing(job_id: string, what: string): null {
    this.#missing++
    this.#ledger.logger.warn(
      { code: 'NOT_FOUND', job_id, report: what },
      `There is no job ${job_id} to report on`,
    )
    return null
  }
}

/** Whatever was thrown: its own code and message, or just its text. */
function errorOf(error: unknown): StepError {
  if (typeof error === 'string') return { code: 'STAGE_FAILED', message: error }
  return stepErrorOf(error, 'STAGE_FAILED')
}
