import { describe, expect, it } from 'vitest'
import { BadMessage, BodyTooLarge } from '../errors/message-errors.ts'
import { parseJson } from './parse-json.ts'
import { readBody, readStart } from './read-body.ts'

const URL = 'http://127.0.0.1/'

/** Gives `count` chunks of ten bytes, and counts how many were asked for. */
function chunks(count: number) {
  const asked = { chunks: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (asked.chunks++ === count) controller.close()
        else controller.enqueue(Buffer.from('0123456789'))
      },
    },
    { highWaterMark: 0 },
  )
  return { asked, body }
}

describe('a body', () => {
  it('is read whole, up to the last byte that it may have', async () => {
    const request = new Request(URL, { method: 'POST', body: chunks(10).body, duplex: 'half' })
    expect((await readBody(request, 100)).length).toBe(100)
    expect(await readBody(new Request(URL), 0)).toHaveLength(0)
  })

  it('that is too large is not read to its end', async () => {
    const { asked, body } = chunks(1_000_000)
    const request = new Request(URL, { method: 'POST', body, duplex: 'half' })
    await expect(readBody(request, 25)).rejects.toThrow(BodyTooLarge)
    expect(asked.chunks).toBe(3)
  })

  it('that says that it is too large is not read at all', async () => {
    const { asked, body } = chunks(10)
    const headers = { 'content-length': '1000' }
    await expect(readBody({ headers: new Headers(headers), body }, 25)).rejects.toThrow(BodyTooLarge)
    expect(asked.chunks).toBe(0)
  })

  it('that breaks off is no body', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error('reset')),
    })
    const reading = readBody({ headers: new Headers(), body }, 25)
    await expect(reading).rejects.toThrow(BadMessage)
    await expect(reading).rejects.toThrow('broke off: reset')
  })

  it('can be looked at without fetching the rest', async () => {
    const { asked, body } = chunks(1_000_000)
    expect(await readStart({ headers: new Headers(), body }, 15)).toBe('012345678901234')
    expect(asked.chunks).toBe(2)
  })
})

describe('JSON from outside', () => {
  it('has to be UTF-8, and JSON', () => {
    expect(parseJson(Buffer.from('{"a":"ö"}'))).toEqual({ a: 'ö' })
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(BadMessage)
    expect(() => parseJson(Buffer.from(''))).toThrow('not JSON')
  })

  it('has only so many levels, however it is written', () => {
    const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))
    expect(() => parseJson(nested(101))).not.toThrow()
    expect(() => parseJson(nested(102))).toThrow('deeper than 100 levels')
    expect(() => parseJson(nested(200_000))).toThrow(BadMessage)
    expect(() => parseJson(Buffer.from(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`))).toThrow('deeper')
  })
})
