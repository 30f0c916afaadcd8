import { WaybillError } from './waybill-error.ts'

/** Others have been writing all the while. */
export class LedgerBusy extends WaybillError {
  constructor(ledger: string, why: string) {
    super({
      code: 'LEDGER_BUSY',
      message: `${ledger} is being written by others: ${why}`,
      next: 'Try again. If it stays so, look for a process that has it open and hangs, such as a database tool.',
      details: { ledger },
    })
  }
}

/** The SQLite that is part of Node has a bug that could damage a ledger. */
export class SqliteTooOld extends WaybillError {
  constructor(version: string) {
    super({
      code: 'NODE_TOO_OLD',
      message: `This Node has SQLite ${version}, which could damage a ledger that several processes write`,
      next: 'Use a Node with SQLite 3.51.3 or later: the newest release of Node 24 or 26 has it.',
      details: { version },
    })
  }
}

/** The file, or its folder, cannot be written; or it is no file at all. */
export class DatabaseReadOnly extends WaybillError {
  constructor(path: string, why: string) {
    super({
      code: 'LEDGER_READ_ONLY',
      message: `${path} cannot be written: ${why}`,
      next: 'Give a file, not a folder, and let this user write it and the folder it is in.',
      details: { path },
    })
  }
}

/** Bytes of the file are not what they were. */
export class DatabaseDamaged extends WaybillError {
  constructor(path: string, why: string) {
    super({
      code: 'LEDGER_DAMAGED',
      message: `${path} is damaged: ${why}`,
      next: `Put back a copy, or save what can be read: sqlite3 ${path} .recover`,
      details: { path },
    })
  }
}
