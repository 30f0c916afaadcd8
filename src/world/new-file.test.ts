import { describe, expect, it } from 'vitest'
import { MemoryDisk } from '../testing/memory-disk.ts'
import { NewFile, unfinishedPath } from './new-file.ts'

async function textOf(disk: MemoryDisk, path: string): Promise<string | null> {
  const reader = await disk.openToRead(path)
  return reader === null ? null : Buffer.from(await reader.read(0, 10_000_000)).toString()
}

describe('a new file', () => {
  it('gets its name when it is whole, and what had that name is there until then', async () => {
    const disk = new MemoryDisk()
    const first = await NewFile.create(disk, '/f')
    first.addText('before')
    await first.finish()

    const file = await NewFile.create(disk, '/f')
    file.addText('zwölf ')
    file.addBytes(Buffer.from('pieces'))
    await file.sync()
    expect([file.bytes, await textOf(disk, '/f')]).toEqual([13, 'before'])
    await file.finish()
    expect([await textOf(disk, '/f'), await disk.list('/')]).toEqual(['zwölf pieces', ['f']])
    await file.discard()
    expect(await disk.list('/')).toEqual(['f'])
  })

  it('has nothing of what a run before it left, and leaves nothing when it is discarded', async () => {
    const disk = new MemoryDisk()
    const left = await disk.open(unfinishedPath('/f'))
    await left.write(0, Buffer.from('much longer than what comes now'))
    const file = await NewFile.create(disk, '/f')
    file.addText('short')
    await file.sync()
    expect(await textOf(disk, unfinishedPath('/f'))).toBe('short')
    await file.discard()
    expect(await disk.list('/')).toEqual([])
  })

  it('takes in another file of any size, and says how far it is', async () => {
    const disk = new MemoryDisk()
    for (const size of [0, 10, 1024 * 1024, 2_500_000]) {
      const source = await disk.open(`/source-${size}`)
      await source.write(0, Buffer.alloc(size, 'abc'))
      const file = await NewFile.create(disk, '/copy')
      const told: number[] = []
      await file.addFile(source, (done) => told.push(done))
      await file.finish()
      expect(await textOf(disk, '/copy')).toBe(await textOf(disk, `/source-${size}`))
      expect(told.at(-1)).toBe(size)
    }
  })
})
