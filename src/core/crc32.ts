/** Of half a byte each. */
const TABLE = [
  0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320,
  0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
]

/**
 * Unsigned CRC-32 of a text in UTF-8, for keys and ids. Node has one in `node:zlib`, which takes two milliseconds to load: whoever
 * opens a ledger in a database needs nothing else of it.
 */
export function crc32(text: string): number {
  let crc = -1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return crcOf(new TextEncoder().encode(text))
    crc = next(crc, code)
  }
  return ~crc >>> 0
}

function crcOf(bytes: Uint8Array): number {
  return ~bytes.reduce(next, -1) >>> 0
}

function next(crc: number, byte: number): number {
  const half = (crc >>> 4) ^ (TABLE[(crc ^ byte) & 0xf] as number)
  return (half >>> 4) ^ (TABLE[(half ^ (byte >>> 4)) & 0xf] as number)
}
