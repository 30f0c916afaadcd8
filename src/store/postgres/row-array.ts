// Lists of rows as PostgreSQL has them on the wire: composite values, each column with its type and its length.

import { HEADER_BYTES, textArray, withoutNul, writeHeader } from './binary-array.ts'

const TEXT = 25
const BIGINT = 20
const INT = 23
const BOOLEAN = 16
const TEXTS = 1009

/** A column of rows, and what a row has there. */
export type Field<T> =
  | { readonly type: typeof TEXT; readonly of: (row: T) => string | null }
  | { readonly type: typeof BIGINT | typeof INT; readonly of: (row: T) => number | null }
  | { readonly type: typeof BOOLEAN; readonly of: (row: T) => boolean }
  | { readonly type: typeof TEXTS; readonly of: (row: T) => readonly string[] | null }

export const text = <T>(of: (row: T) => string | null): Field<T> => ({ type: TEXT, of })
export const bigint = <T>(of: (row: T) => number | null): Field<T> => ({ type: BIGINT, of })
export const int = <T>(of: (row: T) => number | null): Field<T> => ({ type: INT, of })
export const boolean = <T>(of: (row: T) => boolean): Field<T> => ({ type: BOOLEAN, of })
export const texts = <T>(of: (row: T) => readonly string[] | null): Field<T> => ({ type: TEXTS, of })

/** Length and number of columns of a row; type and length of a column, and a number at most. */
const ROW_BYTES = 8
const FIELD_BYTES = 8
const MOST_FIELD_BYTES = 16
const TWO_TO_32 = 2 ** 32
const MOST_PER_CHARACTER = 3
const FIRST_GUESS_BYTES = 32

/** @param oid of the type of a row */
export function rowArray<T>(oid: number, rows: readonly T[], fields: readonly Field<T>[]): Buffer {
  const writer = new RowWriter(HEADER_BYTES + rows.length * (ROW_BYTES + fields.length * FIRST_GUESS_BYTES))
  for (let index = 0; index < rows.length; index++)
    writer.row(rows[index], fields as readonly Field<unknown>[])
  return writer.end(oid, rows.length)
}

class RowWriter {
  #buffer: Buffer
  #view: DataView
  #at = HEADER_BYTES
  /** What each column had in the row before, and where: tenants and states are mostly the same, and made into bytes once. */
  readonly #last: (string | null)[] = []
  readonly #lastAt: number[] = []
  readonly #lastEnd: number[] = []

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafe(bytes)
    this.#view = viewOf(this.#buffer)
  }

  row(row: unknown, fields: readonly Field<unknown>[]): void {
    // There is room for whatever is no text, and for the heads of those.
    this.#room(ROW_BYTES + fields.length * MOST_FIELD_BYTES)
    const start = this.#at
    this.#view.setInt32(start + 4, fields.length)
    this.#at = start + ROW_BYTES
    for (let column = 0; column < fields.length; column++) {
      const field = fields[column] as Field<unknown>
      if (field.type === TEXT) this.#text(field.of(row), column, fields.length - column)
      else this.#other(field, row, fields.length - column)
    }
    this.#view.setInt32(start, this.#at - start - 4)
  }

  end(oid: number, length: number): Buffer {
    writeHeader(this.#buffer, { hasNull: false, oid, length })
    return this.#buffer.subarray(0, this.#at)
  }

  #text(value: string | null, column: number, left: number): void {
    const at = this.#at
    if (value === null) {
      this.#head(TEXT, -1)
      return
    }
    if (value === this.#last[column]) {
      const from = this.#lastAt[column] as number
      const end = this.#lastEnd[column] as number
      this.#room(end - from + left * MOST_FIELD_BYTES)
      this.#buffer.copyWithin(at, from, end)
      this.#at = at + end - from
      return
    }
    this.#room(value.length * MOST_PER_CHARACTER + left * MOST_FIELD_BYTES)
    const bytes = this.#buffer.write(withoutNul(value), at + FIELD_BYTES)
    this.#head(TEXT, bytes)
    this.#at += bytes
    this.#last[column] = value
    this.#lastAt[column] = at
    this.#lastEnd[column] = this.#at
  }

  #other(field: Exclude<Field<unknown>, { readonly type: typeof TEXT }>, row: unknown, left: number): void {
    const value = field.of(row)
    if (value === null) this.#head(field.type, -1)
    else if (typeof value === 'number') this.#number(field.type, value)
    else if (typeof value === 'boolean') {
      this.#head(BOOLEAN, 1)
      this.#view.setUint8(this.#at++, value ? 1 : 0)
    } else {
      const bytes = textArray(value)
      this.#room(bytes.length + left * MOST_FIELD_BYTES)
      this.#head(TEXTS, bytes.length)
      this.#at += bytes.copy(this.#buffer, this.#at)
    }
  }

  #number(type: number, value: number): void {
    const isBig = type === BIGINT
    this.#head(type, isBig ? 8 : 4)
    if (isBig) {
      this.#view.setInt32(this.#at, Math.floor(value / TWO_TO_32))
      this.#at += 4
    }
    this.#view.setInt32(this.#at, value | 0)
    this.#at += 4
  }

  #head(type: number, bytes: number): void {
    const at = this.#at
    this.#view.setInt32(at, type)
    this.#view.setInt32(at + 4, bytes)
    this.#at = at + FIELD_BYTES
  }

  #room(bytes: number): void {
    if (this.#buffer.length - this.#at >= bytes) return
    const grown = Buffer.allocUnsafe(2 * this.#buffer.length + bytes)
    this.#buffer.copy(grown, 0, 0, this.#at)
    this.#buffer = grown
    this.#view = viewOf(grown)
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length)
}
