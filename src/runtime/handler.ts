import type { JobRecord, Ref, StepRecord } from '../core/job/record.ts'
import type { Json } from '../core/json.ts'
import type { Logger } from '../world/logger.ts'

/** Does the work of one attempt at a step. What it returns is the step's output; what it throws fails the attempt. */
export type Handler = (work: StepWork) => unknown

/** Who does what: a handler for each queue. */
export type Handlers = { readonly [queue: string]: Handler }

/** What a handler is given. */
export interface StepWork {
  readonly job: JobRecord
  readonly step: StepRecord
  /** The step's own part of the payload (`payload.steps[step_id]`), or the whole payload. */
  readonly input: Json
  /** What the step before came to; null for the first. */
  readonly previous: Json
  /** Aborted when the job is cancelled, the attempt has taken too long, its lease is lost, or the worker stops. */
  readonly signal: AbortSignal
  /** Says that the work goes on. It happens by itself; call it after work that kept the process from doing so. */
  heartbeat(): Promise<void>
  readonly log: Logger
}

/** An output with the address of what was made: the next step gets that as its `input_ref`. */
export class Output {
  readonly value: unknown
  readonly ref: Ref

  constructor(value: unknown, ref: Ref) {
    this.value = value
    this.ref = ref
  }
}

/** Throw this when trying again would fail again: the step fails for good. */
export class NonRetryable extends Error {
  readonly code: string | undefined

  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(message, options)
    this.name = 'NonRetryable'
    this.code = options.code
  }
}

/** Why a handler's signal was aborted. */
export class WorkAborted extends Error {
  readonly code: 'CANCELLED' | 'TIMEOUT' | 'LEASE_LOST' | 'STOPPED'

  constructor(code: WorkAborted['code'], message: string) {
    super(message)
    this.name = 'WorkAborted'
    this.code = code
  }
}
