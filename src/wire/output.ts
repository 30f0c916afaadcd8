import type { Ref } from '../core/job/record.ts'

/** Return it from a handler to say where something was made, beside the output itself: the next step's `input_ref`. */
export class Output {
  readonly value: unknown
  readonly ref: Ref

  constructor(value: unknown, ref: Ref) {
    this.value = value
    this.ref = ref
  }
}
