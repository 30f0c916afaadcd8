// One attempt at a step, from the claim to its report. What ends it:
//
// - the handler returns or throws: the result is reported;
// - the job is cancelled: the signal is aborted, and what the handler then does is reported;
// - it takes too long: the signal is aborted and the failure reported at once, whatever the handler does;
// - the lease is lost (to another attempt, or because nobody could be told of it): the signal is aborted, nothing reported;
// - the worker stops: the signal is aborted and the step given back, unless the handler came to a result first.
import type { StepResult } from '../core/job/commands.ts'
import { policyOf } from '../core/job/protocol.ts'
import type { Json } from '../core/json.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { LeaseMismatch, NotFound } from '../errors/refusal-errors.ts'
import { RecordTooLarge } from '../errors/size-errors.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import type { Work } from '../ledger/claim.ts'
import type { ReleaseOptions } from '../ledger/command-options.ts'
import type { Jobs } from '../ledger/jobs.ts'
import { stepErrorOf } from '../ledger/step-error.ts'
import { CircuitOpen } from '../wire/circuit-open.ts'
import { NonRetryable } from '../wire/non-retryable.ts'
import { Output } from '../wire/output.ts'
import { StepFailure } from '../wire/step-failure.ts'
import { WorkAborted } from '../wire/work-aborted.ts'
import { type Logger, withFields } from '../world/logger.ts'
import type { Timer } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import type { Handler, StepWork } from './handler.ts'

/** A lease is renewed when a third of it is over, and at least so often: cancelling is heard of by it. */
const LONGEST_BEAT_MS = 30_000

/** What could not be reported is reported again after this, until the lease is over. */
const REPORT_AGAIN_MS = 1000

type Outside = Pick<World, 'clock' | 'timers' | 'logger'>

export interface AttemptParts {
  readonly work: Work
  readonly handler: Handler
  readonly jobs: Jobs
  readonly world: Outside
  readonly worker: string
  /** Called when the handler is done: its result is about to be reported. */
  readonly onHandled: (run: AttemptRun) => void
  /** Called when what came of it was reported, as far as it could be. */
  readonly onDone?: (run: AttemptRun) => void
}

export class AttemptRun {
  readonly work: Work
  /** Resolves when the handler is done and what came of it was reported, as far as it could be. */
  readonly done: Promise<void>
  readonly #jobs: Jobs
  readonly #world: Outside
  readonly #worker: string
  #abort: AbortController | null = null
  #timers: Set<Timer> | null = null
  #isReported = false

  constructor({ work, handler, jobs, world, worker, onHandled, onDone }: AttemptParts) {
    this.work = work
    this.#jobs = jobs
    this.#world = world
    this.#worker = worker
    this.done = this.#run(handler, onHandled, onDone)
  }

  /** Somebody may have cancelled it: ask. */
  ask(): void {
    void this.#beat()
  }

  abort(reason: WorkAborted): void {
    if (!this.#signal.aborted) this.#controller.abort(reason)
  }

  /** Gives the step back, if nothing was reported of it. */
  async release(reason: string, options: Pick<ReleaseOptions, 'error' | 'delay_ms'> = {}): Promise<void> {
    if (this.#isReported) return
    this.#isReported = true
    await this.#jobs
      .release(this.work.step, { ...this.#by, ...options, reason })
      .catch((error: unknown) => this.#lost(error))
  }

  async #run(
    handler: Handler,
    onHandled: AttemptParts['onHandled'],
    onDone: AttemptParts['onDone'],
  ): Promise<void> {
    // Whoever began this attempt begins others first.
    await null
    const result = await this.#handle(handler)
    onHandled(this)
    // Whoever stops because the worker does has not failed.
    if (result instanceof CircuitOpen) await this.#refuse(result)
    else if (result.status === 'FAILED' && isStopped(this.#abort?.signal.reason))
      await this.release('Its worker stopped')
    else await this.#report(result)
    this.#end()
    onDone?.(this)
  }

  async #handle(handler: Handler): Promise<StepResult | CircuitOpen> {
    try {
      this.#limitTime()
      const { previous, previous_file } = this.work
      const isInFile = previous_file != null
      // Whatever takes longer than a moment needs heartbeats: to read a file, or a handler that has to be waited for.
      if (isInFile) this.#beatLater()
      const given = isInFile
        ? await this.#jobs.output({ output: previous, output_file: previous_file })
        : previous
      const returned = handler(this.#given(given))
      if (!isThenable(returned)) return succeeded(returned)
      if (!isInFile) this.#beatLater()
      return succeeded(await returned)
    } catch (error) {
      return error instanceof CircuitOpen ? error : failed(error)
    }
  }

  #limitTime(): void {
    const { step } = this.work
    if (step.policy.timeout_ms === undefined) return
    const timeoutMs = policyOf(step, 'timeout_ms')
    this.#after(timeoutMs, () => this.#timeOut(timeoutMs))
  }

  /** It was not even tried: somebody may do so when that makes sense again. */
  async #refuse({ code, message, until }: CircuitOpen): Promise<void> {
    const delay_ms = Math.max(0, until - this.#world.clock.now())
    await this.release(message, { error: { code, message }, delay_ms })
  }

  #given(previous: Json): StepWork {
    const { job, step } = this.work
    const run = this
    return {
      job,
      step,
      input: step.payload ?? job.payload,
      previous,
      heartbeat: () => this.#beat(),
      // Many handlers want neither.
      get signal() {
        return run.#signal
      },
      get log() {
        return run.#log
      },
    }
  }

  #timeOut(ms: number): void {
    const error = new WorkAborted('TIMEOUT', `Not done within ${ms} ms`)
    this.abort(error)
    void this.#report({
      status: 'FAILED',
      failure_class: 'RETRYABLE',
      error: { code: error.code, message: error.message },
    })
  }

  /** Written once, whatever the handler does afterwards. */
  async #report(result: StepResult): Promise<void> {
    if (this.#isReported) return
    this.#isReported = true
    const { clock } = this.#world
    const deadline = clock.now() + policyOf(this.work.step, 'lease_ms')
    for (;;) {
      try {
        await this.#jobs.result(this.work.step, result, this.#by)
        return
      } catch (error) {
        if (isUnusable(error)) {
          await this.#jobs
            .result(this.work.step, unusable(error), this.#by)
            .catch((again) => this.#lost(again))
          return
        }
        if (!isPassing(error) || clock.now() >= deadline) return this.#lost(error)
        this.#world.logger.warn({ error, job_id: this.work.job.job_id }, 'A result cannot be written now')
        await new Promise<void>((resolve) => this.#after(REPORT_AGAIN_MS, resolve))
      }
    }
  }

  #lost(error: unknown): void {
    const { job_id } = this.work.job
    const { step_id, attempt_no } = this.work.step
    this.#world.logger.warn(
      { error, job_id, step_id, attempt_no },
      `Attempt ${attempt_no} could not be reported`,
    )
  }

  #beatLater(): void {
    const { step } = this.work
    const lease = policyOf(step, 'lease_ms')
    this.#after(Math.max(1, Math.min(lease / 3, LONGEST_BEAT_MS)), () => {
      void this.#beat().then(() => {
        if (!this.#isReported) this.#beatLater()
      })
    })
  }

  /** A heartbeat that cannot be written is not the end: the next one may. The lease decides. */
  async #beat(): Promise<void> {
    if (this.#isReported) return
    try {
      const { cancel } = await this.#jobs.heartbeat(this.work.step, this.#by)
      if (cancel) this.abort(new WorkAborted('CANCELLED', 'The job is being cancelled'))
    } catch (error) {
      if (error instanceof LeaseMismatch || error instanceof NotFound) {
        this.abort(new WorkAborted('LEASE_LOST', 'The step was handed to another attempt'))
      } else {
        this.#world.logger.warn({ error, job_id: this.work.job.job_id }, 'A heartbeat could not be written')
      }
    }
  }

  get #controller(): AbortController {
    this.#abort ??= new AbortController()
    return this.#abort
  }

  get #signal(): AbortSignal {
    return this.#controller.signal
  }

  get #log(): Logger {
    const { job_id } = this.work.job
    const { step_id, attempt_no } = this.work.step
    return withFields(this.#world.logger, { job_id, step_id, attempt_no })
  }

  get #by() {
    return { actor: this.#worker, tenant_id: this.work.job.tenant_id }
  }

  #after(ms: number, callback: () => void): void {
    this.#timers ??= new Set()
    const timer = this.#world.timers.after(ms, () => {
      this.#timers?.delete(timer)
      callback()
    })
    this.#timers.add(timer)
  }

  #end(): void {
    if (this.#timers === null) return
    for (const timer of this.#timers) timer.cancel()
    this.#timers = null
  }
}

function isThenable(returned: unknown): returned is PromiseLike<unknown> {
  return typeof (returned as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

function succeeded(returned: unknown): StepResult {
  if (returned instanceof Output) {
    const { value, ref, count, metadata } = returned
    return {
      status: 'SUCCEEDED',
      output: jsonOf(value),
      ...(ref === undefined ? null : { output_ref: ref }),
      ...(count === undefined ? null : { output_count: count }),
      ...(metadata === undefined ? null : { metadata }),
    }
  }
  return { status: 'SUCCEEDED', output: jsonOf(returned) }
}

/** Whether it is JSON is checked when it is reported; a handler that returns nothing has nothing to say. */
function jsonOf(value: unknown): Json {
  return (value ?? null) as Json
}

function failed(thrown: unknown): StepResult {
  const { failure_class = 'RETRYABLE' } =
    thrown instanceof NonRetryable || thrown instanceof StepFailure ? thrown : {}
  const metadata = thrown instanceof StepFailure ? thrown.metadata : undefined
  return {
    status: 'FAILED',
    failure_class,
    error: stepErrorOf(thrown, failure_class === 'NON_RETRYABLE' ? 'NON_RETRYABLE' : 'HANDLER_FAILED'),
    ...(metadata === undefined ? null : { metadata }),
  }
}

/** What a handler returned is no JSON, or larger than the engine can keep. */
function isUnusable(error: unknown): error is InvalidInput | RecordTooLarge {
  return error instanceof InvalidInput || error instanceof RecordTooLarge
}

/** It would return the same again. */
function unusable(error: InvalidInput | RecordTooLarge): StepResult {
  const code = error instanceof InvalidInput ? 'INVALID_OUTPUT' : error.code
  return { status: 'FAILED', failure_class: 'NON_RETRYABLE', error: { code, message: error.message } }
}

/**
 * What may be otherwise in a moment. Saying a result twice is harmless: whether the first was kept need not be known. What
 * the ledger refuses it will refuse again.
 */
const PASSING = new Set<string>(['DISK_FULL', 'SERVER_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'LEDGER_BUSY'])

function isPassing(error: unknown): boolean {
  return error instanceof WaybillError && PASSING.has(error.code)
}

function isStopped(reason: unknown): boolean {
  return reason instanceof WorkAborted && reason.code === 'STOPPED'
}
