import { resolve } from 'node:path'
import type { JobAggregate } from '../core/aggregate.ts'
import type { DependencyPolicy, PRIORITIES } from '../core/job/record.ts'
import { HUMAN, queueOfTool } from '../core/job/tool-service.ts'
import { type ToolStatus, toolStatusOf } from '../core/job/tool-status.ts'
import type { Json } from '../core/json.ts'
import { isTerminal } from '../core/machine.ts'
import { jobMachine } from '../core/machines/job.ts'
import { Conflict, jobNotFound } from '../errors/refusal-errors.ts'
import type { CallOptions } from '../ledger/settings.ts'
import type { SubmittedJob } from '../ledger/submitted-job.ts'
import { AttemptRun } from '../runtime/attempt-run.ts'
import type { Handler, Handlers } from '../runtime/handler.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import { realWorld } from '../world/world.ts'
import { JobStateStore } from './job-state-store.ts'
import type { OutputChunk } from './process/output-capture.ts'
import type { JobAttempt, JobView } from './state-interface.ts'
import type { Adapter } from './tools/adapter.ts'
import { AdapterRegistry } from './tools/adapter-registry.ts'
import { readToolJob } from './tools/read-tool-job.ts'
import { attemptTool, type ToolWorld } from './tools/tool-attempt.ts'
import { parseToolJob, type ToolJob } from './tools/tool-job.ts'
import { rungsOf, toolPipeline } from './tools/tool-protocol.ts'
import { realPlaceOf, toolWorldOf } from './tools/tool-world.ts'

export interface OrchestratorOptions {
  /** Where what is known of runs and jobs is kept; a ledger in `./ledger` unless given. */
  readonly store?: JobStateStore | undefined
  /** Tools beside those that come with Waybill; one of the same name takes the place of ours. */
  readonly adapters?: readonly Adapter[] | undefined
  /** Who runs jobs, in the history. */
  readonly name?: string | undefined
  /** What relative paths of jobs start from; where this process was started unless given. */
  readonly base?: string | undefined
  /** The environment that tools get some of; this process's unless given. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
  /** What tools print, as they do. */
  readonly onOutput?: ((chunk: OutputChunk & { readonly job_id: string }) => void) | undefined
}

export interface QueueJobOptions {
  readonly priority?: (typeof PRIORITIES)[number] | undefined
  /** Jobs that have to be done first. */
  readonly after?: readonly string[] | undefined
  /** What becomes of it when one of them fails. */
  readonly onDependencyFailure?: DependencyPolicy | undefined
  /** Why it is asked for, in the history. */
  readonly reason?: string | undefined
}

export interface RunJobOptions extends QueueJobOptions {
  /** Cancels the job, or whichever has taken over from it: its processes are ended, and how that went is answered. */
  readonly signal?: AbortSignal | undefined
}

/** How a job ended, or the last of those that took over from it. */
export interface FinishedJob extends JobView {
  readonly attempts: readonly JobAttempt[]
}

/** Runs tool jobs: at once, or from a queue. */
export class ToolOrchestrator implements AsyncDisposable {
  readonly adapters: AdapterRegistry
  readonly #given: JobStateStore | undefined
  readonly #options: OrchestratorOptions
  readonly #openOwn: () => Promise<LiveLedger>
  #own: Promise<JobStateStore> | null = null

  /** `openOwn` opens the ledger that is used when no store is given. */
  constructor(options: OrchestratorOptions, openOwn: () => Promise<LiveLedger>) {
    this.#openOwn = openOwn
    this.#options = options
    this.#given = options.store
    this.adapters = new AdapterRegistry(options.adapters)
  }

  /** Where everything is kept. */
  async store(): Promise<JobStateStore> {
    if (this.#given !== undefined) return this.#given
    this.#own ??= this.#openOwn().then((ledger) => new JobStateStore(ledger))
    return this.#own
  }

  /**
   * Runs a job here and now, with its retries, and whatever takes over when it fails; answers how that ended. The same job
   * again goes on where it was, or answers how it ended.
   */
  async runJob(what: string | ToolJob, options: RunJobOptions = {}): Promise<FinishedJob> {
    const job = await this.#jobOf(what)
    await this.#submit(job, options)
    return this.#seeThrough(job.job_id, options.signal)
  }

  /** Leaves a job to the workers. */
  async queueJob(
    what: string | ToolJob,
    options: QueueJobOptions & Pick<CallOptions, 'tenant_id' | 'actor'> = {},
  ): Promise<SubmittedJob> {
    return this.#submit(await this.#jobOf(what), options)
  }

  async getJobStatus(job_id: string): Promise<ToolStatus | 'not_found'> {
    return (await this.store()).getJobStatus(job_id)
  }

  /** Who does the jobs of each tool: for a worker of a ledger. */
  async handlers(): Promise<Handlers> {
    const world = await this.#toolWorld()
    const handler: Handler = (work) => attemptTool(work, world)
    return Object.fromEntries(this.adapters.tools.map((tool) => [queueOfTool(tool), handler]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own !== null) await (await this.#own).ledger.close()
  }

  async #jobOf(what: string | ToolJob): Promise<ToolJob> {
    return typeof what === 'string' ? readToolJob(this.#resolved(what), realWorld.disk) : parseToolJob(what)
  }

  /** What can be seen to be wrong is refused before anything is written. */
  async #submit(
    job: ToolJob,
    options: QueueJobOptions & Pick<CallOptions, 'tenant_id' | 'actor'>,
  ): Promise<SubmittedJob> {
    const { priority, after, onDependencyFailure, reason, tenant_id, actor } = options
    if (job.tool !== HUMAN) this.adapters.adapterFor(job.tool)
    const { repoRoot } = await realPlaceOf(job, this.#resolved('.'))
    // Wherever it is run, it is run there.
    const placed: ToolJob = { ...job, paths: { ...job.paths, repo_root: repoRoot } }
    const { ledger } = await this.store()
    const submitted = await ledger.jobs.submit(
      toolPipeline(placed, this.adapters),
      {
        ...(tenant_id === undefined ? null : { tenant_id }),
        job_id: job.job_id,
        // The id of the job is what makes it the same one.
        idempotency_key: `tool job ${job.job_id}`,
        run_id: job.run_id,
        workstream_id: job.workstream_id,
        input_ref: repoRoot,
        output_ref: repoRoot,
        payload: placed as unknown as Json,
        priority,
        depends_on: after === undefined ? undefined : [...after],
        on_dependency_failure: onDependencyFailure,
      },
      { rungs: rungsOf(placed, this.adapters), reason, actor },
    )
    if (submitted.differing.length > 0) throw isAnother(job)
    return submitted
  }

  async #seeThrough(job_id: string, signal: AbortSignal | undefined): Promise<FinishedJob> {
    const ledger = await this.#liveLedger()
    const world = await this.#toolWorld()
    const run = new JobRun(ledger, (work) => attemptTool(work, world), this.#options.name ?? 'run-job')
    for (let id = job_id; ; ) {
      const { job, steps } = await run.toItsEnd(id, signal)
      const next = job.escalation?.escalated_to ?? null
      if (next === null || steps.length === 0) return this.#finished(id)
      id = next
    }
  }

  async #finished(job_id: string): Promise<FinishedJob> {
    const job = await (await this.store()).getJob(job_id)
    return job as FinishedJob
  }

  async #liveLedger(): Promise<LiveLedger> {
    return (await this.store()).ledger as LiveLedger
  }

  async #toolWorld(): Promise<ToolWorld> {
    const { ledger } = await this.store()
    const { env = process.env, onOutput } = this.#options
    return toolWorldOf({ ledger, adapters: this.adapters, env, onOutput })
  }

  #resolved(path: string): string {
    return resolve(this.#options.base ?? '.', path)
  }
}

/** Does one job and no other, until it has ended. Somebody else may have it meanwhile; then that is waited for. */
class JobRun {
  readonly #ledger: LiveLedger
  readonly #handler: Handler
  readonly #name: string

  constructor(ledger: LiveLedger, handler: Handler, name: string) {
    this.#ledger = ledger
    this.#handler = handler
    this.#name = name
  }

  async toItsEnd(job_id: string, signal: AbortSignal | undefined): Promise<JobAggregate> {
    const cancel = () => void this.#cancel(job_id)
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted === true) cancel()
    this.#ledger.keepTime()
    let hasNews = false
    let wake: () => void = () => {}
    const hold = realWorld.timers.hold()
    const end = this.#ledger.onNews(() => {
      hasNews = true
      wake()
    })
    try {
      for (;;) {
        hasNews = false
        const aggregate = await this.#look(job_id)
        if (isOver(aggregate)) return aggregate
        await this.#attempt(job_id)
        if (hasNews) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      signal?.removeEventListener('abort', cancel)
      end()
      hold.cancel()
    }
  }

  /** Whoever is at work on it hears of it, here or elsewhere. */
  async #cancel(job_id: string): Promise<void> {
    const reason = 'Whoever had it run stopped it'
    await this.#ledger.jobs.cancel(job_id, { reason }).catch((error: unknown) => {
      this.#ledger.logger.warn({ error, job_id }, `Job ${job_id} could not be cancelled`)
    })
  }

  async #attempt(job_id: string): Promise<void> {
    const work = await this.#ledger.jobs.claimJob(job_id, { actor: this.#name })
    if (work === null) return
    const run = new AttemptRun({ jobs: this.#ledger.jobs, world: realWorld, worker: this.#name }, work)
    const end = this.#ledger.onSteered(({ job_id: id }) => {
      if (id === job_id) run.ask()
    })
    run.start(this.#handler)
    await run.done
    end()
  }

  async #look(job_id: string): Promise<JobAggregate> {
    const aggregate = await this.#ledger.jobs.show(job_id)
    if (aggregate !== null) return aggregate
    throw jobNotFound({ job_id })
  }
}

function isAnother({ job_id }: ToolJob): Conflict {
  return new Conflict({
    code: 'JOB_EXISTS',
    message: `There is a job ${job_id} already, and it is another one`,
    field: 'job_id',
    next: `Give this one an id of its own; waybill jobs again ${job_id} runs the other one again.`,
    details: { job_id },
  })
}

/** It has ended, or it waits for a person, who may take their time. */
function isOver(aggregate: JobAggregate): boolean {
  const { job, steps } = aggregate
  if (isTerminal(jobMachine, job.state)) return true
  return steps[0]?.delivery === 'external' && toolStatusOf(aggregate) === 'queued'
}
