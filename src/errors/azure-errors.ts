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
