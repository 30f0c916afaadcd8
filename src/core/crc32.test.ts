import { crc32 as crc32OfNode } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { crc32 } from './crc32.ts'

it('is what Node says, of any text', () => {
  for (const text of ['', 'default', 'acme', 'Grüße', '中文', '😀', '\ud800']) {
    expect([text, crc32(text)]).toEqual([text, crc32OfNode(text)])
  }
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => crc32(text) === crc32OfNode(text)))
  fc.assert(fc.property(fc.string(), (text) => crc32(text) === crc32OfNode(text)))
})
