import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entry } from './history-fixture.ts'
import { escaped, markdownOf } from './history-markdown.ts'

describe('history as Markdown', () => {
  it('is a table', () => {
    const told = { error_type: 'Timeout', error_message: 'a | b\nc', reason: null, level: 'error' as const }
    expect(markdownOf([entry(1, told), entry(2, { old_state: null })])).toBe(`\
| Time | Level | Tenant | Kind | Id | Event | From | To | Actor | Adapter or tool | Error or reason |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 2026-11-06T21:20:01.000Z | error | acme | job | job-1 | moved | QUEUED | IN_PROGRESS | worker-1 | ocr | Timeout: a \\| b c |
| 2026-11-06T21:20:02.000Z | info | acme | job | job-2 | moved |  | IN_PROGRESS | worker-1 | ocr |  |
`)
  })

  it('has every text in one cell of one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('|', '\\', '\n', '\r', 'a', '`', ' ') }), (text) => {
        const cell = escaped(text)
        expect(cell).not.toMatch(/[\r\n]/)
        expect(cell.replace(/\\[\\`|]/g, '')).not.toMatch(/[|\\`]/)
      }),
    )
  })

  it('has nothing in it that means something', () => {
    expect(escaped('[a](b) <img> **b** _c_ FAILED_FINAL `d`')).toBe(
      '\\[a\\](b) \\<img\\> \\*\\*b\\*\\* \\_c\\_ FAILED_FINAL \\`d\\`',
    )
  })
})
