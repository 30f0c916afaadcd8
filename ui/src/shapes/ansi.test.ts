import { describe, expect, it } from 'vitest'
import { found, plainText, spansOf } from './ansi.ts'

const E = '\u001b'

describe('spans of a line', () => {
  it('is one span where nothing is coloured', () => {
    expect(spansOf('plain <b>text</b> & more')).toMatchObject([
      { text: 'plain <b>text</b> & more', fg: null, bg: null, isBold: false },
    ])
    expect(spansOf('')).toEqual([])
  })

  it('has the colours by name, bright or not', () => {
    const spans = spansOf(`a ${E}[31mred${E}[0m ${E}[1;92mgreen${E}[0m${E}[43mon yellow${E}[m`)
    expect(spans.map(({ text, fg, bg, isBold }) => [text, fg, bg, isBold])).toEqual([
      ['a ', null, null, false],
      ['red', 'red', null, false],
      [' ', null, null, false],
      ['green', 'green', null, true],
      ['on yellow', null, 'yellow', false],
    ])
  })

  it('takes the nearest of the usual colours for others', () => {
    const colour = (code: string) => spansOf(`${E}[${code}mx`)[0]?.fg
    expect(colour('38;5;196')).toBe('red')
    expect(colour('38;5;46')).toBe('green')
    expect(colour('38;5;21')).toBe('blue')
    expect(colour('38;5;250')).toBe('white')
    expect(colour('38;5;235')).toBe('black')
    expect(colour('38;2;255;200;0')).toBe('yellow')
    expect(colour('38;2;10;200;200')).toBe('cyan')
    expect(colour('38;2;200;10;190')).toBe('magenta')
  })

  it('knows how letters are set', () => {
    expect(spansOf(`${E}[2;3;4;9mx`)).toMatchObject([
      { isDim: true, isItalic: true, isUnderlined: true, isStruck: true },
    ])
  })

  it('leaves out what moves the cursor, links and other controls', () => {
    const line = `${E}[2K${E}[1Gup${E}]8;;http://x.example${E}\\link${E}]8;;${E}\\${E}(B\u0007.`
    expect(spansOf(line).map(({ text }) => text)).toEqual(expect.arrayContaining([expect.any(String)]))
    expect(
      spansOf(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe('uplink.')
    expect(plainText(line)).toBe('uplink.')
  })

  it('shows what was written last over the same line', () => {
    expect(plainText('10 %\r50 %\r100 %\r')).toBe('100 %')
    expect(plainText('dos line\r')).toBe('dos line')
  })
})

describe('what is searched for', () => {
  it('is marked in whatever case, over the borders of colours', () => {
    const spans = found(spansOf(`one ${E}[31mFAI${E}[32mLED${E}[0m two failed`), 'failed')
    expect(spans.map(({ text, fg, isFound }) => [text, fg, isFound])).toEqual([
      ['one ', null, false],
      ['FAI', 'red', true],
      ['LED', 'green', true],
      [' two ', null, false],
      ['failed', null, true],
    ])
  })

  it('leaves a line alone that does not have it', () => {
    const spans = spansOf('nothing here')
    expect(found(spans, 'zzz')).toBe(spans)
    expect(found(spans, '')).toBe(spans)
  })
})
