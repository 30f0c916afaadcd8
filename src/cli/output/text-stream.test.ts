import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { OutputClosed, TextStream } from './text-stream.ts'

function narrowStream() {
  const stream = new PassThrough({ highWaterMark: 4, readableHighWaterMark: 4 })
  return { stream, text: new TextStream(stream as unknown as NodeJS.WriteStream, { color: false }) }
}

it('waits for a slow reader as often as it takes, and leaves nobody listening', async () => {
  const { stream, text } = narrowStream()
  const before = stream.listenerCount('close') + stream.listenerCount('error')
  let read = ''
  for (let n = 0; n < 100; n++) {
    const written = text.line(`line ${n}`)
    read += stream.read()
    await written
  }
  expect(read.split('\n')).toHaveLength(101)
  expect(stream.listenerCount('close') + stream.listenerCount('error')).toBe(before)
  expect(stream.listenerCount('drain')).toBe(0)
})

it('stops waiting when nobody will ever read', async () => {
  const { stream, text } = narrowStream()
  const written = text.line('more than there is room for')
  stream.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }))
  await expect(written).rejects.toThrow(OutputClosed)
})
