// What the server refuses before anything of the ledger is asked, and what is said where there is no server.
import { WaybillError } from './waybill-error.ts'

/** Says no more: whoever guesses learns nothing from it. */
export class Unauthenticated extends WaybillError {
  constructor() {
    super({
      code: 'UNAUTHENTICATED',
      field: 'authorization',
      message: 'This needs a token, and none that is valid was shown',
      next: 'Send "authorization: Bearer wb_…". Make a token with: waybill tokens create NAME --role ROLE',
    })
  }
}

export class Forbidden extends WaybillError {
  constructor(message: string, next: string, field?: string) {
    super({ code: 'FORBIDDEN', message, next, field })
  }
}

/** A page on another name that leads here: its visitor's browser would carry its requests to us. */
export class WrongHost extends WaybillError {
  constructor() {
    super({
      code: 'WRONG_HOST',
      field: 'host',
      message: 'The server does not go by the name in the Host header',
      next: 'Use the address it printed, or start it with --allow-host NAME.',
    })
  }
}

export class WrongOrigin extends WaybillError {
  constructor() {
    super({
      code: 'WRONG_ORIGIN',
      field: 'origin',
      message: 'A page of another site made this request',
      next: 'Make it from the page of this server, or from a program, with a token and without an Origin header.',
    })
  }
}

export class LoginBlocked extends WaybillError {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'LOGIN_BLOCKED',
      message: 'Too many wrong tokens came from this address',
      next: 'Wait, and send a token that is valid.',
      details: { retry_after_seconds: retryAfterSeconds },
    })
  }
}

export class UnsupportedMedia extends WaybillError {
  constructor(field: 'content-type' | 'content-encoding', given: string) {
    super({
      code: 'UNSUPPORTED_MEDIA',
      field,
      message: `A body with ${field} ${JSON.stringify(given)} is not read here`,
      next: 'Send JSON in UTF-8, as it is, with "content-type: application/json".',
    })
  }
}

export class NoServer extends WaybillError {
  constructor(message: string, next: string, cause?: unknown) {
    super({ code: 'NO_SERVER', message, next, cause })
  }
}
