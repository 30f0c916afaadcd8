import type { Columns } from './service.ts'

const ROW_BYTES = 4
const COLUMN_BYTES = 8
const TEXT_BYTES = 4
const CHAR_BYTES = 2
const NUMBER_BYTES = 8

/** How large a row is, as the service counts. */
export function rowBytes(pk: string, rk: string, columns: Columns): number {
  let bytes = ROW_BYTES + CHAR_BYTES * (pk.length + rk.length)
  for (const [name, value] of Object.entries(columns)) {
    bytes += COLUMN_BYTES + CHAR_BYTES * name.length
    if (typeof value === 'string') bytes += TEXT_BYTES + CHAR_BYTES * value.length
    else bytes += typeof value === 'number' ? NUMBER_BYTES : 1
  }
  return bytes
}
