import type { JsonObject } from '../core/json.ts'
import { shownUrl } from './shown-url.ts'
import { WaybillError } from './waybill-error.ts'

/** A field is missing or wrong. Nothing was read or written. */
export class InvalidInput extends WaybillError {
  constructor(
    field: string,
    message: string,
    next: string,
    details: JsonObject = {},
    { cause }: ErrorOptions = {},
  ) {
    super({ code: 'INVALID_INPUT', field, message, next, details, cause })
  }

  /** What somebody else found wrong with it. */
  static by(cause: unknown, field: string, message: string, next: string): InvalidInput {
    return new InvalidInput(field, message, next, {}, { cause })
  }
}

/** Nobody registered a protocol for the request type. */
export class UnknownRequestType extends WaybillError {
  constructor(requestType: string, known: readonly string[]) {
    super({
      code: 'UNKNOWN_REQUEST_TYPE',
      field: 'request_type',
      message: `No protocol answers requests of type ${requestType}`,
      next:
        known.length > 0
          ? `Registered are: ${known.join(', ')}. Register another with ledger.jobs.register(protocol).`
          : 'Register one with ledger.jobs.register(protocol).',
      details: { request_type: requestType, known },
    })
  }
}

/** No adapter runs jobs of this tool. */
export class UnknownAdapter extends WaybillError {
  constructor(tool: string, known: readonly string[]) {
    super({
      code: 'UNKNOWN_ADAPTER',
      field: 'tool',
      message: `No adapter runs the tool ${JSON.stringify(tool)}`,
      next: `Known are: ${known.join(', ')}. Add your own with new AdapterRegistry([adapter]), or run any program as the tool command.`,
      details: { tool, known },
    })
  }
}

/** No engine opens such a URL. */
export class UnknownEngine extends WaybillError {
  constructor(url: string, known: readonly string[]) {
    super({
      code: 'UNKNOWN_ENGINE',
      field: 'url',
      message: `No engine opens ${JSON.stringify(shownUrl(url))}`,
      next: `Known are: ${known.join(', ')}`,
      details: { known },
    })
  }
}

/** The cursor was not given out by this ledger, or for another order. */
export class BadCursor extends WaybillError {
  constructor(cursor: string) {
    super({
      code: 'BAD_CURSOR',
      field: 'after',
      message: `${JSON.stringify(cursor)} is not a cursor of this query`,
      next: 'Pass back the cursor of the last page as it came, with the same filter and order; or leave it out.',
    })
  }
}

/** The engine says in its capabilities that it does not do this. */
export class Unsupported extends WaybillError {
  constructor(what: string, next: string) {
    super({ code: 'UNSUPPORTED', message: `This engine does not support ${what}`, next })
  }
}

/** Used after close. */
export class LedgerClosed extends WaybillError {
  constructor() {
    super({
      code: 'LEDGER_CLOSED',
      message: 'The ledger was closed',
      next: 'Open it again with openLedger; keep it open for as long as it is used.',
    })
  }
}
