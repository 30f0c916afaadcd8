import { expect, it } from 'vitest'
import { SeededRandom } from '../seeded-random.ts'
import { upTo } from './luck.ts'
import { PagedBytes } from './paged-bytes.ts'

const MOST_BYTES = 3 * 4096 + 100

/** The same, the plain way. */
class PlainBytes {
  bytes = Buffer.alloc(0)

  resize(size: number): void {
    const bytes = Buffer.alloc(size)
    this.bytes.copy(bytes)
    this.bytes = bytes
  }

  write(position: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.resize(Math.max(this.bytes.length, position + bytes.length))
    this.bytes.set(bytes, position)
  }
}

it.each(Array.from({ length: 30 }, (_, seed) => seed))(
  'is what a plain array would be, and copies keep to themselves (seed %i)',
  (seed) => {
    const random = new SeededRandom(seed)
    const pairs = [{ paged: new PagedBytes(), plain: new PlainBytes() }]
    for (let step = 0; step < 40; step++) {
      const pair = pairs[upTo(pairs.length - 1, random)]
      if (pair === undefined) expect.unreachable('there is always one')
      const { paged, plain } = pair
      const roll = random.next()
      if (roll < 0.15) {
        const copy = new PlainBytes()
        copy.bytes = Buffer.from(plain.bytes)
        pairs.push({ paged: paged.copy(), plain: copy })
      } else if (roll < 0.35) {
        const size = upTo(MOST_BYTES, random)
        paged.resize(size)
        plain.resize(size)
      } else {
        const bytes = new Uint8Array(upTo(roll < 0.6 ? 10 : 6000, random)).fill(step + 1)
        const position = upTo(MOST_BYTES - bytes.length, random)
        paged.write(position, bytes)
        plain.write(position, bytes)
      }
      const [from, length] = [upTo(MOST_BYTES, random), upTo(MOST_BYTES, random)]
      expect(plain.bytes.subarray(from, from + length).equals(paged.read(from, length))).toBe(true)
    }
    for (const { paged, plain } of pairs) {
      expect(paged.size).toBe(plain.bytes.length)
      expect(plain.bytes.equals(paged.read(0, MOST_BYTES))).toBe(true)
    }
  },
)
