import { describe, expect, it } from 'vitest'
import { withChecksum } from '../lines/checksum.ts'
import { countLines, holdsLineOfOtherBatch, isBlank, parseBatches } from './parse-batches.ts'

/** A batch of lines that take one seq each. */
function batch(first: number, lines: number): string {
  return Array.from({ length: lines }, (_, index) => {
    const line = { seq: first + index, event: 'closed', timestamp: 1, batch: [first, lines, index] }
    return `${withChecksum(JSON.stringify(line).slice(0, -1))}\n`
  }).join('')
}

const parse = (text: string, nextSeq = 1) => parseBatches(Buffer.from(text), 100, nextSeq)

describe('reading batches', () => {
  it('gives whole batches with their places, blank lines between them left out', () => {
    const text = `${batch(1, 2)}\n\n${batch(3, 1)}\n\n\n`
    const { batches, trouble, end } = parse(text)
    expect(batches.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([
      [1, 2],
      [3, 3],
    ])
    expect(batches[1]).toMatchObject({ at: 100 + batch(1, 2).length + 2, end: 100 + text.length - 3 })
    expect([trouble, end]).toEqual([null, 100 + text.length - 3])
  })

  // Somebody was writing there: a reader that went on after the blank lines took the rest of a line for damage, for ever.
  it('ends before the blank lines that come before something else', () => {
    const text = `${batch(1, 2)}\n\n"half a line"\n${batch(9, 1)}`
    const { end, trouble } = parse(text)
    expect(end).toBe(100 + batch(1, 2).length)
    expect(trouble?.at).toBe(end + 2)
  })

  it('gives nothing for nothing', () => {
    expect(parse('')).toEqual({ batches: [], end: 100, trouble: null })
    expect(parse('\n\n')).toEqual({ batches: [], end: 100, trouble: null })
  })

  it.each([
    ['a line without its end', (text: string) => text.slice(0, -1), 'cut off'],
    [
      'a line with a changed byte',
      (text: string) => text.replace('"timestamp":1', '"timestamp":2'),
      'checksum',
    ],
    [
      'a line that is missing',
      (text: string) => text.slice(batch(1, 2).length / 2),
      'seq 1 should come here',
    ],
    ['half a batch', (text: string) => `${text.slice(0, batch(1, 2).length / 2)}\n`, 'blank'],
    ['a line that is not JSON', () => `${withChecksum('{"seq":1,')}\n`, 'not JSON'],
  ])('stops before a batch with %s', (_, damage, what) => {
    const { batches, end, trouble } = parse(damage(batch(1, 2)))
    expect(batches).toEqual([])
    expect(end).toBe(100)
    expect(trouble?.what).toContain(what)
  })

  it('does not look into a batch that goes on beyond the bytes there are', () => {
    const [first = '', second = ''] = batch(2, 2).split('\n')
    const text = `${batch(1, 1)}${first}\n${second}`
    const at = 100 + batch(1, 1).length
    const { batches, end, trouble } = parseBatches(Buffer.from(text), 100, 1, true)
    expect(batches).toHaveLength(1)
    expect([end, trouble]).toEqual([at, { at, what: 'the batch is cut off' }])
    expect(parse(text).trouble).toEqual({ at: at + first.length + 1, what: 'the line is cut off' })
    expect(parseBatches(Buffer.from(`${text}\n`), 100, 1, true).batches).toHaveLength(2)
  })

  it('stops at a batch that is not the next one', () => {
    const text = batch(1, 1) + batch(3, 1)
    expect(parse(text)).toMatchObject({
      end: 100 + batch(1, 1).length,
      trouble: { at: 100 + batch(1, 1).length, what: 'seq 2 should come here, and seq 3 does' },
    })
  })
})

describe('what comes after the last whole batch', () => {
  it('is a crash as long as it belongs to the batch that comes next', () => {
    const [first = '', second = ''] = batch(5, 2).split('\n')
    expect(holdsLineOfOtherBatch(Buffer.from(`garbage\n${second}\n`), 5)).toBe(false)
    expect(holdsLineOfOtherBatch(Buffer.from(`${first.slice(0, 20)}\n\n${second}`), 5)).toBe(false)
    expect(holdsLineOfOtherBatch(Buffer.from(''), 5)).toBe(false)
  })

  it('is damage when a good line of another batch follows', () => {
    expect(holdsLineOfOtherBatch(Buffer.from(`garbage\n${batch(6, 1)}`), 5)).toBe(true)
    expect(holdsLineOfOtherBatch(Buffer.from(`garbage\n${batch(6, 1).trimEnd()}`), 5)).toBe(true)
  })

  it('is nothing when it is blank', () => {
    expect(isBlank(Buffer.from('\n\n\0\0\n'))).toBe(true)
    expect(isBlank(Buffer.from('\n \n'))).toBe(false)
    expect(countLines(Buffer.from('a\n\nb'))).toBe(2)
  })
})
