import { describe, expect, it } from 'vitest'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { plainWork } from '../../live/sample-work.ts'
import { IdFilter } from '../blocks/id-filter.ts'
import { HeaderBuilder } from './block-header.ts'
import type { BlockEntry } from './page.ts'
import { keyTextOf, recordLine } from './record-line.ts'
import { changedLine, changedPlace, RUN_FORMATS } from './run-format.ts'
import { sampleDocument, sampleJob, sampleRun } from './sample-records.ts'
import { TableCheck } from './table-check.ts'
import type { TableName } from './tables.ts'
import { WorkCheck } from './work-check.ts'

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

const checkOf = (table: TableName, work = new WorkCheck()) => new TableCheck(table, work)

const problems = (block: BlockEntry, lines: readonly string[], check = checkOf('states')) =>
  check.problems(RUN_FORMATS.records, block, lines)

describe('looking into records', () => {
  it('finds nothing where everything is right', () => {
    const check = checkOf('states')
    expect(problems(entry(DOCUMENTS), LINES, check)).toEqual([])
    expect(check.isListComplete).toBe(false)
    expect(check.problems(RUN_FORMATS.by_changed, entry([], null), LISTED)).toEqual([])
    expect(check.isListComplete).toBe(true)
  })

  it('finds lines that are out of order or twice there', () => {
    expect(problems(entry(DOCUMENTS), [...LINES].reverse())).toHaveLength(2)
    expect(problems(entry(DOCUMENTS), [...LINES, LINES[2] as string])).toEqual([
      expect.stringContaining('order'),
    ])
  })

  it('finds keys that the filter does not know', () => {
    const block = entry(DOCUMENTS, ['"x":1'])
    expect(problems(block, LINES)).toContainEqual(expect.stringContaining('filter'))
  })

  it('finds headers that claim too little', () => {
    const other = sampleDocument({ adapter: 'other' })
    expect(problems(entry(DOCUMENTS), [...LINES.slice(0, 2), line({ ...other, doc_id: 'c' })])).toEqual([
      'the header does not cover its records',
    ])
  })

  it('finds records under the key of another', () => {
    const run = sampleRun({ run_id: 'x' })
    const found = problems(entry([], null), [`"y":${JSON.stringify(run)}`], checkOf('runs'))
    expect(found[0]).toContain('another key')
  })

  it('finds values of the wrong sort', () => {
    const problemsOf = (table: TableName, text: string) => problems(entry([], null), [text], checkOf(table))
    expect(problemsOf('claims', '"k":"owner"')).toEqual([])
    expect(problemsOf('claims', '"k":3')).toHaveLength(1)
    expect(problemsOf('refusals', '"k":3')).toEqual([])
    expect(problemsOf('refusals', '"k":"owner"')).toHaveLength(1)
  })

  it('finds a list that is of other records', () => {
    const check = checkOf('states')
    problems(entry(DOCUMENTS), LINES, check)
    check.problems(RUN_FORMATS.by_changed, entry([], null), [...LISTED.slice(1), '[1,"d","completed"]'])
    expect(check.isListComplete).toBe(false)
  })

  it('tells of the work it comes across', () => {
    const work = new WorkCheck()
    const job = sampleJob({ waits_for: ['x'] })
    problems(
      entry([], null),
      [recordLine('jobs', { tenant_id: job.tenant_id, id: job.job_id }, job)],
      checkOf('jobs', work),
    )
    expect(work.problems(plainWork({}), true)).toHaveLength(1)
    expect(new WorkCheck().problems(plainWork({}), true)).toEqual([])
  })
})
