// What goes wrong with a database server. Addresses are shown without the password.
import { WaybillError } from './waybill-error.ts'

/** The server does not let this user in. */
export class LoginRefused extends WaybillError {
  constructor(
    address: string,
    cause: unknown,
    next = 'Check the user and the password in the URL, and what pg_hba.conf allows from here.',
  ) {
    super({
      code: 'LOGIN_REFUSED',
      message: `${address} refused the login: ${textOf(cause)}`,
      next,
      details: { address },
      cause,
    })
  }
}

export class DatabaseMissing extends WaybillError {
  constructor(address: string, cause: unknown) {
    super({
      code: 'DATABASE_MISSING',
      message: `There is no such database at ${address}`,
      next: 'Make it with CREATE DATABASE, or correct its name in the URL. Waybill makes only its own schema.',
      details: { address },
      cause,
    })
  }
}

/** The server cannot be reached, is starting, or takes no more connections. */
export class ServerUnavailable extends WaybillError {
  constructor(
    address: string,
    cause: unknown,
    next = 'See that the server runs and can be reached from here, then try again. Nothing was written.',
  ) {
    super({
      code: 'SERVER_UNAVAILABLE',
      message: `${address} does not answer: ${textOf(cause)}`,
      next,
      details: { address },
      cause,
    })
  }
}

/** The connection was lost while something was written, and nobody could be asked since. */
export class OutcomeUnknown extends WaybillError {
  constructor(address: string, cause: unknown) {
    super({
      code: 'OUTCOME_UNKNOWN',
      message: `The connection to ${address} was lost during a write, and whether it was kept is not known`,
      next: 'Look at the records when the server is back. Whatever is asked with an idempotency key can simply be repeated.',
      details: { address },
      cause,
    })
  }
}

export class SchemaTooNew extends WaybillError {
  constructor(schema: string, versions: { readonly found: number; readonly known: number }) {
    super({
      code: 'SCHEMA_TOO_NEW',
      message: `Schema ${schema} has version ${versions.found}; this Waybill knows ${versions.known}`,
      next: 'Use the version of Waybill that migrated it, or a later one.',
      details: { schema, ...versions },
    })
  }
}

export class SchemaTooOld extends WaybillError {
  constructor(schema: string, versions: { readonly found: number; readonly known: number }) {
    super({
      code: 'SCHEMA_TOO_OLD',
      message: `Schema ${schema} has version ${versions.found}; this Waybill needs ${versions.known}`,
      next: 'Open it once without { migrate: false }, as a user who may change tables, or run the printed migrations by hand.',
      details: { schema, ...versions },
    })
  }
}

export class NoSchema extends WaybillError {
  constructor(address: string, schema: string) {
    super({
      code: 'NOT_A_LEDGER',
      message: `${address} holds no ledger in schema ${schema}`,
      next: 'Give the schema that has it, or open it without { create: false } to make one.',
      details: { address, schema },
    })
  }
}

/** A user who may only read, a server that is a standby, or rights that are missing. */
export class NotPermitted extends WaybillError {
  constructor(
    address: string,
    cause: unknown,
    next = 'Connect to the primary, as the owner of the schema or a user with rights to write in it.',
  ) {
    super({
      code: 'NOT_PERMITTED',
      message: `${address} does not allow this: ${textOf(cause)}`,
      next,
      details: { address },
      cause,
    })
  }
}

export class ServerDiskFull extends WaybillError {
  constructor(address: string, cause: unknown) {
    super({
      code: 'DISK_FULL',
      message: `There is no room left on the disk of ${address}; nothing was written`,
      next: 'Make room there and try again: the ledger goes on by itself as soon as there is some.',
      details: { address },
      cause,
    })
  }
}

/** The server said something that nobody foresaw. */
export class DatabaseFailed extends WaybillError {
  constructor(
    address: string,
    cause: unknown,
    next = 'The log of the server says more. Nothing of it was written.',
  ) {
    super({
      code: 'DATABASE_FAILED',
      message: `${address} failed: ${textOf(cause)}`,
      next,
      details: { address },
      cause,
    })
  }
}

function textOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string }
  return message || code || String(cause)
}
