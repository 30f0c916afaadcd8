import { crc32 } from 'node:zlib'

/** Ten bits and seven probes a name: one name in a hundred that is not there seems to be. */
const BITS_PER_NAME = 10
const PROBES = 7
const SMALLEST_BYTES = 8

/** Says of most names that are not there that they are not: a Bloom filter. */
export class IdFilter {
  readonly #bits: Uint8Array

  private constructor(bits: Uint8Array) {
    this.#bits = bits
  }

  static of(names: readonly string[]): IdFilter {
    const bits = new Uint8Array(Math.max(SMALLEST_BYTES, Math.ceil((names.length * BITS_PER_NAME) / 8)))
    for (const name of names) add(bits, name)
    return new IdFilter(bits)
  }

  static parse(base64: string): IdFilter {
    return new IdFilter(Buffer.from(base64, 'base64'))
  }

  /** False: surely not. True: probably. */
  has(name: string): boolean {
    const size = this.#bits.length * 8
    // Nobody writes one without bits; if there is one all the same, it knows nothing.
    if (size === 0) return true
    let at = mix(crc32(name))
    let step = mix(at ^ 0x9e3779b9)
    for (let i = 1; i <= PROBES; i++) {
      const bit = at % size
      if (((this.#bits[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false
      at = (at + step) >>> 0
      step = (step + i) >>> 0
    }
    return true
  }

  toString(): string {
    return Buffer.from(this.#bits.buffer, this.#bits.byteOffset, this.#bits.length).toString('base64')
  }
}

function add(bits: Uint8Array, name: string): void {
  const size = bits.length * 8
  let at = mix(crc32(name))
  let step = mix(at ^ 0x9e3779b9)
  for (let i = 1; i <= PROBES; i++) {
    const bit = at % size
    bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7))
    at = (at + step) >>> 0
    step = (step + i) >>> 0
  }
}

/**
 * Spreads a CRC over all its bits. CRCs of names that differ in one place differ by a constant, and a second CRC
 * with another start differs from the first by a constant: neither is of use as it is.
 */
function mix(n: number): number {
  let h = n ^ (n >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
