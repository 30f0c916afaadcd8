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
