import type { Logger } from '../world/logger.ts'
import type { Directive } from './directive.ts'

export interface StepContext {
  readonly directive: Directive
  /** Aborted when the work is no longer wanted; its `reason` is an `WorkAborted` that says why. */
  readonly signal: AbortSignal
  /** Heartbeats go out by themselves; this sends one now, and asks whether to stop. */
  heartbeat(): Promise<{ readonly cancel: boolean }>
  /** Each line says which attempt it is about. */
  readonly log: Logger
}

/**
 * Does a step. What it returns is the output, and must be plain JSON; an `Output` says where the output is. What it
 * throws fails the attempt: with another try to come, unless it is `NonRetryable`.
 */
export type StepHandler = (step: StepContext) => unknown
