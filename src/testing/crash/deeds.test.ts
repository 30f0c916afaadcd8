import { describe, expect, it } from 'vitest'
import type { DiskFile } from '../../world/disk.ts'
import type { CrashDisk } from '../crash-disk.ts'
import { bytes, diskWith, diskWithFile, outcomes, show } from './disk-outcomes.ts'

describe('faults', () => {
  const failNth =
    (n: number, code = 'EIO') =>
    (operation: { n: number }) =>
      operation.n === n ? code : null

  it('of a sync lose what was to be written, though it can be read, and the next sync says nothing', async () => {
    const { disk, file } = await diskWithFile('a', { faults: failNth(2) })
    await file.write(0, bytes('bc'))
    await expect(file.sync()).rejects.toMatchObject({ code: 'EIO' })
    await file.sync()
    expect(show(disk)).toBe('f=bc')
    // Only the size is safe.
    expect(outcomes(disk)).toEqual(['f=a0', 'f=b0', 'f=bc'])
    // What is written again is safe again.
    await file.write(0, bytes('bc'))
    await file.sync()
    expect(outcomes(disk)).toEqual(['f=bc'])
  })

  it('of a write-through lose what was to be written, also for the syncs to come', async () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      const { disk, file } = await diskWithFile('aaaa', { faults: failNth(1), seed })
      await expect(file.writeThrough(0, bytes('bbbb'))).rejects.toMatchObject({ code: 'EIO' })
      await file.sync()
      seen.add(show(disk))
      expect(outcomes(disk)).toContain('f=aaaa')
    }
    expect([...seen].sort()).toEqual(['f=aaaa', 'f=baaa', 'f=bbaa', 'f=bbba', 'f=bbbb'])
  })

  it('of a write leave any part of it, which is like other data from then on', async () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      const { disk, file } = await diskWithFile('', { faults: failNth(1, 'ENOSPC'), seed })
      await expect(file.write(0, bytes('abc'))).rejects.toMatchObject({ code: 'ENOSPC' })
      seen.add(show(disk))
      await file.sync()
      expect(outcomes(disk, show, 20)).toEqual([show(disk)])
    }
    expect([...seen].sort()).toEqual(['f=', 'f=a', 'f=ab', 'f=abc'])
  })

  it.each<{ what: string; act: (disk: CrashDisk, file: DiskFile) => Promise<unknown> }>([
    { what: 'create', act: (disk) => disk.open('/d/g') },
    { what: 'truncate', act: (_, file) => file.truncate(0) },
    { what: 'rename', act: (disk) => disk.rename('/d/f', '/d/g') },
    { what: 'remove', act: (disk) => disk.remove('/d/f') },
    { what: 'makeFolder', act: (disk) => disk.makeFolder('/d/e') },
  ])('of a $what leave everything as it was, and it works the next time', async ({ act }) => {
    const { disk, file } = await diskWithFile('a', { faults: failNth(1) })
    await expect(act(disk, file)).rejects.toMatchObject({ code: 'EIO' })
    expect([show(disk), ...(await disk.list('/d'))]).toEqual(['f=a', 'f'])
    expect(outcomes(disk, show, 20)).toEqual(['f=a'])
    await act(disk, file)
    expect([show(disk), ...(await disk.list('/d'))]).not.toEqual(['f=a', 'f'])
  })

  it('of a sync of a folder save nothing, and lose nothing', async () => {
    const disk = await diskWith({ f: 'a' }, { faults: failNth(2) })
    await disk.remove('/d/f')
    await expect(disk.syncFolder('/d')).rejects.toMatchObject({ code: 'EIO' })
    expect(outcomes(disk)).toEqual(['', 'f=a'])
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual([''])
  })

  it('are told what is asked for', async () => {
    const asked: unknown[] = []
    const { disk, file } = await diskWithFile('a', {
      faults: (operation) => {
        asked.push(operation)
        return null
      },
    })
    await file.write(0, bytes('bcd'))
    await file.truncate(2)
    await disk.rename('/d/f', '/d/g')
    await file.writeThrough(0, bytes('x'))
    await disk.makeFolder('/d')
    await disk.makeFolder('/d/e')
    await disk.remove('/d/nothing')
    expect(asked).toEqual([
      { n: 1, op: 'write', path: '/d/f', bytes: 3 },
      { n: 2, op: 'truncate', path: '/d/f', bytes: 2 },
      { n: 3, op: 'rename', path: '/d/f', to: '/d/g' },
      { n: 4, op: 'writeThrough', path: '/d/g', bytes: 1 },
      { n: 5, op: 'makeFolder', path: '/d/e' },
    ])
    expect(disk.operations).toEqual(asked)
  })
})
