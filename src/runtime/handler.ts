import type { JobRecord, StepRecord } from '../core/job/record.ts'
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
