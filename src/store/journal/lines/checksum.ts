import { crc32 } from 'node:zlib'

const BEFORE = ',"crc":"'
const DIGITS = 8

/** `,"crc":"` and eight digits and `"}`. */
const ENDING_BYTES = BEFORE.length + DIGITS + 2

/** The whole line, from everything of it up to the checksum: an object without its closing brace. */
export function withChecksum(start: string): string {
  return `${start}${BEFORE}${hexOf(crc32(start))}"}`
}

/** Room for the checksum, and the end of the line. */
export const CHECKSUM_ROOM = `${BEFORE}00000000"}\n`

/** Fills in the checksum of a line that was written with room for it, and ends at `end`. */
export function fillChecksum(bytes: Buffer, start: number, end: number): void {
  const before = end - CHECKSUM_ROOM.length
  const crc = crc32(bytes.subarray(start, before))
  const digits = before + BEFORE.length
  for (let digit = 0; digit < DIGITS; digit++) {
    bytes[digits + digit] = HEX_CODES[(crc >>> (28 - 4 * digit)) & 15] as number
  }
}

const HEX_CODES = Buffer.from('0123456789abcdef')

/** Whether the checksum at the end of a line is that of the line. */
export function hasChecksum(line: Buffer): boolean {
  const end = line.length - ENDING_BYTES
  if (end <= 0) return false
  // Byte by byte: this is done for every line that is read, and making strings of parts of it takes longer.
  for (let i = 0; i < BEFORE_CODES.length; i++) if (line[end + i] !== BEFORE_CODES[i]) return false
  if (line[line.length - 2] !== QUOTE || line[line.length - 1] !== BRACE) return false
  const crc = crc32(line.subarray(0, end))
  const digits = end + BEFORE_CODES.length
  for (let digit = 0; digit < DIGITS; digit++) {
    if (line[digits + digit] !== HEX_CODES[(crc >>> (28 - 4 * digit)) & 15]) return false
  }
  return true
}

const BEFORE_CODES = Buffer.from(BEFORE)
const QUOTE = 0x22
const BRACE = 0x7d

/** Two digits for each byte; building them from the number for every line is felt. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hexOf(crc: number): string {
  return `${HEX[crc >>> 24]}${HEX[(crc >>> 16) & 255]}${HEX[(crc >>> 8) & 255]}${HEX[crc & 255]}`
}
