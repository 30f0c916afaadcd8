import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { constant, LineBytes } from './line-bytes.ts'

function written(write: (line: LineBytes) => void, room?: Buffer): string {
  const line = new LineBytes(room)
  write(line)
  return line.bytes.toString('utf8', 0, line.size)
}

describe('JSON as bytes', () => {
  it('is what JSON.stringify says, whatever the value and however little room there is', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary', minLength: 90, maxLength: 110 }),
      fc.double(),
      fc.nat(),
      fc.boolean(),
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.constantFrom('"', '\\', '\n', '\u007f', 'ü', '漢', '\ud800', '🚚', -0, 9, 10, 1e21),
    )
    fc.assert(
      fc.property(value, fc.nat(20), (one, room) => {
        expect(written((line) => line.value(one), Buffer.alloc(room))).toBe(JSON.stringify(one))
      }),
      { numRuns: 2000 },
    )
  })

  it('comes one after the other', () => {
    const text = written((line) => {
      line.put(constant('{"a":'))
      line.text('b"c')
      line.byte(0x2c)
      line.json('"ü":[]')
      line.put(constant('}'))
    })
    expect(text).toBe('{"a":"b\\"c","ü":[]}')
  })
})

describe('a number', () => {
  const isAsJson = (number: number): void => {
    expect(written((line) => line.number(number))).toBe(JSON.stringify(number))
  }

  it('is what JSON.stringify says', () => {
    const edges = [0, -0, 9, 10, 99, 100, 1e11, 1e12, 1e12 + 1, 1e21, -1, -0.5, 0.1 + 0.2, 1e-7, 2 ** 53]
    const times = [0.001, 0.01, 0.1, 0.12, 0.123, 0.999, 1.5, 1794948364.1, 1794948364.079, 999999999999.999]
    for (const number of [...edges, ...times, Number.NaN, Number.POSITIVE_INFINITY]) isAsJson(number)
    fc.assert(fc.property(fc.double(), isAsJson))
    fc.assert(fc.property(fc.nat({ max: 4_000_000_000_000 }), (ms) => isAsJson(ms / 1000)))
  })
})
