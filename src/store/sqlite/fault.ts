/** What can go wrong in the thread of the database, told by name so that it can be said in another thread. */
export type FaultName =
  | 'conflict'
  | 'busy'
  | 'full'
  | 'io'
  | 'damaged'
  | 'read-only'
  | 'cannot-open'
  | 'not-a-ledger'
  | 'too-old'
  | 'no-wal'
  | 'unknown-format'
  | 'other'

export class Fault extends Error {
  readonly fault: FaultName

  constructor(fault: FaultName, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.fault = fault
  }
}

/** Primary result codes of SQLite; the upper bits of an extended one say more. */
const FAULT_OF_CODE: { readonly [code: number]: FaultName } = {
  5: 'busy',
  6: 'busy',
  8: 'read-only',
  10: 'io',
  11: 'damaged',
  13: 'full',
  14: 'cannot-open',
  26: 'not-a-ledger',
}

const PRIMARY_CODE = 0xff

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const {
    errcode,
    message = String(error),
    stack,
  } = error as {
    errcode?: number
    message?: string
    stack?: string
  }
  const name = errcode === undefined ? undefined : FAULT_OF_CODE[errcode & PRIMARY_CODE]
  if (name !== undefined) return new Fault(name, message, { cause: error })
  const told = errcode === undefined ? (stack ?? message) : `${message} (SQLite ${errcode})`
  return new Fault('other', told, { cause: error })
}
