import type { JobAggregate } from '../core/aggregate.ts'
import type { Answers } from '../core/batch.ts'
import type { Command } from '../core/command.ts'
import type { StepResult } from '../core/job/commands.ts'
import type { StepRecord } from '../core/job/record.ts'
import { TOOL } from '../core/job/tool-service.ts'
import { type ToolStatus, toolStatusOf } from '../core/job/tool-status.ts'
import { activeStep } from '../core/job/waiting.ts'
import type { JsonObject } from '../core/json.ts'
import type { RunState } from '../core/machines/run.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Conflict, jobNotFound } from '../errors/refusal-errors.ts'
import { checkCount } from '../ledger/check-input.ts'
import type { Commands } from '../ledger/commands.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { WatchOptions } from '../store/store.ts'
import { eventOf } from './job-events.ts'
import { attemptsIn, jobView } from './job-view.ts'
import { type FileChange, lastChangeOf, type WhichFile } from './provenance.ts'
import type {
  EventPayload,
  JobAttempt,
  JobEvent,
  JobResult,
  JobView,
  RunView,
  StateInterface,
  WorkstreamView,
} from './state-interface.ts'

const RECENT_RUNS = 10

/** Jobs of a run that are listed. */
const MOST_JOBS = 10_000

/** What is known of runs, workstreams and tool jobs, in a ledger. */
export class JobStateStore implements StateInterface {
  readonly ledger: Ledger

  constructor(ledger: Ledger) {
    this.ledger = ledger
  }

  async createRun(run: { readonly run_id?: string; readonly metadata?: JsonObject } = {}): Promise<RunView> {
    return viewOf(await this.ledger.runs.create(run))
  }

  async getRun(run_id: string): Promise<RunView | null> {
    const run = await this.ledger.runs.get(run_id)
    return run === null ? null : viewOf(run)
  }

  async updateRunStatus(run_id: string, status: RunState): Promise<RunView> {
    return viewOf(await this.ledger.runs.update(run_id, status))
  }

  /** The newest first. */
  async listRecentRuns(limit: number = RECENT_RUNS): Promise<readonly RunView[]> {
    const { items } = await this.ledger.runs.list({
      limit: Math.max(1, checkCount('limit', limit)),
      order: 'changed',
      direction: 'desc',
    })
    return items.map(viewOf)
  }

  async listWorkstreams(run_id?: string): Promise<readonly WorkstreamView[]> {
    return (await this.ledger.workstreams.list({ run_id, limit: 1000 })).items.map(viewOf)
  }

  async getWorkstream(ws_id: string): Promise<WorkstreamView | null> {
    const workstream = await this.ledger.workstreams.get(ws_id)
    return workstream === null ? null : viewOf(workstream)
  }

  async markJobRunning(job_id: string): Promise<JobView> {
    const aggregate = await this.#mustBeThere(job_id)
    if (toolStatusOf(aggregate) === 'running') return jobView(aggregate)
    await this.#begin(job_id)
    return jobView(await this.#mustBeThere(job_id))
  }

  /** For whoever runs tools by themselves; a worker says so on its own. */
  async updateJobResult({ job_id }: { readonly job_id: string }, result: JobResult): Promise<JobView> {
    const aggregate = await this.#mustBeThere(job_id)
    const isRunning = toolStatusOf(aggregate) === 'running'
    const step = (isRunning ? activeStep(aggregate.steps) : undefined) ?? (await this.#begin(job_id))
    if (result.status === 'cancelled') await this.ledger.jobs.cancel(job_id)
    await this.ledger.jobs.result(step, stepResultOf(result))
    return jobView(await this.#mustBeThere(job_id))
  }

  async getJobStatus(job_id: string): Promise<ToolStatus | 'not_found'> {
    const aggregate = await this.ledger.jobs.show(job_id)
    return aggregate === null ? 'not_found' : toolStatusOf(aggregate)
  }

  async getJob(job_id: string): Promise<(JobView & { readonly attempts: readonly JobAttempt[] }) | null> {
    const aggregate = await this.ledger.jobs.show(job_id)
    if (aggregate === null) return null
    const history = await Array.fromAsync(this.ledger.jobs.history(job_id))
    return { ...jobView(aggregate), attempts: attemptsIn(history) }
  }

  /** Tool jobs, of a run or all of them, in the order of their ids. */
  async listJobs(run_id?: string): Promise<readonly JobView[]> {
    const views: JobView[] = []
    let after: string | undefined
    do {
      const page = await this.ledger.jobs.list({ run_id, limit: 500, after })
      const tools = page.items.filter(({ request_type }) => request_type.startsWith(TOOL))
      const shown = await Promise.all(tools.map(({ job_id }) => this.ledger.jobs.show(job_id)))
      for (const aggregate of shown) if (aggregate !== null) views.push(jobView(aggregate))
      after = page.next ?? undefined
    } while (after !== undefined && views.length < MOST_JOBS)
    return views
  }

  async recordEvent(event_type: string, payload: EventPayload): Promise<void> {
    const event = { event_type, payload }
    const { job_id, ws_id, run_id } = payload as { readonly [id: string]: unknown }
    if (typeof job_id === 'string') await this.ledger.jobs.record(job_id, event)
    else if (typeof ws_id === 'string') await this.ledger.workstreams.record(ws_id, event)
    else if (typeof run_id === 'string') await this.ledger.runs.record(run_id, event)
    else throw aboutNothing()
  }

  /**
   * What happens to tool jobs, and what others record: from a cursor on (`START` is the beginning), then live. Nothing is
   * skipped and nothing comes twice, also when it is taken up again from the cursor of the last event.
   */
  async *subscribe(options: WatchOptions = {}): AsyncGenerator<JobEvent> {
    for await (const record of this.ledger.events(options)) {
      const event = eventOf(record)
      if (event !== null) yield event
    }
  }

  /** Several changes as one: all of them or none. */
  transaction<const C extends readonly Command[]>(commands: (make: Commands) => C): Promise<Answers<C>> {
    return this.ledger.batch(commands)
  }

  /** The job that last changed a file of a repository, and whether tests passed after that; null when none did. */
  lastChange(file: string, options: WhichFile = {}): Promise<FileChange | null> {
    return lastChangeOf(this, file, options)
  }

  async #begin(job_id: string): Promise<StepRecord> {
    const work = await this.ledger.jobs.claimJob(job_id)
    if (work !== null) return work.step
    const { job } = await this.#mustBeThere(job_id)
    throw new Conflict({
      code: 'NOT_CLAIMABLE',
      message: `Job ${job_id} is ${job.state} and cannot be begun with now`,
      next: `Ask what keeps it: waybill why ${job_id}`,
      details: { job_id, state: job.state },
    })
  }

  async #mustBeThere(job_id: string): Promise<JobAggregate> {
    const aggregate = await this.ledger.jobs.show(job_id)
    if (aggregate !== null) return aggregate
    throw jobNotFound({ job_id })
  }
}

function viewOf<R extends { readonly kind: string; readonly state: string }>(
  record: R,
): Omit<R, 'kind'> & { readonly status: R['state'] } {
  const { kind: _, ...rest } = record
  return { ...rest, status: record.state }
}

function stepResultOf(result: JobResult): StepResult {
  const { status, exit_code, duration_s, error, metadata } = result
  const facts = { ...metadata, exit_code, duration_s }
  if (status === 'completed') return { status: 'SUCCEEDED', metadata: facts }
  const code = status === 'timeout' ? 'TIMEOUT' : (error?.code ?? 'TOOL_FAILED')
  const message = error?.message ?? `It ended with ${exit_code === null ? status : `exit code ${exit_code}`}`
  return { status: 'FAILED', failure_class: 'RETRYABLE', error: { code, message }, metadata: facts }
}

function aboutNothing(): InvalidInput {
  const next = 'Name what it is about: { job_id }, { ws_id } or { run_id }.'
  return new InvalidInput('payload', 'The event is about no job, workstream or run', next)
}
