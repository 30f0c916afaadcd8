/** The longest character in UTF-8. */
const LONGEST = 4

/** The first place from here on at which a character begins. Bytes that are not UTF-8 are as good as characters. */
export function charStart(bytes: Uint8Array, at: number): number {
  for (let place = at; place < at + LONGEST; place++) if (!isInside(bytes[place])) return place
  return at
}

/** The last place up to here at which a character ends; when there is none after `from`, the end of the first one. */
export function charEnd(bytes: Uint8Array, from: number, at: number): number {
  for (let place = at; place > from && place > at - LONGEST; place--) {
    if (!isInside(bytes[place]) && !isBegun(bytes, place)) return place
  }
  return at > from + LONGEST ? at : Math.min(bytes.length, charStart(bytes, from + 1))
}

/** Neither the first byte of a character nor one that is a character by itself. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Where nothing follows yet: whether the last character is not all there. */
function isBegun(bytes: Uint8Array, end: number): boolean {
  if (end < bytes.length) return false
  for (let back = 1; back < LONGEST && back <= end; back++) {
    const byte = bytes[end - back] as number
    if (!isInside(byte)) return lengthOf(byte) > back
  }
  return false
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4
  if (first >= 0xe0) return 3
  return first >= 0xc0 ? 2 : 1
}
