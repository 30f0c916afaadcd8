import { expect, it } from 'vitest'
import type { RecordOf } from './aggregate.ts'
import type { AuditRecord } from './audit.ts'
import { containing, type SearchedKind, TEXTS_OF, textsOfAudit } from './contained-text.ts'

it('finds a part of a text, in capitals or not', () => {
  const contains = containing('Scan')
  expect(contains(['a', null, 'MY-SCANS'])).toBe(true)
  expect(contains([null, 'sca', 'n'])).toBe(false)
  expect(contains([])).toBe(false)
  // What means something elsewhere means nothing here.
  expect(containing('.*')(['abc'])).toBe(false)
  expect(containing('.*')(['a.*'])).toBe(true)
})

const RECORDS: { readonly [K in SearchedKind]: Partial<RecordOf[K]> } = {
  job: {
    job_id: 'a',
    doc_id: 'b',
    request_type: 'c',
    protocol_id: 'd',
    pipeline_name: 'e',
    correlation_id: 'f',
    tags: ['g', 'h'],
  },
  document: { doc_id: 'a', adapter: 'b', error_type: 'c', error_message: 'd' },
  run: { run_id: 'a' },
  workstream: { workstream_id: 'a', run_id: 'b' },
}

it.each(Object.keys(RECORDS) as SearchedKind[])('knows what a %s is found by', (kind) => {
  const record = RECORDS[kind]
  expect(TEXTS_OF[kind](record as never)).toEqual(Object.values(record).flat())
})

it('knows what a part of the history is found by', () => {
  const record = {
    id: 'a',
    job_id: 'b',
    doc_id: null,
    actor: 'd',
    adapter: 'e',
    error_type: 'f',
    error_message: 'g',
    reason: 'h',
  }
  expect(textsOfAudit(record as AuditRecord)).toEqual(Object.values(record))
})
