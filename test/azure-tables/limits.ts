// What the service refuses as a mistake of the programmer.
import { batchBody } from '../../src/store/azure-tables/batch.ts'
import { rowBytes } from '../../src/store/azure-tables/row-size.ts'
import {
  type Columns,
  MOST_BYTES_AT_ONCE,
  MOST_BYTES_IN_ROW,
  MOST_CHARS_IN_KEY,
  MOST_ROWS_AT_ONCE,
  type RowWrite,
} from '../../src/store/azure-tables/service.ts'

const MOST_COLUMNS = 252
/** 64 KiB, two bytes each. */
const MOST_CHARS_IN_TEXT = 32 * 1024
const MOST_CHARS_IN_NAME = 255

const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** What the service allows is more, but nobody needs it, and emulators and clients differ in what they make of it. */
const KEY = /^[ -~]+$/
const NOT_IN_KEY = /[/\\?#]/
/** How large a character may become in a request, and what else there is of a row. */
const MOST_BYTES_OF_CHAR = 6
const MOST_BYTES_OF_FRAME = 8 * 1024

export function refuse(what: string): never {
  throw new Error(`The table service does not take ${what}`)
}

export function checkLimits(pk: string, writes: readonly RowWrite[]): void {
  if (writes.length < 1 || writes.length > MOST_ROWS_AT_ONCE) refuse(`${writes.length} rows at once`)
  if (new Set(writes.map(({ rk }) => rk)).size < writes.length) refuse('a row twice in one write')
  checkKey(pk)
  let most = 0
  for (const write of writes) {
    checkKey(write.rk)
    if (write.verb !== 'delete') checkColumns(write.columns)
    const bytes = write.verb === 'delete' ? 0 : rowBytes(pk, write.rk, write.columns)
    if (bytes > MOST_BYTES_IN_ROW) refuse(`a row of ${bytes} bytes`)
    most += bytes * MOST_BYTES_OF_CHAR + MOST_BYTES_OF_FRAME
  }
  if (most > MOST_BYTES_AT_ONCE) checkBody(pk, writes)
}

function checkBody(pk: string, writes: readonly RowWrite[]): void {
  const url = `https://${'a'.repeat(24)}.table.core.windows.net/${'t'.repeat(63)}`
  const bytes = Buffer.byteLength(batchBody({ url, pk, writes }, `batch_${'0'.repeat(36)}`))
  if (bytes > MOST_BYTES_AT_ONCE) refuse(`${bytes} bytes at once`)
}

export function checkKey(key: string): void {
  if (!KEY.test(key) || NOT_IN_KEY.test(key)) refuse(`the key ${JSON.stringify(key)}`)
  if (key.length > MOST_CHARS_IN_KEY) refuse(`a key of ${key.length} characters`)
}

function checkColumns(columns: Columns): void {
  const all = Object.entries(columns)
  if (all.length > MOST_COLUMNS) refuse(`${all.length} columns`)
  for (const [name, value] of all) {
    if (!COLUMN_NAME.test(name) || name.length > MOST_CHARS_IN_NAME) refuse(`a column named ${name}`)
    if (typeof value === 'number' && !Number.isFinite(value)) refuse(`${value} in ${name}`)
    if (typeof value !== 'string') continue
    if (value.length > MOST_CHARS_IN_TEXT) refuse(`a text of ${value.length} characters in ${name}`)
    if (!value.isWellFormed()) refuse(`half a character in ${name}`)
  }
}
