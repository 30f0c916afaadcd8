import * as fc from 'fast-check'

/** Logs with everything that old logs have in them. */

const ids = fc.constantFrom('pubmed:1#1:0a', 'pubmed:2#1:0b', 'arxiv:é', '文', 'x'.repeat(512))

const states = fc.constantFrom(
  'pending',
  'fetching',
  'fetched',
  'retrying',
  'failed',
  'completed',
  'legacy',
  'AUTO_DONE',
  'auto_inflight',
  'auto_failed',
  'mineru_inflight',
  'pdf_downloaded',
  'ir_written',
  'strange',
)

const timestamps = fc.oneof(
  fc.integer({ min: 1_700_000_000, max: 1_700_000_999 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_999_000 }),
  fc.integer({ min: 0, max: 999 }).map((n) => new Date(1.7e12 + n * 1000).toISOString()),
  fc.integer({ min: 0, max: 999 }).map((n) => new Date(1.7e12 + n * 1000).toISOString().replace('.000Z', '')),
  fc.constantFrom(null, 'soon', -5, '1700000000.5', 9e9),
)

const metadata = fc.oneof(
  fc.dictionary(
    fc.constantFrom('source', 'url', 'tries', 'error', 'legacy_state'),
    fc.jsonValue({ maxDepth: 1 }),
    {
      maxKeys: 3,
    },
  ),
  fc.constantFrom(null, ['a'], 'text', { source: 'pubmed' }),
)

const old = fc
  .record(
    {
      doc_id: ids,
      state: states,
      timestamp: timestamps,
      metadata,
      adapter: fc.constantFrom('a', 7),
      error: fc.constantFrom('boom', 'password=hunter2', { code: 5 }),
      worker: fc.nat(),
    },
    { requiredKeys: ['doc_id', 'state'] },
  )
  .map((line) => JSON.stringify(line))

const records = fc
  .record({
    doc_id: ids,
    old_state: fc.constantFrom('pending', 'fetching', 'completed', 'auto_done', null),
    new_state: states,
    timestamp: timestamps,
    adapter: fc.constantFrom('pubmed', '', null),
    error_type: fc.constantFrom('HTTPError', null),
    error_message: fc.constantFrom('503', null),
    traceback: fc.constantFrom('at fetch', null),
    retry_count: fc.constantFrom(0, 4, -1),
    max_retries: fc.constantFrom(3, 9),
    duration_seconds: fc.constantFrom(null, 2.5),
    metadata: fc.oneof(metadata, fc.constant({ validated: false })),
  })
  .map((line) => JSON.stringify(line))

const junk = fc.constantFrom(
  'junk',
  '{',
  '12',
  '[]',
  '{"state":"fetching"}',
  '{"doc_id":"d"}',
  '{"doc_id":5,"state":"fetching"}',
  '{"doc_id":"d","state":"failed","metadata":{"__proto__":1}}',
)

const lines = fc.oneof(
  { weight: 6, arbitrary: old.map((text) => Buffer.from(text)) },
  { weight: 3, arbitrary: records.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: junk.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom('', '  ').map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constant(Buffer.from([0x7b, 0xff, 0x7d])) },
)

const FIRST = Buffer.from('{"doc_id":"first","state":"fetching","timestamp":1700000000}\n')

export interface ArbitraryLog {
  readonly bytes: Buffer
  readonly lines: number
}

/** Its first line has a time, so that what the others have does not depend on what comes after them. */
export const arbitraryLog: fc.Arbitrary<ArbitraryLog> = fc
  .record({
    lines: fc.array(fc.tuple(lines, fc.constantFrom('\n', '\r\n')), { maxLength: 30 }),
    hasMark: fc.boolean(),
    tail: fc.constantFrom('', '{"doc_id":"torn","st', '{"doc_id":"whole","state":"fetching"}'),
  })
  .map(({ lines: drawn, hasMark, tail }) => ({
    bytes: Buffer.concat([
      Buffer.from(hasMark ? '\ufeff' : ''),
      FIRST,
      ...drawn.flatMap(([line, ending]) => [line, Buffer.from(ending)]),
      Buffer.from(tail),
    ]),
    lines: 1 + drawn.length + (tail === '' ? 0 : 1),
  }))
