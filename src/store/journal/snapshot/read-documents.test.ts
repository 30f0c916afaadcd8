import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { DocumentState } from '../../../core/machines/document.ts'
import { readDocuments } from './read-documents.ts'
import { BETWEEN_LINES, linesOf, parseRecordLine, recordLine } from './record-line.ts'
import { sampleDocument } from './sample-records.ts'

/** Mostly plain, or no document would have the shape that is read the fast way. */
const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('a', 'pubmed', 'a somewhat longer word', '') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('with "quotes"', 'back\\slash', ',"etag":"', '},{', 'tab\t', 'end\\'),
  },
  { weight: 1, arbitrary: fc.oneof(fc.constantFrom('ünï', '\ud800'), fc.string({ unit: 'grapheme' })) },
)

const metadata = fc.oneof(
  fc.constant({}),
  fc.dictionary(word, fc.oneof(word, fc.nat(), fc.constant({ etag: '}' })), { maxKeys: 3 }),
  fc.constantFrom({ etag: 'x' }, { a: { etag: '9' } }, JSON.parse('{"__proto__":{"etag":"1"}}')),
) as fc.Arbitrary<JsonObject>

const time = fc.integer({ min: 0, max: 2_000_000_000_000 }).map((ms) => ms / 1000)
const number = fc.oneof(time, fc.double({ noNaN: true, noDefaultInfinity: true }))

const seldom = <V>(usual: V, other: fc.Arbitrary<V>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })

const document: fc.Arbitrary<DocumentRecord> = fc
  .record({
    tenant_id: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('default', 'acme', 'b\tc') },
      { weight: 1, arbitrary: word },
    ),
    doc_id: word,
    state: fc.constantFrom<DocumentState>('completed', 'failed'),
    updated_at: fc.oneof({ weight: 9, arbitrary: time }, { weight: 1, arbitrary: number }),
    adapter: word,
    metadata,
    retry_count: seldom(0, fc.constant(1)),
    max_retries: seldom(3, fc.constant(5)),
    error_type: seldom<string | null>(null, fc.constant('Timeout')),
    error_message: seldom<string | null>(null, word),
    etag: seldom('17', word),
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
      fc.property(fc.array(document, { minLength: 1, maxLength: 6 }), (documents) => {
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
