import { describe, expect, it } from 'vitest'
import type { DiskFile } from '../world/disk.ts'
import { bytes, diskWith, diskWithFile, outcomes, show } from './crash/disk-outcomes.ts'
import { PowerLost } from './crash/operation.ts'
import type { CrashDisk } from './crash-disk.ts'
import { SeededRandom } from './seeded-random.ts'

// A buffer's `slice` is a view: the disk had whatever its writer wrote into the same bytes next.
it('has what was written, whatever becomes of the bytes', async () => {
  const { disk, file } = await diskWithFile('a')
  const reused = Buffer.from('b')
  await file.writeThrough(0, reused)
  reused.fill('c')
  expect(outcomes(disk)).toEqual(['f=b'])
})

describe('losing power', () => {
  it('rejects the operation it happens in, everything under way, and everything after', async () => {
    const { disk, file } = await diskWithFile('aa', { crashAt: 2 })
    const under = [file.write(0, bytes('b')), file.read(0, 1), file.write(1, bytes('b')), disk.remove('/d/f')]
    expect(disk.hasPower).toBe(false)
    const after = [
      () => file.size(),
      () => file.read(0, 1),
      () => file.write(0, bytes('b')),
      () => file.writeThrough(0, bytes('b')),
      () => file.truncate(0),
      () => file.sync(),
      () => file.close(),
      () => disk.open('/d/f'),
      () => disk.open('/d/new'),
      () => disk.openToRead('/d/f'),
      () => disk.list('/d'),
      () => disk.makeFolder('/d'),
      () => disk.rename('/nowhere', '/d/f'),
      () => disk.remove('/d/f'),
      () => disk.syncFolder('/nowhere'),
      () => disk.lock('/d/LOCK'),
    ].map((call) => call())
    for (const settled of await Promise.allSettled([...under, ...after]))
      expect(settled).toMatchObject({ status: 'rejected', reason: expect.any(PowerLost) })
    expect(disk.operations.map(({ n, op }) => [n, op])).toEqual([
      [1, 'write'],
      [2, 'write'],
    ])
  })

  it('may happen at any time, and keeps nobody from hearing of what was done before', async () => {
    const { disk, file } = await diskWithFile('a')
    const lock = await disk.lock('/d/f')
    await file.write(0, bytes('b'))
    const under = file.sync()
    disk.losePower()
    await expect(under).rejects.toMatchObject({ code: 'POWER_LOST' })
    await expect(lock?.release()).rejects.toBeInstanceOf(PowerLost)
    expect(outcomes(disk)).toEqual(['f=a', 'f=b'])
  })

  it.each<{ what: string; act: (disk: CrashDisk, file: DiskFile) => Promise<unknown>; may: string[] }>([
    { what: 'write', act: (_, file) => file.write(0, bytes('bb')), may: ['f=aa', 'f=ba', 'f=bb'] },
    {
      what: 'write-through',
      act: (_, file) => file.writeThrough(0, bytes('bb')),
      may: ['f=aa', 'f=ba', 'f=bb'],
    },
    { what: 'truncate', act: (_, file) => file.truncate(1), may: ['f=a', 'f=aa'] },
    { what: 'create', act: (disk) => disk.open('/d/g'), may: ['f=aa', 'f=aa g='] },
    { what: 'rename', act: (disk) => disk.rename('/d/f', '/d/g'), may: ['f=aa', 'g=aa'] },
    { what: 'remove', act: (disk) => disk.remove('/d/f'), may: ['', 'f=aa'] },
  ])('during a $what may come before or after it', async ({ act, may }) => {
    const { disk, file } = await diskWithFile('aa', { crashAt: 1 })
    await expect(act(disk, file)).rejects.toBeInstanceOf(PowerLost)
    expect(outcomes(disk)).toEqual(may)
    // Nothing of it is seen on the disk that it happened to.
    expect(show(disk)).toBe('f=aa')
  })

  it('during a sync, or a making of folders, may come in the middle', async () => {
    const { disk, file } = await diskWithFile('a', { crashAt: 2 })
    await file.write(0, bytes('b'))
    await expect(file.sync()).rejects.toBeInstanceOf(PowerLost)
    expect(outcomes(disk)).toEqual(['f=a', 'f=b'])

    const folders = await diskWith({}, { crashAt: 1 })
    await expect(folders.makeFolder('/d/e')).rejects.toBeInstanceOf(PowerLost)
    const found = await Promise.all(
      Array.from({ length: 50 }, (_, seed) => folders.afterCrash(new SeededRandom(seed)).list('/d')),
    )
    expect(new Set(found.map(String))).toEqual(new Set(['', 'e']))

    const names = await diskWith({ f: 'a' }, { crashAt: 2 })
    await names.remove('/d/f')
    await expect(names.syncFolder('/d')).rejects.toBeInstanceOf(PowerLost)
    expect(outcomes(names)).toEqual(['', 'f=a'])
  })

  it('takes what nobody had heard of, though it was asked for before', async () => {
    const { disk, file } = await diskWithFile('..', { crashAt: 2 })
    await Promise.allSettled([file.writeThrough(0, bytes('1')), file.writeThrough(1, bytes('2'))])
    expect(outcomes(disk)).toEqual(['f=..', 'f=.2', 'f=1.', 'f=12'])
  })

  it('gives back the same disk for the same seed, and leaves this one as it is', async () => {
    const { disk, file } = await diskWithFile('a'.repeat(10_000))
    for (let i = 0; i < 20; i++) await file.write(i * 450, bytes('b'.repeat(2000)))
    for (const name of ['x', 'y', 'z']) await (await disk.open(`/d/${name}`)).write(0, bytes(name))
    const before = disk.files()
    const found = Array.from({ length: 30 }, (_, seed) => disk.afterCrash(new SeededRandom(seed)).files())
    const again = Array.from({ length: 30 }, (_, seed) => disk.afterCrash(new SeededRandom(seed)).files())
    expect(again).toEqual(found)
    expect(
      new Set(found.map((files) => JSON.stringify([...files].map(([, text]) => text.join()))).values()).size,
    ).toBeGreaterThan(20)
    expect(disk.files()).toEqual(before)
  })

  it('gives back a disk of which everything is durable, that can be used, and can crash again', async () => {
    const { disk, file } = await diskWithFile('aaaa')
    await file.write(0, bytes('bbbb'))
    await disk.rename('/d/f', '/d/g')
    for (let seed = 0; seed < 50; seed++) {
      const found = disk.afterCrash(new SeededRandom(seed), { crashAt: 2 })
      expect([found.hasPower, found.operations]).toEqual([true, []])
      const left = show(found)
      expect(outcomes(found, show, 10)).toEqual([left])
      const path = `/d/${(await found.list('/d'))[0]}`
      const again = await found.open(path)
      await again.writeThrough(0, bytes('c'))
      await expect(again.sync()).rejects.toBeInstanceOf(PowerLost)
      expect(outcomes(found, show, 10)).toEqual([left.replace(/=./, '=c')])
    }
  })

  it('takes the locks', async () => {
    const disk = await diskWith({ LOCK: '' })
    expect(await disk.lock('/d/LOCK')).not.toBeNull()
    expect(await disk.lock('/d/LOCK')).toBeNull()
    expect(await disk.afterCrash(new SeededRandom(1)).lock('/d/LOCK')).not.toBeNull()
    expect(await disk.afterKill().lock('/d/LOCK')).not.toBeNull()
  })
})

describe('a process that is killed', () => {
  it('leaves everything that it did, which a crash may still take, and a sync may still save', async () => {
    const { disk, file } = await diskWithFile('a')
    await file.write(0, bytes('b'))
    await disk.open('/d/g')
    const killed = disk.afterKill()
    expect(show(killed)).toBe('f=b g=')
    expect(outcomes(killed)).toEqual(['f=a', 'f=a g=', 'f=b', 'f=b g='])
    await (await killed.open('/d/f')).sync()
    await killed.syncFolder('/d')
    expect(outcomes(killed)).toEqual(['f=b g='])
    // And the first is as it was.
    expect(outcomes(disk)).toEqual(['f=a', 'f=a g=', 'f=b', 'f=b g='])
  })

  it.each<{ what: string; act: (disk: CrashDisk, file: DiskFile) => Promise<unknown>; may: string[] }>([
    { what: 'write', act: (_, file) => file.write(0, bytes('bb')), may: ['f=aa', 'f=ba', 'f=bb'] },
    { what: 'write-through', act: (_, file) => file.writeThrough(2, bytes('b')), may: ['f=aa', 'f=aab'] },
    { what: 'rename', act: (disk) => disk.rename('/d/f', '/d/g'), may: ['f=aa', 'g=aa'] },
  ])('during a $what may leave it undone or done', async ({ act, may }) => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      const { disk, file } = await diskWithFile('aa', { crashAt: 1, seed })
      await expect(act(disk, file)).rejects.toBeInstanceOf(PowerLost)
      const killed = disk.afterKill()
      seen.add(show(killed))
      expect(show(disk.afterKill())).toBe(show(killed))
      // Whatever it left, the next process can save.
      for (const path of killed.files().keys()) await (await killed.open(path)).sync()
      await killed.syncFolder('/d')
      expect(outcomes(killed, show, 10)).toEqual([show(killed)])
    }
    expect([...seen].sort()).toEqual(may)
  })
})

describe('any program', () => {
  it('does things in the order in which they are asked for, and hears of them later', async () => {
    const { disk, file } = await diskWithFile('')
    const heard: string[] = []
    const asked = ['a', 'b', 'c'].map((text, at) =>
      file.write(at, bytes(text)).then(() => void heard.push(text)),
    )
    const read = file.read(0, 10).then((found) => void heard.push(new TextDecoder().decode(found)))
    expect(heard).toEqual([])
    await Promise.all([...asked, read])
    expect([...heard].sort()).toEqual(['a', 'abc', 'b', 'c'])
    expect(show(disk)).toBe('f=abc')
  })

  it('finds every byte after a crash as it was synced, or as it was written since, and nothing else', async () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = new SeededRandom(seed)
      const { disk, file } = await diskWithFile('')
      /** Of every byte, what it may be: a bit for each step that wrote there, and the lowest for none. */
      let may: number[] = []
      let leastSize = 0
      for (let step = 1; step <= 12; step++) {
        const position = Math.floor(random.next() * 6000)
        const text = new Uint8Array(1 + Math.floor(random.next() * 3000)).fill(step)
        const roll = random.next()
        const through = roll < 0.3
        if (roll < 0.8) {
          await (through ? file.writeThrough(position, text) : file.write(position, text))
          const end = position + text.length
          for (let at = may.length; at < end; at++) may.push(1)
          for (let at = position; at < end; at++) {
            may[at] = (1 << step) | (through ? 0 : (may[at] as number))
          }
          if (through) leastSize = Math.max(leastSize, may.length)
        } else {
          await file.sync()
          const synced = await file.read(0, may.length)
          may = may.map((_, at) => 1 << (synced[at] ?? 0))
          leastSize = may.length
        }
      }
      for (let crash = 0; crash < 5; crash++) {
        const found = disk.afterCrash(random).files().get('/d/f') ?? new Uint8Array(0)
        expect(found.length, `seed ${seed}`).toBeGreaterThanOrEqual(leastSize)
        expect(found.length, `seed ${seed}`).toBeLessThanOrEqual(may.length)
        const wrong = found.findIndex((byte, at) => ((may[at] as number) & (1 << byte)) === 0)
        expect(wrong, `seed ${seed}, byte ${wrong}`).toBe(-1)
      }
    }
  })
})
