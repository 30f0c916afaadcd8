import { WaybillError } from './waybill-error.ts'

/** Everybody together has as many as one server keeps. */
export class TooManyStreams extends WaybillError {
  constructor(most: number) {
    super({
      code: 'TOO_MANY_STREAMS',
      message: `${most} event streams are open, and that is the most`,
      next: 'Try again later, or at another server.',
      details: { most, retry_after_seconds: 5 },
    })
  }
}

/** One caller has as many as it may. */
export class StreamLimit extends WaybillError {
  constructor(most: number) {
    super({
      code: 'STREAM_LIMIT',
      message: `You have ${most} event streams open, and that is the most`,
      next: 'Close some that you no longer read, or follow several things with one: filters take several values.',
      details: { most, retry_after_seconds: 5 },
    })
  }
}
