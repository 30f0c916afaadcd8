// The simulation found places that were held for ever. A job that ended gave its place back, by what was remembered of the
// limit. Another one, decided on right after it in the same group, found the limit full by that memory, so it was
// read again; and what had been given back was forgotten with the old row. The job was over, and its place was still counted.
import { describe, expect, it } from 'vitest'
import { SlotBook, SlotTrial } from './slot-book.ts'

const SLOT = { tenant_id: 't', key: 'in-flight' }
const remembered = { ...SLOT, version: 0, counted: 2, named: [] }

const holding = (holds: readonly string[]) => ({ holdsOf: () => holds })
const nobodysRow = { holdsOf: () => null }

describe('a limit that is read again', () => {
  it('is still left by who left it before', () => {
    const book = new SlotBook()
    book.know(remembered, false)
    const ended = new SlotTrial(book, holding(['in-flight']), 0)
    ended.run([{ ...SLOT, verb: 'release', owner: 'old' }])
    ended.settle()
    book.know({ ...SLOT, version: 0, counted: 0, named: [] }, true)
    book.know({ ...remembered, counted: 3 }, true)
    expect(book.writes(0)).toMatchObject([{ ...SLOT, add: -1 }])

    const next = new SlotTrial(book, holding([]), 0)
    expect(next.run([{ ...SLOT, verb: 'take', owner: 'new', max: 3 }])).toBeUndefined()
    const none = new SlotTrial(book, holding([]), 0)
    expect(none.run([{ ...SLOT, verb: 'take', owner: 'new', max: 2 }])).toMatchObject(SLOT)
  })

  it('keeps the names that were put there, under the version that they were put to', () => {
    const book = new SlotBook()
    book.know(remembered, false)
    const started = new SlotTrial(book, nobodysRow, 0)
    started.run([{ ...SLOT, verb: 'take', owner: 'lease', max: 9, until: 50 }])
    started.settle()
    book.know({ ...remembered, version: 1, named: [['other', 60]] }, true)
    expect(book.writes(0)).toMatchObject([{ ...SLOT, from: 0, named: [['lease', 50]] }])
  })
})
