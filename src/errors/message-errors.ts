// What is wrong with a message that came over the network: a directive at a service, or a callback at the ledger.
import { type ErrorParts, WaybillError } from './waybill-error.ts'

/** Not JSON, or a field is missing or wrong. Nothing was done about it. */
export class BadMessage extends WaybillError {
  constructor(parts: Omit<ErrorParts, 'code' | 'cause'>, { cause }: ErrorOptions = {}) {
    super({ code: 'BAD_MESSAGE', ...parts, cause })
  }
}

export type BadSignatureReason = 'missing_header' | 'malformed_header' | 'no_match'

/** Whoever sent it does not have the secret, or the message was changed on its way. */
export class BadSignature extends WaybillError {
  constructor(reason: BadSignatureReason, message: string, field: string) {
    super({
      code: 'BAD_SIGNATURE',
      field,
      message,
      next: 'Sign the exact bytes of the body, as `id.timestamp.body`, with a secret that both sides have.',
      details: { reason },
    })
  }

  get reason(): BadSignatureReason {
    return this.details.reason as BadSignatureReason
  }
}

export type StaleTimestampReason = 'too_old' | 'too_new'

/** Signed well, but not now: a message that somebody kept and sent again, or a clock that is wrong. */
export class StaleTimestamp extends WaybillError {
  constructor(reason: StaleTimestampReason, offBySeconds: number, windowSeconds: number) {
    const where = reason === 'too_old' ? 'ago' : 'ahead'
    super({
      code: 'STALE_TIMESTAMP',
      field: 'webhook-timestamp',
      message: `The message was signed ${offBySeconds} s ${where}; ${windowSeconds} s are the most`,
      next: 'Sign each request when it is sent, repeated ones too, and let the clocks of both sides be synchronised.',
      details: { reason, off_by_seconds: offBySeconds, window_seconds: windowSeconds },
    })
  }

  get reason(): StaleTimestampReason {
    return this.details.reason as StaleTimestampReason
  }
}

export class UnknownPath extends WaybillError {
  constructor(known: readonly string[]) {
    const next = `Known here are: ${known.join(', ')}.`
    super({ code: 'UNKNOWN_PATH', message: 'Nothing answers at this path', next })
  }
}

export class MethodNotAllowed extends WaybillError {
  constructor(allowed: string) {
    const next = `Use ${allowed}.`
    super({ code: 'METHOD_NOT_ALLOWED', message: `This path takes ${allowed}`, next, details: { allowed } })
  }
}

export class BodyTooLarge extends WaybillError {
  constructor(maxBytes: number) {
    super({
      code: 'BODY_TOO_LARGE',
      message: `The body has more than ${maxBytes} bytes`,
      next: 'Put what is long where it can be fetched, and send its address, as `output_ref` does.',
      details: { max_bytes: maxBytes },
    })
  }
}

/** A directive for somebody else. */
export class NoHandler extends WaybillError {
  constructor(stepType: string, known: readonly string[]) {
    super({
      code: 'NO_HANDLER',
      field: 'step_type',
      message: `This service does no steps of type ${stepType}`,
      next: `It does: ${known.join(', ')}. Publish this directive to the service that does it.`,
      details: { step_type: stepType },
    })
  }
}

/** Everything a service may have running and waiting it has. */
export class ServiceBusy extends WaybillError {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'SERVICE_BUSY',
      message: 'The service has as much to do as it takes',
      next: 'Try again later, or run more of them.',
      details: { retry_after_seconds: retryAfterSeconds },
    })
  }
}

export class ServiceStopping extends WaybillError {
  constructor() {
    super({
      code: 'SERVICE_STOPPING',
      message: 'The service is about to end and takes nothing more',
      next: 'Try again later, or at another one.',
      details: { retry_after_seconds: 1 },
    })
  }
}

/** A peer dependency that only this needs is not there. */
export class MissingPackage extends WaybillError {
  constructor(
    needs: { readonly what: string; readonly packages: readonly string[] },
    { cause }: ErrorOptions,
  ) {
    const { what, packages } = needs
    super({
      code: 'MISSING_PACKAGE',
      message: `${what} needs ${packages.join(' and ')}, and at least one of them cannot be loaded`,
      next: `Install them: npm install ${packages.join(' ')}`,
      details: { packages },
      cause,
    })
  }
}

/** What outsiders are told of a failure that is not theirs. */
export class InternalError extends WaybillError {
  constructor(cause: unknown) {
    const message = 'Something failed here that nobody foresaw'
    super({ code: 'INTERNAL_ERROR', message, next: 'Try again; if it stays so, look into the log.', cause })
  }
}
