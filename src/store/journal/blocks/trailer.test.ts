import { describe, expect, it } from 'vitest'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { decodeTrailer, encodeTrailer, trailerBytes } from './trailer.ts'

const DRESS = { before: ',\n"trailer":', after: '}\n' }
const TRAILER = { index: { at: 12_345, bytes: 678 }, sha256: 'ab'.repeat(32) }

const decoded = (bytes: Uint8Array) => decodeTrailer(bytes, DRESS, 'file', 99)

describe('the trailer', () => {
  it('comes back as it was and has always the same size', () => {
    const bytes = encodeTrailer(TRAILER, DRESS)
    expect(decoded(bytes)).toEqual(TRAILER)
    expect(bytes.length).toBe(trailerBytes(DRESS))
    expect(encodeTrailer({ ...TRAILER, index: { at: 1e14, bytes: 1 } }, DRESS).length).toBe(bytes.length)
  })

  it('notices every byte that changed, since no other checksum covers it', () => {
    const bytes = encodeTrailer(TRAILER, DRESS)
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [1, 0x20, 0x80]) {
        const changed = Uint8Array.from(bytes)
        changed[at] = (changed[at] as number) ^ flip
        expect(() => decoded(changed), `byte ${at}`).toThrow(LedgerDamaged)
      }
    }
  })

  it('is not taken for one in other dress', () => {
    expect(() => decoded(encodeTrailer(TRAILER, { before: '', after: '\n' }))).toThrow('not one')
  })
})
