import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Part, parse, print, replaced, toggled, without } from './filter-language.ts'

const plain = (text: string) =>
  parse(text).map(({ isNegated, field, value }) => ({ isNegated, field, value }))

const value = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', ' ', '\t', ':', '-', 'a', 'ä', '😀'), maxLength: 8 }),
)
const part: fc.Arbitrary<Part> = fc.record({
  isNegated: fc.boolean(),
  field: fc.option(fc.stringMatching(/^[a-z_]{1,10}$/), { nil: null }),
  value,
})

describe('the language of the filter', () => {
  it('reads what it writes, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expect(plain(print(parts))).toEqual(parts)
      }),
    )
  })

  it('writes what it wrote, letter by letter', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const text = print(parts)
        expect(print(parse(text))).toBe(text)
      }),
    )
  })

  it('means the same after any text was read and written', () => {
    fc.assert(
      fc.property(value, (text) => {
        expect(plain(print(plain(text)))).toEqual(plain(text))
      }),
    )
  })

  it('says where each part is, without holes but blanks', () => {
    fc.assert(
      fc.property(value, (text) => {
        let end = 0
        for (const { from, to } of parse(text)) {
          expect(text.slice(end, from).trim()).toBe('')
          expect(to).toBeGreaterThan(from)
          end = to
        }
        expect(text.slice(end).trim()).toBe('')
      }),
    )
  })

  it.each([
    ['', []],
    ['   ', []],
    ['timeout', [{ isNegated: false, field: null, value: 'timeout' }]],
    ['Kind:job', [{ isNegated: false, field: 'kind', value: 'job' }]],
    ['-level:debug', [{ isNegated: true, field: 'level', value: 'debug' }]],
    ['actor:"night shift"', [{ isNegated: false, field: 'actor', value: 'night shift' }]],
    ['"a \\"b\\" \\\\ \\n"', [{ isNegated: false, field: null, value: 'a "b" \\ \\n' }]],
    ['job:a:b', [{ isNegated: false, field: 'job', value: 'a:b' }]],
    ['"kind:job"', [{ isNegated: false, field: null, value: 'kind:job' }]],
    ['-', [{ isNegated: false, field: null, value: '-' }]],
    [
      '- a',
      [
        { isNegated: false, field: null, value: '-' },
        { isNegated: false, field: null, value: 'a' },
      ],
    ],
    ['kind:', [{ isNegated: false, field: 'kind', value: '' }]],
    [
      '"a"b',
      [
        { isNegated: false, field: null, value: 'a' },
        { isNegated: false, field: null, value: 'b' },
      ],
    ],
  ])('reads %j', (text, parts) => expect(plain(text)).toEqual(parts))

  it('knows quotes that do not end', () => {
    expect(parse('a actor:"night shift')).toMatchObject([
      { isOpen: false },
      { isOpen: true, value: 'night shift', from: 2, to: 20 },
    ])
  })

  it('is changed part by part', () => {
    const error = { isNegated: false, field: 'level', value: 'error' }
    expect(toggled('kind:job', error)).toBe('kind:job level:error')
    expect(toggled('level:error kind:job', error)).toBe('kind:job')
    expect(toggled('-level:error', error)).toBe('-level:error level:error')
    expect(without('a b c', 1)).toBe('a c')
    expect(replaced('from:1h a from:2h', 'from', '15m')).toBe('a from:15m')
    expect(replaced('from:1h a', 'from', null)).toBe('a')
  })
})
