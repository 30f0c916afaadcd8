import { frozenJson, type Json } from '../json.ts'
import { Birth } from './birth.ts'
import type { ClaimAnswer } from './commands.ts'
import type { Delivery, StepPolicy } from './protocol.ts'
import type { JobRecord, StepRecord } from './record.ts'
import type { Stride } from './stride.ts'
import { type Task, taskOf } from './task.ts'

/** A step that was claimed as others were. Most workers look at none of its records, and then nobody makes them. */
export class ClaimedAlike implements ClaimAnswer, Task {
  readonly #stride: Stride
  #input: Json | undefined

  constructor(stride: Stride) {
    this.#stride = stride
  }

  get job(): JobRecord {
    return this.#stride.job
  }

  get step(): StepRecord {
    return this.#stride.step
  }

  get previous(): Json {
    const { before } = this.#stride
    return before instanceof Birth ? null : before.output
  }

  get previous_file(): null {
    return null
  }

  get task(): Task {
    return this
  }

  get tenant_id(): string {
    return this.#stride.tenant_id
  }

  get job_id(): string {
    return this.#stride.job_id
  }

  get step_id(): string {
    return this.#stride.leg.step.step_id
  }

  get attempt_no(): number {
    return this.#stride.leg.step.attempt_no
  }

  get lease_id(): string {
    return this.#stride.lease_id
  }

  get queue(): string {
    return this.#stride.leg.step.queue
  }

  get delivery(): Delivery {
    return this.#stride.leg.step.delivery
  }

  get policy(): StepPolicy {
    return this.#stride.leg.step.policy
  }

  /** Steps with a payload of their own are not alike. It is read for whoever does them, and not kept with the job. */
  get input(): Json {
    this.#input ??= frozenJson(this.#stride.birth.payloadText)
    return this.#input
  }

  /** As it is of any other. */
  toJSON(): ClaimAnswer {
    const { job, step, previous, previous_file } = this
    return { job, step, previous, previous_file, task: taskOf(job, step) }
  }
}
