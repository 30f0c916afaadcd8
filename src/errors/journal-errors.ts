import type { JsonObject } from '../core/json.ts'
import { WaybillError } from './waybill-error.ts'

/** Where in a file something is wrong. */
export interface Place {
  readonly file: string
  /** From 0. */
  readonly byte: number
  /** From 1; absent where a file has no lines. */
  readonly line?: number | undefined
}

/** Bytes that were safely on the disk have changed. Nothing is guessed, and nothing is removed. */
export class LedgerDamaged extends WaybillError {
  readonly place: Place
  readonly what: string
  /** The bytes there are good, but what they say cannot be. */
  readonly contradicts: boolean

  constructor(
    place: Place,
    what: string,
    options: { readonly cause?: unknown; readonly contradicts?: boolean } = {},
  ) {
    const line = place.line === undefined ? '' : ` line ${place.line},`
    super({
      code: 'LEDGER_DAMAGED',
      message: `${place.file},${line} byte ${place.byte}: ${what}`,
      next: 'It can be read up to there. To write again, repair it with repairLedger(folder): what is taken out is kept.',
      details: place as unknown as JsonObject,
      cause: options.cause,
    })
    this.place = place
    this.what = what
    this.contradicts = options.contradicts ?? false
  }

  /** Found out by another error. */
  static by(cause: unknown, place: Place, what: string, contradicts = false): LedgerDamaged {
    return new LedgerDamaged(place, `${what}: ${(cause as Error).message}`, { cause, contradicts })
  }
}

/** Who has a ledger open for writing, as far as it says. */
export interface LockHolder {
  readonly pid: number
  readonly server: string | null
}

export class LedgerLocked extends WaybillError {
  constructor(folder: string, holder: LockHolder | null) {
    const who = holder === null ? 'another process' : `pid ${holder.pid}`
    const server = holder?.server == null ? '' : `, server at ${holder.server}`
    super({
      code: 'LEDGER_LOCKED',
      message: `${folder} is locked by ${who}${server}`,
      next: 'Talk to that process, end it, or open the ledger beside it with { journal: { readOnly: true } }.',
      details: { folder, pid: holder?.pid ?? null, server: holder?.server ?? null },
    })
  }
}

export class LedgerReadOnly extends WaybillError {
  constructor(folder: string) {
    super({
      code: 'LEDGER_READ_ONLY',
      message: `${folder} was opened for reading only`,
      next: 'Open it without { journal: { readOnly: true } } to write.',
      details: { folder },
    })
  }
}

/** Nothing of it was written; everything that was acknowledged is safe. */
export class DiskFull extends WaybillError {
  constructor(folder: string, cause: unknown) {
    super({
      code: 'DISK_FULL',
      message: `There is no room left for ${folder}; nothing was written`,
      next: 'Make room and try again: the ledger goes on by itself as soon as there is some.',
      details: { folder },
      cause,
    })
  }
}

/** After a failed sync nobody knows what is on the disk; going on could acknowledge what is not there. */
export class WriterFailed extends WaybillError {
  constructor(folder: string, cause: unknown) {
    super({
      code: 'WRITER_FAILED',
      message: `Writing to ${folder} failed: ${(cause as Error)?.message ?? cause}`,
      next: 'Look after the disk and open the ledger again. Writes under way may or may not have been kept.',
      details: { folder },
      cause,
    })
  }
}

export class UnknownFormat extends WaybillError {
  constructor(file: string, version: unknown) {
    super({
      code: 'UNKNOWN_FORMAT',
      message: `${file} has the format ${JSON.stringify(version)}, which this version does not know`,
      next: 'Open it with the version of Waybill that wrote it, or a later one.',
      details: { file },
    })
  }
}
