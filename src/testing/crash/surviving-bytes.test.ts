import { describe, expect, it } from 'vitest'
import { bytes, diskWith, diskWithFile, outcomes, textAt } from './disk-outcomes.ts'

describe('data', () => {
  it('survives every crash once it is synced, with its size', async () => {
    const { disk, file } = await diskWithFile('old')
    await file.write(0, bytes('new and longer'))
    await file.sync()
    expect(outcomes(disk)).toEqual(['f=new and longer'])
    await file.truncate(3)
    await file.sync()
    expect(outcomes(disk)).toEqual(['f=new'])
  })

  it('survives every crash once it is written through, with its size, and whatever was there before', async () => {
    const { disk, file } = await diskWithFile('old')
    await file.writeThrough(2, bytes('new'))
    expect(outcomes(disk)).toEqual(['f=olnew'])
    await file.write(0, bytes('12345678'))
    await file.writeThrough(0, bytes('abc'))
    expect(outcomes(disk, (found) => textAt(found, '/d/f').slice(0, 3))).toEqual(['abc'])
  })

  it('may be lost although something after it was written through', async () => {
    const { disk, file } = await diskWithFile('aaaa')
    await file.write(0, bytes('b'))
    await file.writeThrough(2, bytes('c'))
    expect(outcomes(disk)).toEqual(['f=aaca', 'f=baca'])
    await file.sync()
    expect(outcomes(disk)).toEqual(['f=baca'])
  })

  it('has the size that is needed to read back what was written through, and zeros where data was lost', async () => {
    const { disk, file } = await diskWithFile('')
    await file.write(0, bytes('ab'))
    await file.writeThrough(2, bytes('cd'))
    expect(outcomes(disk)).toEqual(['f=00cd', 'f=a0cd', 'f=abcd'])
  })

  it('that was not synced may vanish, be there, or be torn at any byte', async () => {
    const { disk, file } = await diskWithFile('aaaa')
    await file.write(0, bytes('bbbb'))
    expect(outcomes(disk)).toEqual(['f=aaaa', 'f=baaa', 'f=bbaa', 'f=bbba', 'f=bbbb'])
  })

  it.each([
    { what: 'pages', blockBytes: 4096 },
    { what: 'sectors', blockBytes: 512 },
  ])('that was not synced may be there in some $what and not in others', async ({ blockBytes }) => {
    // Begins and ends in the middle of a block.
    const { disk, file } = await diskWithFile('a'.repeat(blockBytes * 4))
    await file.write(10, bytes('b'.repeat(blockBytes * 3)))
    const blocks = outcomes(disk, (found) => {
      const text = textAt(found, '/d/f')
      return [10, blockBytes, blockBytes * 2, blockBytes * 3].map((at) => text[at]).join('')
    })
    for (const expected of ['aaaa', 'aaba', 'aaab', 'abab', 'baba', 'babb', 'bbbb'])
      expect(blocks).toContain(expected)
  })

  it('that was not synced reaches the disk in any order', async () => {
    const { disk, file } = await diskWithFile('..')
    await file.write(0, bytes('1'))
    await file.write(1, bytes('2'))
    expect(outcomes(disk)).toEqual(['f=..', 'f=.2', 'f=1.', 'f=12'])
  })

  it('that was written twice is the old, the first or the second', async () => {
    const { disk, file } = await diskWithFile('0')
    await file.write(0, bytes('1'))
    await file.write(0, bytes('2'))
    expect(outcomes(disk)).toEqual(['f=0', 'f=1', 'f=2'])
  })

  it('of different files reaches the disk in any order', async () => {
    const disk = await diskWith({ a: 'x', b: 'x' })
    for (const name of ['a', 'b']) await (await disk.open(`/d/${name}`)).write(0, bytes('y'))
    expect(outcomes(disk)).toEqual(['a=x b=x', 'a=x b=y', 'a=y b=x', 'a=y b=y'])
  })

  it('may be zeros where the file got longer, and the file may be of any size between', async () => {
    const { disk, file } = await diskWithFile('a')
    await file.write(1, bytes('bc'))
    expect(outcomes(disk)).toEqual(['f=a', 'f=a0', 'f=a00', 'f=ab', 'f=ab0', 'f=abc'])
  })

  it('is not mixed with what was cut off before it was written', async () => {
    const { disk, file } = await diskWithFile('old')
    await file.truncate(0)
    expect(outcomes(disk)).toEqual(['f=', 'f=old'])
    await file.write(0, bytes('N'))
    expect(outcomes(disk)).toEqual(['f=', 'f=0', 'f=N', 'f=old'])
  })

  it('is not sure to be covered by a sync that was called before it was heard of', async () => {
    const { disk, file } = await diskWithFile('a')
    await Promise.all([file.write(0, bytes('b')), file.sync()])
    expect(outcomes(disk)).toEqual(['f=a', 'f=b'])
    await file.sync()
    expect(outcomes(disk)).toEqual(['f=b'])
  })

  it('is what was written, whatever the caller did with the buffer afterwards', async () => {
    const { disk, file } = await diskWithFile('a')
    const buffer = bytes('b')
    await file.write(0, buffer)
    buffer.fill(0)
    expect(outcomes(disk)).toEqual(['f=a', 'f=b'])
  })

  it('of a file that is open without a name is gone, and in nobody’s way', async () => {
    const { disk, file } = await diskWithFile('a')
    await disk.remove('/d/f')
    await disk.syncFolder('/d')
    await file.writeThrough(0, bytes('b'))
    expect([new TextDecoder().decode(await file.read(0, 1)), ...outcomes(disk)]).toEqual(['b', ''])
  })
})
