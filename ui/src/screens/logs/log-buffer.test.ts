import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entries, entry } from './history-fixture.ts'
import { LogBuffer } from './log-buffer.ts'

const seqs = ({ records }: LogBuffer) => records.map(({ seq }) => seq)

function filled(from: number, to: number, largest = { records: 1000, weight: 1e9 }): LogBuffer {
  const buffer = new LogBuffer(largest)
  buffer.append(entries(from, to))
  return buffer
}

describe('what is held of the history', () => {
  it('grows at both ends, without doubles', () => {
    const buffer = filled(10, 12)
    expect(buffer.append(entries(11, 14))).toBe(2)
    expect(buffer.prepend(entries(8, 11).reverse())).toBe(2)
    expect([seqs(buffer), buffer.base]).toEqual([[8, 9, 10, 11, 12, 13, 14], -2])
    expect([buffer.first?.seq, buffer.last?.seq, buffer.counts.info]).toEqual([8, 14, 7])
  })

  it('is in order and without doubles, whatever comes', () => {
    const batch = fc.record({
      isOlder: fc.boolean(),
      from: fc.nat(50),
      size: fc.integer({ min: 1, max: 20 }),
    })
    fc.assert(
      fc.property(fc.array(batch), (batches) => {
        const buffer = new LogBuffer({ records: 40, weight: 1e9 })
        for (const { isOlder, from, size } of batches) {
          const some = entries(from, from + size)
          if (isOlder) buffer.prepend(some.reverse())
          else buffer.append(some)
          if (isOlder) buffer.dropNewest()
          else buffer.dropOldest()
          const found = seqs(buffer)
          expect(found).toEqual([...new Set(found)].sort((a, b) => a - b))
          expect(found.length).toBeLessThanOrEqual(40)
          expect(buffer.counts.info).toBe(found.length)
        }
      }),
    )
  })

  it('keeps the number of a record that stays', () => {
    const buffer = filled(1, 41, { records: 40, weight: 1e9 })
    const numberOf = (seq: number) => buffer.base + buffer.indexOf(seq)
    const before = numberOf(30)
    buffer.dropOldest()
    expect([buffer.first?.seq, numberOf(30)]).toEqual([3, before])
    buffer.prepend(entries(1, 2).reverse())
    expect(numberOf(30)).toBe(before)
  })

  it('lets go at the end that is not read, more than it has to', () => {
    const buffer = filled(1, 41, { records: 40, weight: 1e9 })
    expect(buffer.isOver).toBe(true)
    buffer.dropNewest()
    expect([buffer.first?.seq, buffer.last?.seq, buffer.isOver]).toEqual([1, 39, false])
    buffer.dropNewest()
    expect(buffer.last?.seq).toBe(39)
  })

  it('lets go of a few that are heavy', () => {
    const buffer = new LogBuffer({ records: 100, weight: 5000 })
    buffer.append(
      [1, 2, 3].map((seq) => entry(seq, { traceback: 'x'.repeat(2000), metadata: { a: ['b', 1] } })),
    )
    buffer.dropOldest()
    expect(seqs(buffer)).toEqual([2, 3])
    buffer.append([entry(4, { traceback: 'x'.repeat(20_000) })])
    buffer.dropOldest()
    expect(seqs(buffer)).toEqual([4])
  })

  it('finds places, also those without a record', () => {
    const buffer = new LogBuffer()
    buffer.append([entry(2), entry(5)])
    expect([0, 2, 3, 5, 6].map((seq) => buffer.indexOf(seq))).toEqual([0, 0, 1, 1, 2])
  })

  it('remembers where something is missing', () => {
    const buffer = filled(1, 2)
    buffer.noteGap()
    buffer.append([...entries(8, 9)])
    expect(buffer.records.filter((record) => buffer.isAfterGap(record)).map(({ seq }) => seq)).toEqual([8])
    buffer.clear()
    buffer.noteGap()
    buffer.append(entries(8, 8))
    expect(buffer.records.some((record) => buffer.isAfterGap(record))).toBe(false)
  })

  it('keeps a record as it was told', () => {
    const told = entry(1, {
      doc_id: 'd',
      error_type: 'E',
      error_message: 'm',
      reason: 'r',
      traceback: 't',
      metadata: { run_id: 'r', deep: [{ a: null }] },
    })
    const buffer = new LogBuffer()
    buffer.append([told, entry(2)])
    expect(buffer.records).toEqual([told, entry(2)])
  })
})
