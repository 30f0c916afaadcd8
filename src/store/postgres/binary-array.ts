// Arrays as PostgreSQL has them on the wire: nothing has to be escaped here or parsed there.

const TEXT_OID = 25
const BIGINT_OID = 20
export const HEADER_BYTES = 20
const TWO_TO_32 = 2 ** 32

/** Bytes of a text: its length, and at most three for each character. */
const LENGTH_BYTES = 4
const MOST_PER_CHARACTER = 3
const FIRST_GUESS_BYTES = 48

export function textArray(values: readonly (string | null)[]): Buffer {
  return textsOf(values, itself)
}

/** A column of rows. Where many in a row are the same, as tenants and states are, each is made into bytes once. */
export function textsOf<T>(rows: readonly T[], of: (row: T) => string | null): Buffer {
  let buffer: Buffer = Buffer.allocUnsafe(HEADER_BYTES + rows.length * FIRST_GUESS_BYTES)
  let at = HEADER_BYTES
  let hasNull = false
  let last: string | null = null
  let lastAt = 0
  let lastEnd = 0
  for (let i = 0; i < rows.length; i++) {
    const value = of(rows[i] as T)
    const most = LENGTH_BYTES + (value === null ? 0 : value.length * MOST_PER_CHARACTER)
    if (buffer.length - at < most) buffer = longer(buffer, at, most)
    if (value === null) {
      hasNull = true
      at = buffer.writeInt32BE(-1, at)
    } else if (value === last) {
      at += buffer.copy(buffer, at, lastAt, lastEnd)
    } else {
      const bytes = buffer.write(withoutNul(value), at + LENGTH_BYTES)
      buffer.writeInt32BE(bytes, at)
      last = value
      lastAt = at
      at += LENGTH_BYTES + bytes
      lastEnd = at
    }
  }
  writeHeader(buffer, { hasNull, oid: TEXT_OID, length: rows.length })
  return buffer.subarray(0, at)
}

export function bigintArray(values: readonly (number | null)[]): Buffer {
  return bigintsOf(values, itself)
}

/** A column of whole numbers. */
function bigintsOf<T>(rows: readonly T[], of: (row: T) => number | null): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + 12 * rows.length)
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  let at = HEADER_BYTES
  let hasNull = false
  for (let i = 0; i < rows.length; i++) {
    const value = of(rows[i] as T)
    if (value === null) {
      hasNull = true
      view.setInt32(at, -1)
      at += 4
      continue
    }
    view.setInt32(at, 8)
    view.setInt32(at + 4, Math.floor(value / TWO_TO_32))
    view.setUint32(at + 8, value >>> 0)
    at += 12
  }
  writeHeader(buffer, { hasNull, oid: BIGINT_OID, length: rows.length })
  return buffer.subarray(0, at)
}

function itself<T>(value: T): T {
  return value
}

/** The same with room for so many bytes more, and then some. */
function longer(buffer: Buffer, used: number, more: number): Buffer {
  const grown = Buffer.allocUnsafe(2 * buffer.length + more)
  buffer.copy(grown, 0, 0, used)
  return grown
}

interface Header {
  readonly hasNull: boolean
  readonly oid: number
  readonly length: number
}

export function writeHeader(buffer: Buffer, { hasNull, oid, length }: Header): void {
  // One dimension, from 1.
  let at = buffer.writeInt32BE(1, 0)
  at = buffer.writeInt32BE(hasNull ? 1 : 0, at)
  at = buffer.writeInt32BE(oid, at)
  at = buffer.writeInt32BE(length, at)
  buffer.writeInt32BE(1, at)
}

/** PostgreSQL has no text with a NUL in it. JSON has none; a name that does is written with the sign for it. */
export function withoutNul(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\u2400') : value
}
