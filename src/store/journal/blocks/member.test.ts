import { crc32, gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { deflateMember, inflateMember, storedMember } from './member.ts'

const inflated = (bytes: Uint8Array) => inflateMember(bytes, 'file', 7).toString('utf8')

describe('members', () => {
  it('come back as they were, alone and in a row', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 }), (texts) => {
        const members = texts.map((text) => deflateMember(text))
        expect(members.map(inflated)).toEqual(texts)
        if (texts.length > 0) expect(gunzipSync(Buffer.concat(members)).toString()).toBe(texts.join(''))
      }),
    )
  })

  it('do not say which system wrote them: equal texts are equal bytes everywhere', () => {
    expect(deflateMember('text')[9]).toBe(255)
    expect(storedMember('text')[9]).toBe(255)
  })

  it('can be stored, so that the size tells nothing but the length of the text', () => {
    for (const text of ['', 'a', 'ä'.repeat(1000), 'x'.repeat(65_535)]) {
      const member = storedMember(text)
      expect(gunzipSync(member).toString()).toBe(text)
      expect(member.length).toBe(Buffer.byteLength(text) + 23)
    }
    expect(() => storedMember('x'.repeat(65_536))).toThrow(RangeError)
  })

  it('notice every change of a bit that matters, and say where', () => {
    const member = deflateMember('the quick brown fox jumps over the lazy dog')
    for (let bit = 0; bit < member.length * 8; bit++) {
      const changed = Uint8Array.from(member)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      try {
        expect(inflated(changed)).toBe('the quick brown fox jumps over the lazy dog')
      } catch (error) {
        expect(error).toBeInstanceOf(LedgerDamaged)
        expect((error as LedgerDamaged).place).toEqual({ file: 'file', byte: 7 })
      }
    }
  })

  it('notice that something is missing', () => {
    const member = deflateMember('the quick brown fox')
    for (let length = 0; length < member.length; length++) {
      expect(() => inflated(member.subarray(0, length))).toThrow(LedgerDamaged)
    }
  })

  it('do not believe a size that no member can have', () => {
    const member = Buffer.from(deflateMember('text'))
    member.writeUInt32LE(0xffff_ffff, member.length - 4)
    expect(() => inflated(member)).toThrow(LedgerDamaged)
  })

  it('are checked although they are stored', () => {
    const member = Buffer.from(storedMember('text'))
    member.writeUInt32LE(crc32('other'), member.length - 8)
    expect(() => inflated(member)).toThrow(LedgerDamaged)
  })
})
