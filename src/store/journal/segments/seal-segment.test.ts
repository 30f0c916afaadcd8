import { describe, expect, it } from 'vitest'
import {
  AUDIT,
  collect,
  Delta,
  entryOf,
  manyMoves,
  overwrite,
  readAll,
  SMALL,
  seal,
} from '../../../../test/fixtures/segment-lines.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { sealSegment } from './seal-segment.ts'
import { Segment } from './segment.ts'
import { SegmentDurations } from './segment-durations.ts'
import { verifySegment } from './verify-segment.ts'

async function folderOf(disk: MemoryDisk): Promise<readonly string[]> {
  return disk.list(AUDIT)
}

describe('sealing', () => {
  it('says what was written, and writes its index', async () => {
    const disk = new MemoryDisk()
    const delta = new Delta([...manyMoves(7), [], [entryOf({ path: ['a', 'b', 'c'] })]], 5)
    const previous = { name: '000000000000001-000000000000004.jsonl.gz', sha256: 'ab'.repeat(32), more: 1 }
    const sealed = await seal(disk, delta, { previous })
    const name = '000000000000005-000000000000014.jsonl.gz'
    expect(await folderOf(disk)).toEqual([name])
    const segment = await Segment.open(disk, sealed.path)
    const bytes = (await readAll(disk, sealed.path)).length
    const { sha256 } = await segment.link()
    expect(sealed).toEqual({ name, path: `${AUDIT}/${name}`, sha256, bytes, lines: 9, records: 9 })
    expect(await segment.index()).toMatchObject({
      version: '1.0',
      first_seq: 5,
      last_seq: 14,
      lines: 9,
      records: 9,
      previous: { name: previous.name, sha256: previous.sha256 },
      times: [1735787045, 1735787051],
      values: { new_state: ['b', 'c', 'fetched'], error_type: [], kind: ['document'] },
      pages: [{ lines: 6 }, { lines: 3 }],
    })
    expect((await segment.index()).previous).not.toHaveProperty('more')
  })

  it('takes up what was left unfinished, and may be done twice', async () => {
    const disk = new MemoryDisk()
    const delta = new Delta(manyMoves(4))
    await disk.makeFolder(AUDIT)
    await overwrite(disk, `${AUDIT}/000000000000001.jsonl.gz.tmp`, Buffer.alloc(10_000, 7))
    const first = await seal(disk, delta)
    expect(await seal(disk, delta)).toEqual(first)
    expect(await folderOf(disk)).toEqual([first.name])
  })

  it('has a block of its own for a line that is too long for any', async () => {
    const disk = new MemoryDisk()
    const long = entryOf({ doc_id: 'long', metadata: { text: 'ü'.repeat(SMALL.bytesPerBlock) } })
    const delta = new Delta([...manyMoves(1), [long], ...manyMoves(1)])
    const { path } = await seal(disk, delta)
    const segment = await Segment.open(disk, path)
    expect(await collect(segment.records({}, 0, 'asc'))).toEqual(delta.records)
    expect(segment.blocksRead).toBe(3)
  })

  it('refuses lines that do not follow each other, are too few or are damaged, and leaves nothing behind', async () => {
    const disk = new MemoryDisk()
    await disk.makeFolder(AUDIT)
    const { texts } = new Delta(manyMoves(6))
    const without = (i: number) => texts.filter((_, index) => index !== i)
    const changed = texts.map((text) => text.replace('doc:3', 'doc:4'))
    for (const lines of [without(0), without(3), without(5), changed]) {
      const sealing = sealSegment(disk, { folder: AUDIT, firstSeq: 1, lastSeq: 6, lines, previous: null })
      await expect(sealing).rejects.toThrow(LedgerDamaged)
      expect(await folderOf(disk)).toEqual([])
    }
  })

  it('does not give a name to what the disk did not keep', async () => {
    const disk = new MemoryDisk()
    const rename = disk.rename.bind(disk)
    const open = disk.openToRead.bind(disk)
    disk.openToRead = async (path) => {
      const bytes = await readAll({ ...disk, openToRead: open } as MemoryDisk, path)
      bytes[100] = 1 + (bytes[100] as number)
      await overwrite(disk, path, bytes)
      return open(path)
    }
    let renamed = false
    disk.rename = (from, to) => {
      renamed = true
      return rename(from, to)
    }
    await expect(seal(disk, new Delta(manyMoves(6)))).rejects.toThrow(LedgerDamaged)
    expect(renamed).toBe(false)
  })

  it('leaves the durations out when there are too many tenants to add them up for', async () => {
    const disk = new MemoryDisk()
    const delta = new Delta(manyMoves(10_001, (i) => ({ tenant_id: `t${i}` })))
    const sealed = await seal(disk, delta, {
      shape: { linesPerBlock: 256, bytesPerBlock: 1 << 17, blocksPerPage: 256 },
    })
    const segment = await Segment.open(disk, sealed.path)
    expect((await segment.index()).durations).toBeNull()
    expect((await segment.index()).values).not.toHaveProperty('tenant_id')
    expect(await verifySegment(disk, segment.file)).toEqual([])
    expect(new SegmentDurations().toFields()).toEqual([])
  })
})
