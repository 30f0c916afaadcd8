import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { BlockFileReader } from './block-file-reader.ts'
import { BlockFileWriter } from './block-file-writer.ts'
import type { Extent } from './member.ts'
import { ReadAhead } from './read-ahead.ts'

const DRESS = { before: '', after: '\n' }
const PATH = '/file.gz'

let disk: MemoryDisk

beforeEach(() => {
  disk = new MemoryDisk()
})

async function write(
  texts: readonly string[],
): Promise<{ extents: Extent[]; sha256: string; bytes: number }> {
  const file = await disk.open(PATH)
  const writer = new BlockFileWriter(file, DRESS)
  const extents: Extent[] = []
  for (const text of texts) extents.push(await writer.text(text))
  const end = await writer.finish(await writer.text('"index"\n'))
  await file.close()
  return { extents, ...end }
}

async function read(): Promise<BlockFileReader> {
  const reader = await BlockFileReader.open(disk, PATH, DRESS)
  if (reader === null) throw new Error('no file')
  return reader
}

async function content(): Promise<Uint8Array> {
  const file = await disk.openToRead(PATH)
  return (await file?.read(0, 1e9)) ?? new Uint8Array()
}

async function replace(bytes: Uint8Array): Promise<void> {
  const file = await disk.open(PATH)
  await file.truncate(0)
  await file.write(0, bytes)
}

describe('a file of blocks', () => {
  it('gives every member back, and the index, and is one text', async () => {
    const { extents, sha256, bytes } = await write(['a\n', 'b\n'])
    const reader = await read()
    expect(
      await Promise.all(extents.map(async (extent) => (await reader.member(extent)).toString())),
    ).toEqual(['a\n', 'b\n'])
    expect((await reader.index()).toString()).toBe('"index"\n')
    expect([reader.sha256, reader.size]).toEqual([sha256, bytes])
    await reader.verify()
    expect(gunzipSync(await content()).toString()).toMatch(/^a\nb\n"index"\n\{"index_at":"0.*\}\n$/)
  })

  it('is not there when there is none', async () => {
    expect(await BlockFileReader.open(disk, PATH, DRESS)).toBeNull()
  })

  it('has nothing left of a longer one that was not finished', async () => {
    const file = await disk.open(PATH)
    await file.write(0, new Uint8Array(10_000))
    const { bytes } = await write(['a\n'])
    expect((await content()).length).toBe(bytes)
    await (await read()).verify()
  })

  it('is copied in part, whatever the size', async () => {
    const long = Array.from({ length: 40 }, (_, i) => `${i} ${'0123456789'.repeat(20_000)}\n`)
    const { extents } = await write(long)
    const source = await read()
    const [from, to] = [extents[1] as Extent, extents[38] as Extent]
    const whole = { at: from.at, bytes: to.at + to.bytes - from.at }
    const copy = await disk.open('/copy.gz')
    const writer = new BlockFileWriter(copy, DRESS)
    await writer.text('first\n')
    const copied = await writer.copyRange(source, whole)
    await writer.finish(await writer.text('index\n'))
    expect(copied.bytes).toBe(whole.bytes)
    expect(await copy.read(copied.at, copied.bytes)).toEqual(await source.raw(whole))
    await (await BlockFileReader.open(disk, '/copy.gz', DRESS))?.verify()
  })

  it('notices every byte that changed', async () => {
    await write(['some text\n', 'and some more\n'])
    const good = await content()
    for (let at = 0; at < good.length; at++) {
      const bad = Uint8Array.from(good)
      bad[at] = (bad[at] as number) ^ 0x10
      await replace(bad)
      await expect(
        read().then((reader) => reader.verify()),
        `byte ${at}`,
      ).rejects.toThrow(LedgerDamaged)
    }
  })

  it('notices every byte that is missing, or too many', async () => {
    await write(['some text\n', 'and some more\n'])
    const good = await content()
    for (let length = 0; length < good.length; length++) {
      await replace(good.subarray(0, length))
      await expect(read(), `length ${length}`).rejects.toThrow(LedgerDamaged)
    }
    await replace(Buffer.concat([good, new Uint8Array(1)]))
    await expect(read()).rejects.toThrow(LedgerDamaged)
  })

  it('says of a block that is not inside that it is missing', async () => {
    const { bytes } = await write(['a\n'])
    const reader = await read()
    await expect(reader.raw({ at: bytes - 10, bytes: 5 })).rejects.toThrow('missing')
  })

  it('says how far the checksum has come', async () => {
    await write(['a\n'])
    const reader = await read()
    let seen = 0
    await reader.verify((count) => {
      seen += count
    })
    expect(seen).toBeGreaterThan(0)
    await reader.close()
    await expect(reader.index()).rejects.toThrow('closed')
  })
})

describe('reading ahead', () => {
  it('gives the same members in one trip', async () => {
    const texts = Array.from({ length: 50 }, (_, i) => `line ${i}\n`)
    const { extents } = await write(texts)
    const reader = await read()
    let trips = 0
    const raw = reader.raw.bind(reader)
    reader.raw = (extent) => {
      trips++
      return raw(extent)
    }
    const last = extents.at(-1) as Extent
    const ahead = new ReadAhead(reader, last.at + last.bytes)
    const found: string[] = []
    for (const extent of extents) found.push((await ahead.member(extent)).toString())
    expect([found, trips]).toEqual([texts, 1])
    expect((await ahead.member(extents[3] as Extent)).toString()).toBe('line 3\n')
    expect(trips).toBe(1)
  })

  it('reads what is longer than a trip by itself', async () => {
    const noise = Array.from({ length: 400_000 }, (_, i) => Math.imul(i, 0x9e3779b9).toString(36)).join('')
    const { extents } = await write(['a\n', noise, 'b\n'])
    const [a, long, b] = extents as [Extent, Extent, Extent]
    expect(long.bytes).toBeGreaterThan(1024 * 1024)
    const ahead = new ReadAhead(await read(), b.at + b.bytes)
    expect((await ahead.member(a)).toString()).toBe('a\n')
    expect((await ahead.member(long)).toString()).toBe(noise)
    expect((await ahead.member(b)).toString()).toBe('b\n')
  })
})
