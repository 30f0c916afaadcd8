import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { BatchLines, type WrittenLine, wholeText } from './batch-lines.ts'
import { hasChecksum } from './checksum.ts'
import { differences, withDifferences } from './like.ts'
import type { Line } from './line.ts'

const leaf = fc.oneof(fc.nat(3), fc.constantFrom('a', 'b'), fc.constant(null))

/** Two objects with the same fields, all through; what users give may be anything. */
const twoAlike = fc.letrec((tie) => ({
  fields: fc.dictionary(fc.constantFrom('x', 'y', 'z', 'payload'), tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(leaf, leaf),
    fc.tuple(fc.array(leaf, { maxLength: 3 }), fc.array(leaf, { maxLength: 3 })),
    tie('fields').map((fields) => sides(fields as Two)),
    fc.array(tie('fields'), { maxLength: 3 }).map((items) => {
      const both = items.map((item) => sides(item as Two))
      return [both.map(([a]) => a), both.map(([, b]) => b)]
    }),
  ),
})).fields

type Two = { readonly [field: string]: readonly [unknown, unknown] }

function sides(fields: Two): readonly [JsonObject, JsonObject] {
  const side = (nth: 0 | 1) =>
    Object.fromEntries(Object.entries(fields).map(([field, both]) => [field, both[nth]])) as JsonObject
  return [side(0), side(1)]
}

describe('what is different between two lines', () => {
  it('makes the one of the other', () => {
    fc.assert(
      fc.property(twoAlike, (fields) => {
        const [model, line] = sides(fields as Two)
        expect(withDifferences(model, differences(model, line))).toEqual(line)
        expect(differences(line, line)).toEqual({})
      }),
    )
  })

  it('is said as a whole where users said it, and as little as can be elsewhere', () => {
    const model = { a: 1, deep: { b: [{ c: 1, d: 2 }, { c: 3 }] }, payload: { x: 1, y: 2 } }
    const line = { a: 1, deep: { b: [{ c: 1, d: 5 }, { c: 3 }] }, payload: { x: 1, z: 2 }, more: null }
    const different = { deep: { b: [{ d: 5 }, {}] }, payload: { x: 1, z: 2 }, more: null }
    expect(differences(model, line)).toEqual(different)
    expect(withDifferences(model, different)).toEqual(line)
  })
})

describe('the lines of a batch', () => {
  const line = (fields: object) => fields as unknown as WrittenLine
  const model = line({
    seq: 5,
    event: 'moved',
    commit: 4,
    metadata: { a: 1, b: 2 },
    batch: [4, 3, 1],
    crc: 'x',
  })

  it('are whole when they are read, with places of their own', () => {
    const lines = new BatchLines()
    expect(lines.add(model)).toBe(model)
    const like = lines.add(line({ seq: 6, like: 5, metadata: { b: 3 }, batch: [4, 3, 2], crc: 'y' })) as Line
    const kept = wholeText(like)
    expect(hasChecksum(Buffer.from(kept))).toBe(true)
    const { crc: _, ...whole } = JSON.parse(kept) as { crc: string }
    expect(whole).toEqual({ seq: 6, event: 'moved', metadata: { a: 1, b: 3 }, batch: [4, 3, 2] })
  })

  it('are none when they are like one that is not there, or that is like another one itself', () => {
    const lines = new BatchLines()
    lines.add(model)
    lines.add(line({ seq: 6, like: 5, batch: [4, 3, 2] }))
    for (const like of [4, 6, 7]) {
      expect(lines.add(line({ seq: 7, like, batch: [4, 3, 2] }))).toMatch(/^it is like line \d, which is not/)
    }
  })
})
