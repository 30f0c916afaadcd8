import { describe, expect, it } from 'vitest'
import { bytes, diskWith, outcomes } from './disk-outcomes.ts'

describe('names', () => {
  it('are not durable by a sync of the file, but by one of the folder', async () => {
    const disk = await diskWith()
    const file = await disk.open('/d/f')
    await file.writeThrough(0, bytes('a'))
    await file.sync()
    expect(outcomes(disk)).toEqual(['', 'f=a'])
    await disk.syncFolder('/')
    expect(outcomes(disk)).toEqual(['', 'f=a'])
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual(['f=a'])
  })

  it('say nothing about the data', async () => {
    const disk = await diskWith()
    await (await disk.open('/d/f')).write(0, bytes('a'))
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual(['f=', 'f=0', 'f=a'])
  })

  it('reach the disk in any order', async () => {
    const disk = await diskWith()
    for (const name of ['a', 'b']) await disk.open(`/d/${name}`)
    expect(outcomes(disk)).toEqual(['', 'a=', 'a= b=', 'b='])
  })

  it('change as a whole: a renamed file has its old name or its new one', async () => {
    const disk = await diskWith({ old: 'x' })
    await disk.rename('/d/old', '/d/new')
    expect(outcomes(disk)).toEqual(['new=x', 'old=x'])
    await disk.rename('/d/new', '/d/newer')
    expect(outcomes(disk)).toEqual(['new=x', 'newer=x', 'old=x'])
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual(['newer=x'])
  })

  it('change as a whole also over another file: that name is never without one', async () => {
    const disk = await diskWith({ f: 'old', tmp: 'new' })
    await disk.rename('/d/tmp', '/d/f')
    expect(outcomes(disk)).toEqual(['f=new', 'f=old tmp=new'])
  })

  it('may lead to any content when a file is renamed before it is synced', async () => {
    const disk = await diskWith({ f: 'old' })
    await (await disk.open('/d/tmp')).write(0, bytes('N'))
    await disk.rename('/d/tmp', '/d/f')
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual(['f=', 'f=0', 'f=N'])
  })

  it('may be neither of the two when the file itself was new, and are never both', async () => {
    const disk = await diskWith()
    await (await disk.open('/d/tmp')).writeThrough(0, bytes('x'))
    await disk.rename('/d/tmp', '/d/f')
    expect(outcomes(disk)).toEqual(['', 'f=x', 'tmp=x'])
  })

  it('from folder to folder are durable when the new folder is synced', async () => {
    const disk = await diskWith({ f: 'x' })
    await disk.makeFolder('/d/e')
    await disk.syncFolder('/d')
    await disk.rename('/d/f', '/d/e/f')
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual(['e/f=x', 'f=x'])
    await disk.syncFolder('/d/e')
    expect(outcomes(disk)).toEqual(['e/f=x'])
  })

  it('that were removed may come back until the folder is synced', async () => {
    const disk = await diskWith({ f: 'x' })
    await disk.remove('/d/f')
    expect(outcomes(disk)).toEqual(['', 'f=x'])
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual([''])
  })

  it('that were used again go through one thing after the other', async () => {
    const disk = await diskWith({ f: 'first' })
    await disk.remove('/d/f')
    await (await disk.open('/d/f')).writeThrough(0, bytes('second'))
    expect(outcomes(disk)).toEqual(['', 'f=first', 'f=second'])
  })

  it('are gone with their folder, which is durable by a sync of the folder above it', async () => {
    const disk = await diskWith()
    await disk.makeFolder('/d/e/g')
    await (await disk.open('/d/e/g/f')).writeThrough(0, bytes('x'))
    await disk.syncFolder('/d/e/g')
    await disk.syncFolder('/d/e')
    expect(outcomes(disk)).toEqual(['', 'e/g/f=x'])
    await disk.syncFolder('/d')
    expect(outcomes(disk)).toEqual(['e/g/f=x'])
  })

  it('are not sure to be covered by a sync that was called before they were heard of', async () => {
    const disk = await diskWith({ f: 'x' })
    await Promise.all([disk.rename('/d/f', '/d/g'), disk.syncFolder('/d')])
    expect(outcomes(disk)).toEqual(['f=x', 'g=x'])
  })
})
