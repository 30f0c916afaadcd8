import { describe, expect, it } from 'vitest'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { IdFilter } from '../blocks/id-filter.ts'
import { HeaderBuilder } from './block-header.ts'
import type { BlockEntry } from './page.ts'
import { keyTextOf, recordLine } from './record-line.ts'
import { changedLine, changedPlace, RUN_FORMATS } from './run-format.ts'
import { sampleDocument, sampleRun } from './sample-records.ts'
import { TableCheck } from './table-check.ts'

const DOCUMENTS = ['a', 'b', 'c'].map((doc_id) => sampleDocument({ doc_id }))
const line = (one: DocumentRecord) => recordLine('states', { tenant_id: one.tenant_id, id: one.doc_id }, one)
const LINES = DOCUMENTS.map(line)
const LISTED = DOCUMENTS.map((one) => changedLine(changedPlace(one, one.tenant_id, one.doc_id), one))

function entry(documents: readonly DocumentRecord[], lines: readonly string[] | null = LINES): BlockEntry {
  const header = new HeaderBuilder()
  for (const one of documents) header.add(one)
  const place = { at: 0, tenant_id: 'default', id: '' }
  const filter = lines === null ? null : IdFilter.of(lines.map(keyTextOf))
  return { at: 0, bytes: 0, first: place, last: place, records: 3, header: header.build(), filter }
}

const settled = (block: BlockEntry, lines: readonly string[], check = new TableCheck('states')) =>
  check.problems(RUN_FORMATS.settled, block, lines)

describe('looking into records', () => {
  it('finds nothing where everything is right', () => {
    const check = new TableCheck('states')
    expect(settled(entry(DOCUMENTS), LINES, check)).toEqual([])
    expect(check.isListComplete).toBe(false)
    expect(check.problems(RUN_FORMATS.by_changed, entry([], null), LISTED)).toEqual([])
    expect(check.isListComplete).toBe(true)
  })

  it('finds lines that are out of order or twice there', () => {
    expect(settled(entry(DOCUMENTS), [...LINES].reverse())).toHaveLength(2)
    expect(settled(entry(DOCUMENTS), [...LINES, LINES[2] as string])).toEqual([
      expect.stringContaining('order'),
    ])
  })

  it('finds keys that the filter does not know', () => {
    const block = entry(DOCUMENTS, ['"x":1'])
    expect(settled(block, LINES)).toContainEqual(expect.stringContaining('filter'))
  })

  it('finds headers that claim too little', () => {
    const other = sampleDocument({ adapter: 'other' })
    expect(settled(entry(DOCUMENTS), [...LINES.slice(0, 2), line({ ...other, doc_id: 'c' })])).toEqual([
      'the header does not cover its records',
    ])
  })

  it('finds records under the key of another', () => {
    const run = sampleRun({ run_id: 'x' })
    const found = new TableCheck('runs').problems(RUN_FORMATS.open, entry([], null), [
      `"y":${JSON.stringify(run)}`,
    ])
    expect(found[0]).toContain('another key')
  })

  it('finds values of the wrong sort', () => {
    const problems = (table: 'claims' | 'refusals', text: string) =>
      new TableCheck(table).problems(RUN_FORMATS.open, entry([], null), [text])
    expect(problems('claims', '"k":"owner"')).toEqual([])
    expect(problems('claims', '"k":3')).toHaveLength(1)
    expect(problems('refusals', '"k":3')).toEqual([])
    expect(problems('refusals', '"k":"owner"')).toHaveLength(1)
  })

  it('finds a list that is of other records', () => {
    const check = new TableCheck('states')
    settled(entry(DOCUMENTS), LINES, check)
    check.problems(RUN_FORMATS.by_changed, entry([], null), [...LISTED.slice(1), '[1,"d","completed"]'])
    expect(check.isListComplete).toBe(false)
  })
})
