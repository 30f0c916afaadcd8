// Arrays as PostgreSQL has them on the wire: nothing has to be escaped here or parsed there.

const TEXT_OID = 25
const BIGINT_OID = 20
const HEADER_BYTES = 20
const TWO_TO_32 = 2 ** 32

export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = HEADER_BYTES + 4 * values.length
  let hasNull = 0
  const lengths = new Array<number>(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null
    if (value === null) {
      hasNull = 1
      continue
    }
    const length = Buffer.byteLength(value)
    lengths[i] = length
    bytes += length
  }
  const buffer = Buffer.allocUnsafe(bytes)
  let at = writeHeader(buffer, { hasNull, oid: TEXT_OID, length: values.length })
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    at = buffer.writeInt32BE(lengths[i] as number, at)
    at += buffer.write(value, at)
  }
  return withoutNul(values)
    ? buffer
    : textArray(values.map((value) => value?.replaceAll('\0', '\u2400') ?? null))
}

/** Whole numbers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  const nulls = values.reduce<number>((count, value) => (value === null ? count + 1 : count), 0)
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + 12 * values.length - 8 * nulls)
  let at = writeHeader(buffer, { hasNull: nulls > 0 ? 1 : 0, oid: BIGINT_OID, length: values.length })
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at)
      continue
    }
    at = buffer.writeInt32BE(8, at)
    at = buffer.writeInt32BE(Math.floor(value / TWO_TO_32), at)
    at = buffer.writeUInt32BE(value >>> 0, at)
  }
  return buffer
}

function writeHeader(
  buffer: Buffer,
  {
    hasNull,
    oid,
    length,
  }: { readonly hasNull: 0 | 1 | number; readonly oid: number; readonly length: number },
): number {
  // One dimension, none when it is empty.
  let at = buffer.writeInt32BE(1, 0)
  at = buffer.writeInt32BE(hasNull, at)
  at = buffer.writeInt32BE(oid, at)
  at = buffer.writeInt32BE(length, at)
  return buffer.writeInt32BE(1, at)
}

/** PostgreSQL has no text with a NUL in it. JSON has none; a name that does is written with the sign for it. */
function withoutNul(values: readonly (string | null)[]): boolean {
  for (const value of values) if (value?.includes('\0') === true) return false
  return true
}

/** An array within an array of others, as text: rows of an array all have the same length, these have not. */
export function arrayText(values: readonly string[]): string | null {
  if (values.length === 0) return null
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}
