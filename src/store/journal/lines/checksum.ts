import { crc32 } from 'node:zlib'

const BEFORE = ',"crc":"'
const DIGITS = 8

/** `,"crc":"` and eight digits and `"}`. */
const ENDING_BYTES = BEFORE.length + DIGITS + 2

/** The whole line, from everything of it up to the checksum: an object without its closing brace. */
export function withChecksum(start: string): string {
  return `${start}${BEFORE}${hexOf(crc32(start))}"}`
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
