import { WaybillError } from './waybill-error.ts'

/** The account is there and answers; a table is not. */
export class TableMissing extends WaybillError {
  constructor(address: string, table: string, { cause }: ErrorOptions = {}) {
    super({
      code: 'DATABASE_MISSING',
      message: `${address} has no table ${table}`,
      next: 'Correct the prefix of the tables, or open the ledger without { create: false } to make them.',
      details: { address, table },
      cause,
    })
  }
}

export class NoTables extends WaybillError {
  constructor(address: string) {
    super({
      code: 'NOT_A_LEDGER',
      message: `${address} holds no ledger under this prefix of tables`,
      next: 'Give the prefix that has it, or open it without { create: false } to make one.',
      details: { address },
    })
  }
}
