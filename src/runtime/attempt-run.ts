// One attempt at a step, from the claim to its report. What ends it:
//
// - the handler returns or throws: the result is reported;
// - the job is cancelled: the signal is aborted, and what the handler then does is reported;
// - it takes too long: the signal is aborted and the failure reported at once, whatever the handler does;
// - the lease is lost (to another attempt, or because nobody could be told of it): the signal is aborted, nothing reported;
// - the worker stops: the signal is aborted and the step given back, unless the handler came to a result first.
import type { StepResult } from '../core/job/commands.ts'
import { policyOf } from '../core/job/protocol.ts'
import type { JobRecord, StepRecord } from '../core/job/record.ts'
import type { Task } from '../core/job/task.ts'
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

/** Whose attempts they are. */
export interface AttemptsBy {
  readonly jobs: Jobs
  readonly world: Outside
  readonly worker: string
  /** Called when the handler is done: its result is about to be reported. */
  readonly onHandled?: (run: AttemptRun) => void
  /** Called when what came of it was reported, as far as it could be. */
  readonly onDone?: (run: AttemptRun) => void
}

/** Most attempts are over in a moment, and there are very many: what only some of them need is made when they do. */
export class AttemptRun {
  readonly task: Task
  readonly #by: AttemptsBy
  readonly #work: Work
  #abort: AbortController | null = null
  #timers: Set<Timer> | null = null
  #isReported = false
  #isDone = false
  #done: PromiseWithResolvers<void> | null = null

  constructor(by: AttemptsBy, work: Work) {
    this.#by = by
    this.#work = work
    this.task = work.task
  }

  /** Has the handler begin. */
  start(handler: Handler): void {
    const result = this.#begin(handler)
    if (!isThenable(result)) {
      this.#over(result)
      return
    }
    // Whatever takes longer than a moment needs heartbeats.
    this.#beatLater()
    result.then(
      (value) => this.#over(succeeded(value)),
      (error: unknown) => this.#over(failed(error)),
    )
  }

  /** What came of it, or what has to be waited for. */
  #begin(handler: Handler): StepResult | CircuitOpen | PromiseLike<unknown> {
    try {
      this.#limitTime()
      const work = this.#work
      if (work.previous_file != null) return this.#handleFile(handler)
      const returned = handler(new WorkGiven(this, work, work.previous))
      return isThenable(returned) ? returned : succeeded(returned)
    } catch (error) {
      return failed(error)
    }
  }

  /** Resolves when the handler is done and what came of it was reported, as far as it could be. */
  get done(): Promise<void> {
    if (this.#isDone) return Promise.resolve()
    this.#done ??= Promise.withResolvers()
    return this.#done.promise
  }

  /** Somebody may have cancelled it: ask. */
  ask(): void {
    void this.beat()
  }

  abort(reason: WorkAborted): void {
    if (!this.signal.aborted) this.#controller.abort(reason)
  }

  /** Gives the step back, if nothing was reported of it. */
  async release(reason: string, options: Pick<ReleaseOptions, 'error' | 'delay_ms'> = {}): Promise<void> {
    if (this.#isReported) return
    this.#isReported = true
    await this.#by.jobs
      .release(this.task, { ...this.#caller, ...options, reason })
      .catch((error: unknown) => this.#lost(error))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get log(): Logger {
    const { job_id, step_id, attempt_no } = this.task
    return withFields(this.#by.world.logger, { job_id, step_id, attempt_no })
  }

  /** What the step before came to is in a file. */
  async #handleFile(handler: Handler): Promise<unknown> {
    const { previous, previous_file } = this.#work
    const given = await this.#by.jobs.output({ output: previous, output_file: previous_file })
    return await handler(new WorkGiven(this, this.#work, given))
  }

  /** The handler is done. */
  #over(result: StepResult | CircuitOpen): void {
    this.#by.onHandled?.(this)
    // Whoever stops because the worker does has not failed.
    if (result instanceof CircuitOpen) void this.#refuse(result).then(this.#finish)
    else if (result.status === 'FAILED' && isStopped(this.#abort?.signal.reason))
      void this.release('Its worker stopped').then(this.#finish)
    else this.#report(result)
  }

  readonly #finish = (): void => {
    this.#isDone = true
    if (this.#timers !== null) for (const timer of this.#timers) timer.cancel()
    this.#timers = null
    this.#by.onDone?.(this)
    this.#done?.resolve()
  }

  #limitTime(): void {
    const { timeout_ms } = this.task.policy
    if (timeout_ms !== undefined) this.#after(timeout_ms, () => this.#timeOut(timeout_ms))
  }

  /** It was not even tried: somebody may do so when that makes sense again. */
  async #refuse({ code, message, until }: CircuitOpen): Promise<void> {
    const delay_ms = Math.max(0, until - this.#by.world.clock.now())
    await this.release(message, { error: { code, message }, delay_ms })
  }

  #timeOut(ms: number): void {
    const error = new WorkAborted('TIMEOUT', `Not done within ${ms} ms`)
    this.abort(error)
    if (this.#isReported) return
    this.#isReported = true
    const result = {
      status: 'FAILED',
      failure_class: 'RETRYABLE',
      error: { code: error.code, message: error.message },
    } as const
    this.#write(result).catch((failure: unknown) => this.#writeAgain(failure, result))
  }

  /** Written once, whatever the handler does afterwards. */
  #report(result: StepResult): void {
    if (this.#isReported) {
      this.#finish()
      return
    }
    this.#isReported = true
    this.#write(result).then(this.#finish, (error: unknown) => {
      void this.#writeAgain(error, result).then(this.#finish)
    })
  }

  #write(result: StepResult): Promise<unknown> {
    return this.#by.jobs.result(this.task, result, this.#caller)
  }

  /** What could not be written may be in a moment, or never. */
  async #writeAgain(first: unknown, result: StepResult): Promise<void> {
    const { clock, logger } = this.#by.world
    const deadline = clock.now() + policyOf(this.task, 'lease_ms')
    for (let error = first; ; ) {
      if (isUnusable(error)) {
        await this.#write(unusable(error)).catch((again) => this.#lost(again))
        return
      }
      if (!isPassing(error) || clock.now() >= deadline) return this.#lost(error)
      logger.warn({ error, job_id: this.task.job_id }, 'A result cannot be written now')
      await new Promise<void>((resolve) => this.#after(REPORT_AGAIN_MS, resolve))
      try {
        await this.#write(result)
        return
      } catch (again) {
        error = again
      }
    }
  }

  #lost(error: unknown): void {
    const { job_id, step_id, attempt_no } = this.task
    this.#by.world.logger.warn(
      { error, job_id, step_id, attempt_no },
      `Attempt ${attempt_no} could not be reported`,
    )
  }

  #beatLater(): void {
    const lease = policyOf(this.task, 'lease_ms')
    this.#after(Math.max(1, Math.min(lease / 3, LONGEST_BEAT_MS)), () => {
      void this.beat().then(() => {
        if (!this.#isReported) this.#beatLater()
      })
    })
  }

  /** A heartbeat that cannot be written is not the end: the next one may. The lease decides. */
  async beat(): Promise<void> {
    if (this.#isReported) return
    try {
      const { cancel } = await this.#by.jobs.heartbeat(this.task, this.#caller)
      if (cancel) this.abort(new WorkAborted('CANCELLED', 'The job is being cancelled'))
    } catch (error) {
      if (error instanceof LeaseMismatch || error instanceof NotFound) {
        this.abort(new WorkAborted('LEASE_LOST', 'The step was handed to another attempt'))
      } else {
        const { job_id } = this.task
        this.#by.world.logger.warn({ error, job_id }, 'A heartbeat could not be written')
      }
    }
  }

  get #controller(): AbortController {
    this.#abort ??= new AbortController()
    return this.#abort
  }

  get #caller() {
    return { actor: this.#by.worker, tenant_id: this.task.tenant_id }
  }

  #after(ms: number, callback: () => void): void {
    this.#timers ??= new Set()
    const timer = this.#by.world.timers.after(ms, () => {
      this.#timers?.delete(timer)
      callback()
    })
    this.#timers.add(timer)
  }
}

/** What a handler is given. Many look at next to nothing of it. */
class WorkGiven implements StepWork {
  readonly #run: AttemptRun
  readonly #work: Work
  readonly previous: Json

  constructor(run: AttemptRun, work: Work, previous: Json) {
    this.#run = run
    this.#work = work
    this.previous = previous
  }

  get job(): JobRecord {
    return this.#work.job
  }

  get step(): StepRecord {
    return this.#work.step
  }

  get input(): Json {
    return this.#work.task.input
  }

  get signal(): AbortSignal {
    return this.#run.signal
  }

  get log(): Logger {
    return this.#run.log
  }

  /** Handlers take it apart. */
  get heartbeat(): () => Promise<void> {
    return () => this.#run.beat()
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

function failed(thrown: unknown): StepResult | CircuitOpen {
  if (thrown instanceof CircuitOpen) return thrown
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
