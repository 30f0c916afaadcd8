import { WaybillError } from './waybill-error.ts'

/** Something is larger than an engine can keep; nothing was written. */
export class RecordTooLarge extends WaybillError {
  constructor(what: string, bytes: number, mostBytes: number) {
    super({
      code: 'RECORD_TOO_LARGE',
      message: `${what} would take ${bytes} bytes, and ${mostBytes} are the most; nothing was written`,
      next: 'Keep large payloads, outputs and metadata elsewhere and pass a reference to them.',
      details: { bytes, most_bytes: mostBytes },
    })
  }
}

/** A change has more to write at once than an engine can; nothing was written. */
export class ChangeTooLarge extends WaybillError {
  constructor(what: string, count: number, most: number) {
    super({
      code: 'CHANGE_TOO_LARGE',
      message: `${what} would have ${count}, and ${most} are the most at once; nothing was written`,
      next: 'Send it in smaller parts.',
      details: { count, most },
    })
  }
}
