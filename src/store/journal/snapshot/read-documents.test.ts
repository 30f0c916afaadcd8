import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { DocumentState } from '../../../core/machines/document.ts'
import { readDocuments } from './read-documents.ts'
import { BETWEEN_LINES, linesOf, parseRecordLine, recordLine } from './record-line.ts'
import { sampleDocument } from './sample-records.ts'

const word = fc.oneof(
  fc.constantFrom(
    'a',
    'pubmed',
    'with "quotes"',
    'back\\slash',
    ',"etag":"',
    '},{',
    'tab\t',
    'ünï',
    '\ud800',
    '',
  ),
  fc.string({ unit: 'grapheme' }),
)

const metadata = fc.oneof(
  fc.constant({}),
  fc.dictionary(word, fc.jsonValue(), { maxKeys: 3 }),
  fc.constantFrom({ etag: 'x' }, { a: { etag: '9' } }, JSON.parse('{"__proto__":{"etag":"1"}}')),
) as fc.Arbitrary<JsonObject>

const number = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000_000_000 }).map((ms) => ms / 1000),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const document: fc.Arbitrary<DocumentRecord> = fc
  .record({
    tenant_id: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('default', 'acme', 'b\tc') },
      { weight: 1, arbitrary: word },
    ),
    doc_id: word,
    state: fc.constantFrom<DocumentState>('completed', 'failed'),
    updated_at: number,
    adapter: word,
    metadata,
    retry_count: fc.constantFrom(0, 0, 0, 1),
    max_retries: fc.constantFrom(3, 3, 3, 5),
    error_type: fc.constantFrom(null, null, null, 'Timeout'),
    error_message: fc.option(word),
    etag: fc.oneof(fc.nat().map(String), word),
  })
  .map(sampleDocument)

function blockOf(documents: readonly DocumentRecord[]): Buffer {
  return Buffer.from(
    documents
      .map((one) => recordLine('states', { tenant_id: one.tenant_id, id: one.doc_id }, one))
      .join(BETWEEN_LINES),
  )
}

/** What JSON makes of a record: minus nought becomes nought. */
const asJson = (record: DocumentRecord): Json => JSON.parse(JSON.stringify(record))

describe('readDocuments', () => {
  it('reads whatever was written, as JSON would', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 8 }), (documents) => {
        const block = blockOf(documents)
        const found = readDocuments(block)
        expect(found).toEqual(linesOf(block.toString('utf8')).map((line) => parseRecordLine('states', line)))
        expect(found.map(({ value }) => value)).toEqual(documents.map(asJson))
        for (const { tenant_id, id, value } of found) {
          expect([value.tenant_id, value.doc_id]).toEqual([tenant_id, id])
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('reads numbers exactly', () => {
    fc.assert(
      fc.property(number, (updated_at) => {
        const [found] = readDocuments(blockOf([sampleDocument({ updated_at })]))
        expect(found?.value.updated_at).toBe(JSON.parse(JSON.stringify(updated_at)))
      }),
      { numRuns: 5000 },
    )
  })

  it('goes on with the same tenant, and back', () => {
    const tenants = ['acme', 'acme', 'default', 'x\\y', 'x\\y', 'default', 'default']
    const documents = tenants.map((tenant_id, i) =>
      sampleDocument({ tenant_id, doc_id: `doc ${i} of many`, etag: `${i}` }),
    )
    expect(readDocuments(blockOf(documents)).map(({ value }) => value)).toEqual(documents)
  })
})
