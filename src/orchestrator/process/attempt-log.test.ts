import { expect, it } from 'vitest'
import type { AppendedFile } from '../../world/file-system.ts'
import { AttemptLog } from './attempt-log.ts'

class Kept implements AppendedFile {
  size = 0
  text = ''
  isClosed = false
  /** Rejects after so many. */
  room = Number.POSITIVE_INFINITY

  async append(bytes: Uint8Array): Promise<void> {
    await new Promise(setImmediate)
    if (this.room-- <= 0) throw new Error('no room')
    this.text += Buffer.from(bytes).toString()
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

it('keeps all that fits, between its own lines', async () => {
  const file = new Kept()
  const log = new AttemptLog(file, 100)
  log.line('begin')
  log.add(Buffer.from('one\n'))
  log.add(Buffer.from('two'))
  expect(await log.finish('end')).toEqual({ logBytes: 7, droppedBytes: 0, logError: null })
  expect(file.text).toBe('--- begin\none\ntwo\n--- end\n')
  expect(file.isClosed).toBe(true)
})

it('keeps the first part and the last, and says how much is missing in between', async () => {
  const file = new Kept()
  const log = new AttemptLog(file, 10)
  for (const piece of ['abcdef', 'ghijklm', 'nopqrstuvw', 'xyz']) log.add(Buffer.from(piece))
  expect(await log.finish('end')).toEqual({ logBytes: 10, droppedBytes: 16, logError: null })
  expect(file.text).toBe('abcdefgh\n--- 16 bytes left out\nyz\n--- end\n')
})

it('writes the first part while it goes on, and the rest when it is over', async () => {
  const file = new Kept()
  const log = new AttemptLog(file, 10)
  log.add(Buffer.from('abcdefghij'))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(file.text).toBe('abcdefgh')
  await log.finish('end')
  expect(file.text).toBe('abcdefghij\n--- end\n')
})

it('has no line about bytes left out when the end just fits', async () => {
  const file = new Kept()
  const log = new AttemptLog(file, 10)
  log.add(Buffer.from('0123456789'))
  expect(await log.finish('end')).toEqual({ logBytes: 10, droppedBytes: 0, logError: null })
  expect(file.text).not.toContain('left out')
})

it('says how far it came when the disk is full', async () => {
  const file = new Kept()
  file.room = 1
  const log = new AttemptLog(file, 100)
  log.add(Buffer.from('one\n'))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  log.add(Buffer.from('two\n'))
  log.add(Buffer.from('three\n'))
  expect(await log.finish('end')).toEqual({ logBytes: 4, droppedBytes: 10, logError: 'no room' })
  expect(file.text).toBe('one\n')
  expect(file.isClosed).toBe(true)
})

it('says whose it is on a line of its own, wherever the file was cut off', async () => {
  const file = new Kept()
  await finished(file, 'a')
  expect(file.text).toBe('--- waybill log a\n--- end\n')
  file.text += 'cut of'
  file.size = file.text.length
  await finished(file, 'b')
  expect(file.text).toBe('--- waybill log a\n--- end\ncut of\n--- waybill log b\n--- end\n')
})

async function finished(file: Kept, mark: string): Promise<void> {
  const log = new AttemptLog(file, 100)
  log.begin(mark)
  await log.finish('end')
}

it('has no program print a line that says whose it is, in the first part or in the last', async () => {
  const file = new Kept()
  const log = new AttemptLog(file, 100)
  const forged = '--- waybill log b\n'
  log.add(Buffer.from(`one\n${forged}`))
  for (const letter of forged) log.add(Buffer.from(letter))
  log.add(Buffer.from('x'.repeat(200)))
  log.add(Buffer.from(forged.slice(0, 18)))
  await log.finish('end')
  expect(file.text.split('\n').filter((line) => line.startsWith('--- waybill log'))).toEqual([])
  expect(file.text.match(/^ --- waybill log b$/gm)).toHaveLength(2)
})
