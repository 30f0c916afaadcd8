import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DocumentRecord } from '../../core/document/record.ts'
import { columnOf, columnsOf, recordFrom } from './record-columns.ts'

const DOCUMENT: DocumentRecord = {
  kind: 'document',
  tenant_id: 't1',
  doc_id: 'doc:1',
  state: 'fetching',
  updated_at: 1_700_000_000.5,
  adapter: 'gutenberg',
  metadata: { pages: 3 },
  retry_count: 0,
  max_retries: 3,
  error_type: null,
  error_message: null,
  etag: 'e1',
}

const back = (record: DocumentRecord) => recordFrom('document', columnsOf(record), record.etag)

describe('columns of a record', () => {
  it('are plain where a tool can show them, and JSON where it could not', () => {
    expect(columnsOf(DOCUMENT)).toEqual({
      tenant_id: 't1',
      doc_id: 'doc:1',
      state: 'fetching',
      updated_at: '1700000000.5',
      adapter: 'gutenberg',
      metadata: '{"pages":3}',
      retry_count: 0,
      max_retries: 3,
      _json: 'updated_at,metadata',
    })
    expect(columnOf('job', 'job_id')).toBe('jobId')
    expect(columnOf('job', 'none')).toBeUndefined()
  })

  it('give the record back, whatever is in its texts and numbers', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('null', '1', '"', '\u0000', '\ud800', ''),
    )
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())
    fc.assert(
      fc.property(text, text, number, fc.jsonValue(), (adapter, error_message, count, value) => {
        const updated_at = Object.is(count, -0) ? 0 : count
        const metadata = JSON.parse(JSON.stringify({ value }))
        const record = { ...DOCUMENT, adapter, error_message, updated_at, metadata }
        expect(back(record)).toEqual(record)
      }),
      { numRuns: 40 },
    )
  })
})
