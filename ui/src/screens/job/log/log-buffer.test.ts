import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LogBuffer } from './log-buffer.ts'

function linesOf(buffer: LogBuffer): string[] {
  return Array.from({ length: buffer.lines }, (_, i) => buffer.line(i))
}

/** As they would be in the whole text. */
function linesIn(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

describe('the lines of a log', () => {
  it('grow at the end, and go on where they were unfinished', () => {
    const buffer = new LogBuffer()
    buffer.append('one\ntw')
    expect(linesOf(buffer)).toEqual(['one', 'tw'])
    buffer.append('o\n\nfour\n')
    expect(linesOf(buffer)).toEqual(['one', 'two', '', 'four'])
  })

  it('grow at the beginning, and tell by how many', () => {
    const buffer = new LogBuffer()
    buffer.append('ree\nfour')
    expect(buffer.prepend('one\ntwo\nth')).toBe(2)
    expect(linesOf(buffer)).toEqual(['one', 'two', 'three', 'four'])
    expect(buffer.prepend('zero\n')).toBe(1)
    expect(buffer.line(0)).toBe('zero')
  })

  it('are none outside of what was read', () => {
    const buffer = new LogBuffer()
    expect(buffer.line(0)).toBe('')
    buffer.append('x')
    expect([buffer.line(-1), buffer.line(1)]).toEqual(['', ''])
    buffer.clear()
    expect(buffer.lines).toBe(0)
  })

  it('are those of the whole text, however it came', () => {
    const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', ''), { maxLength: 30 })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.boolean()), { maxLength: 12 }), (parts) => {
        const buffer = new LogBuffer()
        let whole = ''
        for (const [letters, isLater] of parts) {
          const part = letters.join('')
          const before = buffer.lines
          if (isLater) buffer.append(part)
          else expect(buffer.prepend(part)).toBe(buffer.lines - before)
          whole = isLater ? whole + part : part + whole
          expect(linesOf(buffer)).toEqual(linesIn(whole))
        }
        expect(buffer.texts().join('')).toBe(whole)
      }),
    )
  })

  it('may be a million', () => {
    const buffer = new LogBuffer()
    const piece = Array.from(
      { length: 10_000 },
      (_, i) => `line ${i} of a piece that is about so long\n`,
    ).join('')
    for (let i = 0; i < 100; i++) {
      if (i % 2 === 0) buffer.append(piece)
      else buffer.prepend(piece)
    }
    expect(buffer.lines).toBe(1_000_000)
    expect(buffer.line(123_456)).toContain('line 3456 of')
    buffer.append('and ')
    buffer.append('one more')
    expect(buffer.line(1_000_000)).toBe('and one more')
  })
})
