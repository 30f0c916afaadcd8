import type { StepResult } from '../../core/job/commands.ts'
import type { Attempt } from '../../ledger/command-options.ts'

/** What a service has to say of an attempt. */
export interface Callback {
  readonly attempt: Attempt
  /** Of a `result`. */
  readonly result: StepResult | Released | null
}

/** An attempt that is given back: another one does it, and this one does not count. */
export interface Released {
  readonly status: 'RELEASED'
  readonly reason: string | undefined
}
