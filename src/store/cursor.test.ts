import { describe, expect, it } from 'vitest'
import { BadCursor } from '../errors/input-errors.ts'
import { cursorOf, placeOf, seqOf } from './cursor.ts'

describe('cursor of the log', () => {
  it('is the number of a place', () => {
    expect(seqOf('0')).toBe(0)
    expect(seqOf('123456789012345')).toBe(123_456_789_012_345)
  })

  it.each(['', 'x', '-1', '1.5', '1e3', ' 1', '1234567890123456'])('refuses %j', (cursor) => {
    expect(() => seqOf(cursor)).toThrow(BadCursor)
  })
})

describe('cursor of a sorted list', () => {
  const place = { order: 'job id 1', at: 12.5, tenant_id: 'ä"\n', id: '漢/🚚' }

  it('gives back the place it was made of', () => {
    expect(placeOf(cursorOf(place), place.order)).toEqual(place)
  })

  it('can stand in a URL as it is', () => {
    const cursor = cursorOf(place)
    expect(encodeURIComponent(cursor)).toBe(cursor)
  })

  it('is good for its own order only', () => {
    expect(() => placeOf(cursorOf(place), 'job id -1')).toThrow(BadCursor)
  })

  it.each([
    ['', 'nothing'],
    ['%%%', 'no base64'],
    [encode('no JSON'), 'no JSON'],
    [encode('{}'), 'no list'],
    [encode('["job id 1",1,"t"]'), 'too short'],
    [encode('["job id 1","1","t","i"]'), 'a time that is no number'],
    [encode('["job id 1",1,2,"i"]'), 'a tenant that is no text'],
    [encode('["job id 1",1,"t",null]'), 'no id'],
  ])('refuses %j: %s', (cursor) => {
    expect(() => placeOf(cursor, 'job id 1')).toThrow(BadCursor)
  })
})

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
