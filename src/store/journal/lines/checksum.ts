import { crc32 } from 'node:zlib'

const BEFORE = ',"crc":"'
const DIGITS = 8

/** `,"crc":"` and eight digits and `"}`. */
const ENDING_BYTES = BEFORE.length + DIGITS + 2

/** The whole line, from everything of it up to the checksum: an object without its closing brace. */
export function withChecksum(start: string): string {
  return `${start}${BEFORE}${hexOf(crc32(start))}"}`
}

const BLANK = `${BEFORE}00000000"}\n`

/**
 * Many lines as bytes, each from its start and what follows it. The same as `withChecksum` for each of them, but the
 * bytes are made once for all, and the checksums taken of the bytes.
 */
export function checkedLines(starts: readonly string[], ending: (index: number) => string): Buffer {
  const ends: number[] = []
  let text = ''
  for (let index = 0; index < starts.length; index++) {
    text += starts[index] + ending(index) + BLANK
    ends.push(text.length)
  }
  const bytes = Buffer.from(text)
  // Characters are not bytes when there are others than those of ASCII.
  if (bytes.length !== text.length) {
    return Buffer.from(starts.map((start, index) => `${withChecksum(start + ending(index))}\n`).join(''))
  }
  let at = 0
  for (const end of ends) {
    const digits = end - BLANK.length + BEFORE.length
    writeHex(bytes, digits, crc32(bytes.subarray(at, end - BLANK.length)))
    at = end
  }
  return bytes
}

const HEX_CODES = Buffer.from('0123456789abcdef')

function writeHex(bytes: Buffer, at: number, crc: number): void {
  for (let digit = 0; digit < DIGITS; digit++) {
    bytes[at + digit] = HEX_CODES[(crc >>> (28 - 4 * digit)) & 15] as number
  }
}

/** Whether the checksum at the end of a line is that of the line. */
export function hasChecksum(line: Buffer): boolean {
  const end = line.length - ENDING_BYTES
  if (end <= 0 || line.toString('latin1', end, end + BEFORE.length) !== BEFORE) return false
  if (line.toString('latin1', line.length - 2) !== '"}') return false
  return line.toString('latin1', end + BEFORE.length, line.length - 2) === hexOf(crc32(line.subarray(0, end)))
}

/** Two digits for each byte; building them from the number for every line is felt. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hexOf(crc: number): string {
  return `${HEX[crc >>> 24]}${HEX[(crc >>> 16) & 255]}${HEX[(crc >>> 8) & 255]}${HEX[crc & 255]}`
}
