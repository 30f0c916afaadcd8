// One set of tests for the real disk and those in memory: what a test learns on the one holds on the other.
import { constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Disk, DiskReader } from '../world/disk.ts'
import { nodeDisk, nodeDiskWith } from '../world/node-disk.ts'
import { CrashDisk } from './crash-disk.ts'
import { MemoryDisk } from './memory-disk.ts'

const temporary = mkdtempSync(join(tmpdir(), 'waybill-disks-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const bytes = (text: string) => new TextEncoder().encode(text)

async function textOf(file: DiskReader): Promise<string> {
  return new TextDecoder().decode(await file.read(0, 1000))
}

describe.each<{ name: string; disk: Disk; root: string }>([
  { name: 'node', disk: nodeDisk, root: `${temporary}/node` },
  {
    name: 'node without write-through',
    disk: nodeDiskWith({ writeThroughFlags: null }),
    root: `${temporary}/plain`,
  },
  { name: 'memory', disk: new MemoryDisk(), root: '/root' },
  { name: 'crash', disk: new CrashDisk(), root: '/root' },
])('$name disk', ({ disk, root }) => {
  let folders = 0
  const freshFolder = async () => {
    const folder = `${root}/${++folders}`
    await disk.makeFolder(folder)
    return folder
  }

  it('writes, reads back and says how large a file is', async () => {
    const file = await disk.open(`${await freshFolder()}/f`)
    expect([await file.size(), await textOf(file)]).toEqual([0, ''])
    await file.write(0, bytes('hello world'))
    await file.write(6, bytes('W'))
    await file.sync()
    expect([await file.size(), await textOf(file)]).toEqual([11, 'hello World'])
    expect(new TextDecoder().decode(await file.read(6, 3))).toBe('Wor')
    await file.close()
  })

  it('makes a private file only where there is none', async () => {
    const path = `${await freshFolder()}/f`
    const file = await disk.open(path, { isPrivate: true })
    await file.write(0, bytes('secret'))
    await file.close()
    await expect(disk.open(path, { isPrivate: true })).rejects.toMatchObject({ code: 'EEXIST' })
  })

  it('gives fewer bytes at the end of a file, and none after it', async () => {
    const file = await disk.open(`${await freshFolder()}/f`)
    await file.write(0, bytes('abc'))
    expect((await file.read(2, 10)).length).toBe(1)
    expect((await file.read(3, 10)).length).toBe(0)
    expect((await file.read(99, 10)).length).toBe(0)
    await file.close()
  })

  it('gives copies: changing what was read changes no file', async () => {
    const file = await disk.open(`${await freshFolder()}/f`)
    const written = bytes('abc')
    await file.write(0, written)
    written.fill(0)
    ;(await file.read(0, 3)).fill(0)
    expect(await textOf(file)).toBe('abc')
    await file.close()
  })

  it('fills the gap with zeros when it is written past the end, or made longer', async () => {
    const file = await disk.open(`${await freshFolder()}/f`)
    await file.write(2, bytes('x'))
    await file.truncate(5)
    expect([...(await file.read(0, 10))]).toEqual([0, 0, 120, 0, 0])
    await file.truncate(1)
    expect(await file.size()).toBe(1)
    await file.close()
  })

  it('keeps a file when it is closed and opened again, and shows it to every handle', async () => {
    const path = `${await freshFolder()}/f`
    const first = await disk.open(path)
    const second = await disk.open(path)
    await first.write(0, bytes('abc'))
    expect(await textOf(second)).toBe('abc')
    await first.close()
    await second.close()
    const third = await disk.open(path)
    expect(await textOf(third)).toBe('abc')
    await third.close()
  })

  it('refuses to use a file that was closed', async () => {
    const file = await disk.open(`${await freshFolder()}/f`)
    await file.close()
    for (const use of [
      () => file.size(),
      () => file.read(0, 1),
      () => file.write(0, bytes('x')),
      () => file.writeThrough(0, bytes('x')),
      () => file.truncate(0),
      () => file.sync(),
    ]) {
      await expect(use()).rejects.toThrow()
    }
  })

  it('writes through, in turn with other writes, and past the end', async () => {
    const file = await disk.open(`${await freshFolder()}/f`)
    await file.write(0, bytes('hello'))
    await file.writeThrough(4, bytes('O world'))
    await file.write(5, bytes('_'))
    expect([await file.size(), await textOf(file)]).toEqual([11, 'hellO_world'])
    await file.truncate(2)
    await file.writeThrough(3, bytes('p'))
    expect([...(await file.read(0, 10))]).toEqual([...bytes('he\0p')])
    await file.close()
  })

  it('writes through into the file that was opened, whatever its name is by now', async () => {
    const folder = await freshFolder()
    const file = await disk.open(`${folder}/f.tmp`)
    await disk.rename(`${folder}/f.tmp`, `${folder}/f`)
    const other = await disk.open(`${folder}/f.tmp`)
    await file.writeThrough(0, bytes('abc'))
    expect([await textOf(file), await textOf(other)]).toEqual(['abc', ''])
    for (const open of [file, other]) await open.close()
  })

  it('opens to read what is there, and makes nothing', async () => {
    const folder = await freshFolder()
    expect(await disk.openToRead(`${folder}/f`)).toBeNull()
    expect(await disk.openToRead(`${folder}/no/f`)).toBeNull()
    expect(await disk.list(folder)).toEqual([])
    const file = await disk.open(`${folder}/f`)
    const reader = await disk.openToRead(`${folder}/f`)
    if (reader === null) expect.unreachable('the file is there')
    await file.write(0, bytes('abc'))
    expect([await reader.size(), await textOf(reader)]).toEqual([3, 'abc'])
    await file.close()
    await reader.close()
    await expect(reader.read(0, 1)).rejects.toThrow()
  })

  it('locks a file for one at a time, and leaves nothing but that file', async () => {
    const folder = await freshFolder()
    const [lock, second, other] = [
      await disk.lock(`${folder}/LOCK`),
      await disk.lock(`${folder}/LOCK`),
      await disk.lock(`${folder}/OTHER`),
    ]
    expect([lock !== null, second, other !== null]).toEqual([true, null, true])
    expect(await disk.list(folder)).toEqual(['LOCK', 'OTHER'])
    await other?.release()
    expect(await disk.lock(`${folder}/LOCK`)).toBeNull()
    await lock?.release()
    const next = await disk.lock(`${folder}/LOCK`)
    expect(next).not.toBeNull()
    // Releasing twice is harmless, and does not take the lock from whoever has it by now.
    await lock?.release()
    expect(await disk.lock(`${folder}/LOCK`)).toBeNull()
    await next?.release()
    expect(await disk.list(folder)).toEqual(['LOCK', 'OTHER'])
  })

  it('does not say that a lock is taken when it cannot be had at all', async () => {
    await expect(disk.lock(`${await freshFolder()}/no/LOCK`)).rejects.toThrow()
  })

  it('lists the names in a folder, sorted, those of folders too, and not what is deeper', async () => {
    const folder = await freshFolder()
    for (const name of ['b', 'a', 'B']) await (await disk.open(`${folder}/${name}`)).close()
    await disk.makeFolder(`${folder}/c/d`)
    expect(await disk.list(folder)).toEqual(['B', 'a', 'b', 'c'])
    expect(await disk.list(`${folder}/c`)).toEqual(['d'])
    expect(await disk.list(`${folder}/nowhere`)).toEqual([])
  })

  it('makes folders above a folder, and minds not when they are there', async () => {
    const folder = `${await freshFolder()}/x/y`
    await disk.makeFolder(folder)
    await disk.makeFolder(folder)
    await disk.syncFolder(folder)
    await (await disk.open(`${folder}/f`)).close()
    expect(await disk.list(folder)).toEqual(['f'])
  })

  it('renames over what was there, and whoever has it open keeps it', async () => {
    const folder = await freshFolder()
    const [old, fresh] = [await disk.open(`${folder}/old`), await disk.open(`${folder}/fresh`)]
    await old.write(0, bytes('old'))
    await fresh.write(0, bytes('fresh'))
    await disk.rename(`${folder}/fresh`, `${folder}/old`)
    await disk.syncFolder(folder)
    expect(await disk.list(folder)).toEqual(['old'])
    const now = await disk.open(`${folder}/old`)
    expect([await textOf(now), await textOf(fresh), await textOf(old)]).toEqual(['fresh', 'fresh', 'old'])
    for (const file of [old, fresh, now]) await file.close()
  })

  it('removes a file, once or twice, and whoever has it open keeps it', async () => {
    const folder = await freshFolder()
    const file = await disk.open(`${folder}/f`)
    await file.write(0, bytes('abc'))
    await disk.remove(`${folder}/f`)
    await disk.remove(`${folder}/f`)
    expect([await disk.list(folder), await textOf(file)]).toEqual([[], 'abc'])
    await file.close()
  })

  it('says what is missing', async () => {
    const folder = await freshFolder()
    await (await disk.open(`${folder}/f`)).close()
    const missing = { code: 'ENOENT' }
    await expect(disk.open(`${folder}/no/f`)).rejects.toMatchObject(missing)
    await expect(disk.rename(`${folder}/no`, `${folder}/x`)).rejects.toMatchObject(missing)
    await expect(disk.rename(`${folder}/f`, `${folder}/no/f`)).rejects.toMatchObject(missing)
    await expect(disk.syncFolder(`${folder}/no`)).rejects.toMatchObject(missing)
    await expect(disk.open(folder)).rejects.toMatchObject({ code: 'EISDIR' })
    expect(await disk.list(folder)).toEqual(['f'])
  })
})

describe('node disk', () => {
  it('does not take a file for an empty folder', async () => {
    const path = `${temporary}/file`
    await (await nodeDisk.open(path)).close()
    await expect(nodeDisk.list(path)).rejects.toMatchObject({ code: 'ENOTDIR' })
  })
})

describe('node disk that cannot open a file the second time', () => {
  it('says so, and not what became of the first', async () => {
    // Opening for the second time fails when it must make the file.
    const disk = nodeDiskWith({ writeThroughFlags: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL })
    await expect(disk.open(`${temporary}/twice`)).rejects.toMatchObject({ code: 'EEXIST' })
  })
})

describe.each([
  { name: 'memory', disk: new MemoryDisk() },
  { name: 'crash', disk: new CrashDisk() },
])('$name disk', ({ disk }) => {
  it('has a root and a current folder from the start', async () => {
    await (await disk.open('/top')).close()
    await (await disk.open('here')).close()
    expect([await disk.list('/'), await disk.list('.')]).toEqual([['top'], ['here']])
  })
})
