import type { Ref } from '../core/job/record.ts'
import type { JsonObject } from '../core/json.ts'

/** What is to be known of an output, beside itself. */
export interface OutputFacts {
  /** How many things it is, where that is not to be seen from it. */
  readonly count?: number | undefined
  /** Laid over the metadata of the job. */
  readonly metadata?: JsonObject | undefined
}

/** Return it from a handler to say where something was made, beside the output itself: the next step's `input_ref`. */
export class Output {
  readonly value: unknown
  readonly ref: Ref | undefined
  readonly count: number | undefined
  readonly metadata: JsonObject | undefined

  constructor(value: unknown, ref?: Ref, { count, metadata }: OutputFacts = {}) {
    this.value = value
    this.ref = ref
    this.count = count
    this.metadata = metadata
  }
}
