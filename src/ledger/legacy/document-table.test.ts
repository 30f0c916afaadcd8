import { expect, it } from 'vitest'
import { documentRecord } from '../../../test/fixtures/document-record.ts'
import type { DocumentRecord } from '../../core/document/record.ts'
import { Unsupported } from '../../errors/input-errors.ts'
import { DocumentTable } from './document-table.ts'

function document(doc_id: string, more: Partial<DocumentRecord> = {}): DocumentRecord {
  return documentRecord({ tenant_id: 't', doc_id, updated_at: 1.5, ...more })
}

it('knows what it was told last of each document, of however many', () => {
  const table = new DocumentTable()
  const states = ['fetching', 'completed', 'legacy'] as const
  for (let n = 0; n < 50_000; n++) table.set(document(`pubmed:${n}#1`, { updated_at: n }))
  for (let n = 0; n < 50_000; n += 2) {
    table.set(
      document(`pubmed:${n}#1`, { state: states[n % 3] ?? 'legacy', updated_at: n + 0.5, retry_count: n }),
    )
  }
  expect(table.size).toBe(50_000)
  for (let n = 0; n < 50_000; n++) {
    const expected =
      n % 2 === 0
        ? { state: states[n % 3], updated_at: n + 0.5, retry_count: n }
        : { state: 'fetching', updated_at: n, retry_count: 0 }
    expect(table.get('t', `pubmed:${n}#1`)).toEqual(document(`pubmed:${n}#1`, expected as never))
  }
  expect(table.get('t', 'pubmed:50000#1')).toBeNull()
})

it('refuses more documents than it may hold, and says what to do', () => {
  const table = new DocumentTable(2)
  table.set(document('a'))
  table.set(document('b'))
  table.set(document('a', { state: 'fetched' }))
  expect(() => table.set(document('c'))).toThrow(Unsupported)
  expect(() => table.set(document('c'))).toThrow(/more than 2 documents/)
})
