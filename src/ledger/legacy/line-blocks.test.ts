import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { MemoryDisk } from '../../testing/memory-disk.ts'
import { endOf, type LineBlock, lineBlocks, linesOf, startOf } from './line-blocks.ts'

async function blocksOf(content: Buffer, longest?: number): Promise<LineBlock[]> {
  const disk = new MemoryDisk()
  const file = await disk.open('log')
  await file.write(0, content)
  const blocks: LineBlock[] = []
  for await (const block of lineBlocks(file, content.length, longest)) blocks.push(block)
  return blocks
}

function contents(blocks: readonly LineBlock[]): string[] {
  return blocks.flatMap((block) =>
    Array.from({ length: linesOf(block) }, (_, index) => {
      return block.bytes.toString('utf8', startOf(block, index), endOf(block, index))
    }),
  )
}

it('finds lines, however they end, and the last one that does not', async () => {
  const [block, open] = await blocksOf(Buffer.from('\ufeffone\r\n\ntwo\nthree'))
  expect(contents([block as LineBlock, open as LineBlock])).toEqual(['one', '', 'two', 'three'])
  expect(block).toMatchObject({ at: 0, firstLine: 1, isOpen: false })
  expect(open).toMatchObject({ at: 13, firstLine: 4, isOpen: true })
})

it('has nothing to say about an empty file', async () => {
  expect(await blocksOf(Buffer.alloc(0))).toEqual([])
})

it('cuts a large file into blocks, which follow each other', async () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => `${n} ${'é'.repeat(n % 200)}`)
  const content = Buffer.from(`${lines.join('\n')}\n`)
  const blocks = await blocksOf(content)
  expect(blocks.length).toBeGreaterThan(30)
  expect(contents(blocks)).toEqual(lines)
  let [at, line] = [0, 1]
  for (const block of blocks) {
    expect(block).toMatchObject({ at, firstLine: line, isOpen: false })
    at += block.bytes.length
    line += linesOf(block)
    expect(linesOf(block)).toBeLessThanOrEqual(1024)
  }
  expect(at).toBe(content.length)
})

it.each(['\n', ''])('does not hold a line that is too long, ended by %j', async (ending) => {
  const long = `${'x'.repeat(5 * 1024 * 1024)}${ending}`
  const after = ending === '' ? '' : 'after\n'
  const blocks = await blocksOf(Buffer.from(`before\n${long}${after}`), 2 * 1024 * 1024)
  expect(blocks[1]).toMatchObject({
    at: 7,
    firstLine: 2,
    isOpen: ending === '',
    tooLong: { bytes: long.length, sha256: createHash('sha256').update(long).digest() },
  })
  expect(blocks[1]?.bytes).toHaveLength(4096)
  expect(blocks[2]).toEqual(
    ending === '' ? undefined : expect.objectContaining({ at: 7 + long.length, firstLine: 3 }),
  )
})

it('reads no further than it was told, and no further than the file goes', async () => {
  const disk = new MemoryDisk()
  const file = await disk.open('log')
  await file.write(0, Buffer.from('one\ntwo\n'))
  const upTo = async (size: number) => {
    const blocks: LineBlock[] = []
    for await (const block of lineBlocks(file, size)) blocks.push(block)
    return contents(blocks)
  }
  expect(await upTo(4)).toEqual(['one'])
  expect(await upTo(400)).toEqual(['one', 'two'])
})
