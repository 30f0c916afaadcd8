import { NotALedger } from '../../errors/file-errors.ts'
import { Unsupported } from '../../errors/input-errors.ts'
import { DiskFull, UnknownFormat, WriterFailed } from '../../errors/journal-errors.ts'
import { DatabaseDamaged, DatabaseReadOnly, LedgerBusy, SqliteTooOld } from '../../errors/sqlite-errors.ts'
import { Conflict } from '../tables/tables.ts'
import type { ToldFault } from './calls.ts'

/** What the database said, by the names that callers know. */
export function errorOf({ fault, message }: ToldFault, path: string): Error {
  switch (fault) {
    case 'conflict':
      return new Conflict(message)
    case 'busy':
      return new LedgerBusy(path, message)
    case 'full':
      return new DiskFull(path, new Error(message))
    case 'io':
      return new WriterFailed(path, new Error(message))
    case 'damaged':
      return new DatabaseDamaged(path, message)
    case 'read-only':
    case 'cannot-open':
      return new DatabaseReadOnly(path, message)
    case 'not-a-ledger':
      return new NotALedger(
        path,
        'Give the file of a ledger, or a name that is not used yet.',
        new Error(message),
      )
    case 'too-old':
      return new SqliteTooOld(message)
    case 'no-wal':
      return new Unsupported(
        `${path}: ${message}`,
        'Put the ledger on a disk of this machine; file systems of a network do not do.',
      )
    case 'unknown-format':
      return new UnknownFormat(path, Number(message))
    case 'other':
      return new Error(`SQLite: ${message}`)
  }
}
