import { beforeEach, describe, expect, it } from 'vitest'
import {
  AUDIT,
  Delta,
  manyMoves,
  overwrite,
  readAll,
  seal,
  sealAll,
} from '../../../../test/fixtures/segment-lines.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import type { Sealed } from './seal-segment.ts'
import {
  findGaps,
  openSegments,
  retireSegments,
  type VerifyProgress,
  verifySegments,
} from './segment-chain.ts'
import { listSegments, segmentName } from './segment-name.ts'

describe('a chain of segments', () => {
  let disk: MemoryDisk
  let sealed: readonly Sealed[]

  beforeEach(async () => {
    disk = new MemoryDisk()
    sealed = (await sealAll(disk, [manyMoves(4), manyMoves(5), manyMoves(6), manyMoves(3)])).sealed
  })

  const found = async () =>
    (await verifySegments(disk, AUDIT)).map(({ file, what }) => `${file.slice(AUDIT.length + 1)}: ${what}`)
  const nth = (i: number) => sealed[i] as Sealed

  it('is listed in order, without what is not part of it', async () => {
    await overwrite(disk, `${AUDIT}/${nth(0).name}.tmp`, Buffer.from('x'))
    await overwrite(disk, `${AUDIT}/notes.txt`, Buffer.from('x'))
    expect((await listSegments(disk, AUDIT)).map(({ name }) => name)).toEqual(sealed.map(({ name }) => name))
    expect(await listSegments(disk, '/nowhere')).toEqual([])
  })

  it('is good, and says how far it is', async () => {
    const progress: VerifyProgress[] = []
    expect(await verifySegments(disk, AUDIT, (one) => progress.push(one))).toEqual([])
    const totalBytes = sealed.reduce((sum, { bytes }) => sum + bytes, 0)
    expect(progress.at(-1)).toEqual({ file: nth(3).path, doneBytes: totalBytes, totalBytes })
  })

  it('is good when its oldest part was retired, and broken when a part in the middle is missing', async () => {
    await disk.remove(nth(0).path)
    expect(await found()).toEqual([])
    await disk.remove(nth(2).path)
    expect(await found()).toEqual([`${nth(3).name}: seq 10 to 15 are missing before it`])
  })

  it('is broken when a segment was replaced by a good one with another content', async () => {
    const other = new Delta(
      manyMoves(5, () => ({ actor: 'mallory' })),
      5,
    )
    const { sha256 } = await seal(disk, other, { previous: nth(0) })
    expect(await found()).toEqual([
      `${nth(1).name}: its checksum is ${sha256}; ${nth(2).name} was sealed after ${nth(1).name} with checksum ${nth(1).sha256}`,
    ])
  })

  it('is broken when segments were swapped', async () => {
    const [a, b] = [await readAll(disk, nth(1).path), await readAll(disk, nth(2).path)]
    await overwrite(disk, nth(1).path, b)
    await overwrite(disk, nth(2).path, a)
    expect(await found()).toEqual([
      `${nth(1).name}: it holds seq 10 to 15, not what its name says`,
      `${nth(2).name}: it holds seq 5 to 9, not what its name says`,
    ])
  })

  it('is broken when a segment was changed, and the others are still looked at', async () => {
    for (const i of [0, 2]) {
      const bytes = await readAll(disk, nth(i).path)
      bytes[bytes.length >> 1] = 1 + (bytes[bytes.length >> 1] as number)
      await overwrite(disk, nth(i).path, bytes)
    }
    const files = new Set((await verifySegments(disk, AUDIT)).map(({ file }) => file))
    expect(files).toEqual(new Set([nth(0).path, nth(2).path]))
  })

  it('is broken when the first says that there was one before it, or one says that there was none', async () => {
    const previous = { name: segmentName(0, 0), sha256: '' }
    await seal(disk, new Delta(manyMoves(4)), { previous })
    expect((await found())[0]).toBe(
      `${nth(0).name}: it is the first, and says that ${previous.name} came before it`,
    )
    await seal(disk, new Delta(manyMoves(5), 5), { previous: null })
    expect((await found())[1]).toMatch(/ was sealed after nothing$/)
  })

  it('finds out from names what overlaps and what is missing', () => {
    const files = [
      [3, 5],
      [6, 9],
      [8, 12],
      [20, 21],
    ].map(([firstSeq = 0, lastSeq = 0]) => {
      const name = segmentName(firstSeq, lastSeq)
      return { name, path: name, firstSeq, lastSeq }
    })
    expect(findGaps(files).map(({ what }) => what)).toEqual([
      `it overlaps ${segmentName(6, 9)}`,
      'seq 13 to 19 are missing before it',
    ])
  })
})

describe('retiring segments', () => {
  const day = (n: number) => 1_735_700_000 + n * 86_400

  async function setUp() {
    const disk = new MemoryDisk()
    await sealAll(
      disk,
      [0, 1, 2, 3].map((n) => manyMoves(4, (i) => ({ timestamp: day(n) + i }))),
    )
    const segments = await openSegments(disk, AUDIT)
    const left = async () => (await listSegments(disk, AUDIT)).map(({ firstSeq }) => firstSeq)
    return { disk, segments, left }
  }

  it('removes what ends before a seq', async () => {
    const { segments, left } = await setUp()
    const retired = await retireSegments(segments, { beforeSeq: 9, keepFromSeq: 100 })
    expect([retired.audit_records, retired.segments, await left()]).toEqual([
      8,
      segments.slice(0, 2),
      [9, 13],
    ])
  })

  it('removes what is older than a time', async () => {
    const { segments, left } = await setUp()
    const beforeTime = (day(2) + 4) * 1000
    expect(
      (await retireSegments(segments, { beforeTime: beforeTime - 1001, keepFromSeq: 100 })).audit_records,
    ).toBe(8)
    expect(await left()).toEqual([9, 13])
    const rest = segments.filter(({ isRetired }) => !isRetired)
    expect((await retireSegments(rest, { beforeTime, keepFromSeq: 100 })).audit_records).toBe(4)
  })

  it('never removes what has to be kept, nor anything when nothing is said', async () => {
    const { segments, left } = await setUp()
    const { audit_records } = await retireSegments(segments, { beforeSeq: 100, keepFromSeq: 8 })
    expect([audit_records, await left()]).toEqual([4, [5, 9, 13]])
    expect((await retireSegments(segments.slice(1), { keepFromSeq: 100 })).audit_records).toBe(0)
  })

  it('leaves no gap when it is cut off: each is gone for good before the next one goes', async () => {
    const { disk, segments } = await setUp()
    const done: string[] = []
    const { remove, syncFolder } = disk
    disk.remove = async (path) => {
      done.push(`remove ${segments.findIndex(({ file }) => file.path === path)}`)
      await remove.call(disk, path)
    }
    disk.syncFolder = async (folder) => {
      done.push('sync')
      await syncFolder.call(disk, folder)
    }
    await retireSegments(segments, { beforeSeq: 9, keepFromSeq: 100 })
    expect(done).toEqual(['remove 0', 'sync', 'remove 1', 'sync'])
    expect(await verifySegments(disk, AUDIT)).toEqual([])
  })
})
