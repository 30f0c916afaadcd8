import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { complete, completed, seenIn } from './filter-completion.ts'
import { filterOf } from './filter-meaning.ts'
import { entry } from './history-fixture.ts'

const WORDS = {
  level: ['error', 'warn', 'info', 'debug'],
  kind: ['job', 'step'],
  actor: ['ann', 'hannah', 'night shift'],
}
const titles = (text: string, caret = text.length) =>
  complete(text, caret, WORDS).items.map(({ title }) => title)

describe('what may come next in the filter', () => {
  it('is a field first', () => {
    expect(titles('')).toHaveLength(15)
    expect(titles('kind:job ')).toHaveLength(15)
    expect(titles('e')).toEqual(['event:', 'error_type:'])
    expect(titles('-le')).toEqual(['-level:'])
    expect(titles('-')).toContain('-kind:')
    expect(titles('zzz')).toEqual([])
  })

  it('is then one of its values, those that begin with what was typed first', () => {
    expect(titles('level:')).toEqual(['error', 'warn', 'info', 'debug'])
    expect(titles('actor:ann')).toEqual(['ann', 'hannah'])
    expect(titles('actor:"nig')).toEqual(['night shift'])
    expect(titles('from:1')).toEqual(['15m', '1h'])
    expect(titles('doc:')).toEqual([])
    expect(titles('foo:')).toEqual([])
  })

  it('is offered by itself only where one of them has to be meant', () => {
    const isSure = (text: string) => complete(text, text.length, WORDS).isSure
    expect(['', 'le', 'level:e', 'actor:a', 'a '].map(isSure)).toEqual([false, true, true, false, false])
  })

  it('is about the part that the caret is in', () => {
    expect(titles('le kind:job', 2)).toEqual(['level:'])
    const found = complete('level:er kind:job', 8, WORDS)
    const [item] = found.items
    expect(item && completed('level:er kind:job', found, item)).toEqual({
      text: 'level:error kind:job',
      caret: 12,
    })
  })

  it('is written so that it is read as it was meant', () => {
    const found = complete('-actor:ni', 9, WORDS)
    const [item] = found.items
    expect(item && completed('-actor:ni', found, item)).toEqual({ text: '-actor:"night shift" ', caret: 21 })
  })

  it('never makes a filter wrong by a value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const found = complete('actor:', 6, { actor: [value] })
        const [item] = found.items
        if (item === undefined || value === '') return
        const { terms, wrong } = filterOf(completed('actor:', found, item).text, {})
        expect([terms, wrong]).toEqual([[{ isNegated: false, field: 'actor', value }], []])
      }),
    )
  })

  it('is what was seen, the latest first, and what is known', () => {
    const seen = seenIn([entry(1, { actor: 'a' }), entry(2, { actor: 'b' }), entry(3, { actor: 'a' })], WORDS)
    expect([seen.adapter, seen.job, seen.level]).toEqual([['ocr'], ['job-3', 'job-2', 'job-1'], WORDS.level])
    expect(seenIn([entry(1, { actor: 'a' })], {}).actor).toEqual(['a'])
  })
})
