import { toIso } from '../core/time.ts'

/**
 * A handler was not called, because what it calls has failed too often of late. The attempt did nothing: a worker gives
 * the step back until then, and the attempt does not count.
 */
export class CircuitOpen extends Error {
  readonly code = 'CIRCUIT_OPEN'
  /** Epoch milliseconds; before then it would be refused again. */
  readonly until: number

  constructor(what: string, until: number) {
    super(`${what} has failed too often of late; it is tried again after ${toIso(until)}`)
    this.name = 'CircuitOpen'
    this.until = until
  }
}
