import { closeSync, mkdtempSync, openSync, read, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Descriptor } from './descriptor.ts'

const temporary = mkdtempSync(join(tmpdir(), 'waybill-descriptor-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

function fileOf(name: string): string {
  const path = join(temporary, name)
  writeFileSync(path, name)
  return path
}

// The system gives the number of a file that was closed to the next one that is opened. Whoever still had it read, or wrote, another
// file than they meant, and nothing said so.
it('is not closed while something is under way, so that its number is nobody else’s', async () => {
  const file = new Descriptor(openSync(fileOf('first'), 'r'))
  const bytes = Buffer.alloc(5)
  let begin = () => {}
  const reading = file.during<number>((fd, callback) => {
    begin = () => read(fd, bytes, 0, 5, 0, callback)
  })
  const closing = file.close()
  const other = openSync(fileOf('other'), 'r')
  begin()
  expect([await reading, bytes.toString()]).toEqual([5, 'first'])
  await closing
  closeSync(other)
})

it('is given to nobody when it is closed, and closed once', async () => {
  const file = new Descriptor(openSync(fileOf('closed'), 'r'))
  await Promise.all([file.close(), file.close()])
  await file.close()
  expect(() => file.now).toThrow('closed')
  await expect(file.during(() => {})).rejects.toThrow('closed')
})
