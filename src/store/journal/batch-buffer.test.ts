import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BatchBuffer } from './batch-buffer.ts'
import { withChecksum } from './lines/checksum.ts'

const lines = fc.array(
  fc.record({ seq: fc.nat(), text: fc.string({ unit: 'binary' }) }).map((line) => JSON.stringify(line)),
  { minLength: 1, maxLength: 120 },
)

/** What a batch is, said in the simplest way. */
function textOf(firstSeq: number, batch: readonly string[]): string {
  const count = String(batch.length).padEnd(7)
  return batch
    .map((line, index) => `${withChecksum(`${line.slice(0, -1)},"batch":[${firstSeq},${count},${index}]`)}\n`)
    .join('')
}

function filled(buffer: BatchBuffer, batch: readonly string[]): BatchBuffer {
  for (const line of batch) buffer.add(line)
  return buffer
}

describe('the bytes of a batch', () => {
  it('are its lines, each with its place and its checksum', () => {
    fc.assert(
      fc.property(fc.nat(), lines, (firstSeq, batch) => {
        const buffer = filled(new BatchBuffer(firstSeq), batch)
        expect(buffer.finish().toString()).toBe(textOf(firstSeq, batch))
        expect(buffer.size).toBe(Buffer.byteLength(textOf(firstSeq, batch)))
        expect(buffer.lines).toBe(batch.length)
      }),
    )
  })

  it('do not depend on what was in them before', () => {
    fc.assert(
      fc.property(lines, lines, (before, batch) => {
        const first = filled(new BatchBuffer(1), before)
        first.finish()
        expect(filled(new BatchBuffer(7, first.bytes), batch).finish().toString()).toBe(textOf(7, batch))
      }),
    )
  })

  it('grow with a batch that is larger than what there was', () => {
    const large = JSON.stringify({ text: 'ü'.repeat(100_000) })
    const buffer = filled(new BatchBuffer(1, Buffer.alloc(10)), ['{"seq":1}', large])
    expect(buffer.finish().toString()).toBe(textOf(1, ['{"seq":1}', large]))
  })
})
