import { describe, expect, it } from 'vitest'
import { ALIASES } from '../../../test/fixtures/state-aliases.ts'
import type { JsonObject } from '../json.ts'
import { type LineReading, readLegacyLine } from './legacy-line.ts'

const ISO = '2025-10-03T12:00:00.5+00:00'
const AT = Date.UTC(2025, 9, 3, 12) / 1000 + 0.5

/** A line that tells of a transition. */
function read(line: unknown): Exclude<LineReading, { problem: string }> {
  const reading = readLegacyLine(line, JSON.stringify(line))
  if ('problem' in reading) throw new Error(reading.problem)
  return reading
}

function old(more: JsonObject = {}): JsonObject {
  return { doc_id: 'd', state: 'fetching', timestamp: ISO, metadata: { source: 'pubmed' }, ...more }
}

function record(more: JsonObject = {}): JsonObject {
  return {
    doc_id: 'd',
    old_state: 'pending',
    new_state: 'fetching',
    timestamp: AT,
    adapter: 'pubmed',
    error_type: null,
    error_message: null,
    traceback: null,
    retry_count: 0,
    max_retries: 3,
    duration_seconds: null,
    metadata: {},
    ...more,
  }
}

const NAMES: readonly (readonly [name: string, state: string])[] = [
  ...ALIASES,
  ['completed', 'completed'],
  ['PENDING', 'pending'],
  [' Auto_Done ', 'completed'],
  ['legacy', 'legacy'],
  ['LEGACY', 'legacy'],
  ['who_knows', 'legacy'],
]

const TIMES: readonly (readonly [timestamp: string | number | null | undefined, at: number | null])[] = [
  [ISO, AT],
  ['2025-10-03T12:00:00.5', AT],
  ['2025-10-03T14:00:00.500000+02:00', AT],
  [AT, AT],
  [AT * 1000, AT],
  [String(AT), AT],
  [undefined, null],
  [null, null],
  ['yesterday', null],
  [-1, null],
]

describe('A40: a line of the old log', () => {
  const cases = NAMES.flatMap(([name, state]) => TIMES.map(([time, at]) => [name, time, state, at] as const))

  it.each(cases)('%j at %j is %s at %j', (name, timestamp, state, at) => {
    const line = old({ state: name })
    if (timestamp === undefined) delete (line as { timestamp?: unknown }).timestamp
    else (line as { timestamp: unknown }).timestamp = timestamp
    const { read: past, findings, form } = read(line)
    expect(form).toBe('old')
    expect(past).toMatchObject({ doc_id: 'd', state, at, adapter: 'pubmed', old_state: null })
    const kinds = findings.map(({ kind }) => kind)
    expect(kinds.includes('unknown_state')).toBe(name === 'who_knows')
    expect(kinds.includes('bad_timestamp')).toBe(at === null)
    // Nothing that the line said is lost.
    expect(past.marks?.legacy_state).toBe(name === state ? undefined : name)
    expect(past.marks?.original_timestamp).toBe(at === null && timestamp != null ? timestamp : undefined)
  })

  it('is read field by field', () => {
    const error = { error_type: 'HTTPError', error_message: '503', traceback: 'at fetch' }
    const line = old({ ...error, adapter: 'arxiv', retry_count: 2, max_retries: 5, duration_seconds: 1.5 })
    expect(read(line)).toEqual({
      form: 'old',
      findings: [],
      read: {
        doc_id: 'd',
        state: 'fetching',
        old_state: null,
        at: AT,
        adapter: 'arxiv',
        ...error,
        retry_count: 2,
        max_retries: 5,
        duration_seconds: 1.5,
        metadata: { source: 'pubmed' },
        marks: null,
        brings: { source: 'pubmed' },
      },
    })
  })

  it.each([
    [{ metadata: { adapter: 'a', source: 's' } }, 'a'],
    [{ metadata: { adapter: 5, source: 's' } }, 's'],
    [{ metadata: { source: 5 } }, ''],
    [{ adapter: 'x'.repeat(10_001), metadata: {} }, ''],
  ])('has the adapter where old code has put it: %j', (more, adapter) => {
    expect(read(old(more)).read.adapter).toBe(adapter)
  })

  it.each([
    [{ error: 'boom' }, 'boom'],
    [{ metadata: { error: 'boom' } }, 'boom'],
    [{ metadata: { error_message: 'boom', error: 'other' } }, 'boom'],
    [{ error: { code: 5 } }, null],
  ])('has the error where old code has put it: %j', (more, message) => {
    expect(read(old(more)).read.error_message).toBe(message)
  })

  it('keeps what has no place', () => {
    const line = old({
      error_message: 'a',
      error: 'b',
      worker: 7,
      old_state: 'pending',
      retry_count: -1,
      note: null,
    })
    expect(read({ ...line, adapter: null, duration_seconds: 'long' }).read.marks).toEqual({
      legacy_fields: {
        error: 'b',
        worker: 7,
        old_state: 'pending',
        retry_count: -1,
        note: null,
        duration_seconds: 'long',
      },
    })
  })

  it('keeps metadata that is no object, and says so', () => {
    expect(read(old({ metadata: ['a'] }))).toMatchObject({
      findings: [{ kind: 'bad_metadata', what: 'its metadata is not an object' }],
      read: { metadata: {}, brings: {}, marks: { legacy_metadata: ['a'] } },
    })
    expect(read(old({ metadata: null }))).toMatchObject({ findings: [], read: { marks: null } })
  })

  it('keeps metadata that uses our names for something else', () => {
    const metadata = { legacy_state: 'mine', url: 'u' }
    expect(read(old({ state: 'auto_done', metadata }))).toMatchObject({
      findings: [],
      read: { brings: { url: 'u' }, marks: { legacy_state: 'auto_done', legacy_metadata: metadata } },
    })
  })

  it('keeps its text when a number has more digits than can be held', () => {
    const text = '{"doc_id":"d","state":"fetching","timestamp":1,"metadata":{"at_ns":1728043200123456789}}'
    const reading = readLegacyLine(JSON.parse(text), text)
    expect(reading).toMatchObject({ form: 'old', findings: [], read: { marks: { legacy_text: text } } })
    const again = record({ metadata: { at_ns: 2 ** 60, legacy_text: text } })
    expect(read(again).read).toMatchObject({ marks: null, brings: { at_ns: 2 ** 60 } })
  })

  it('may have any number of names for its states', () => {
    for (let n = 0; n < 2000; n++) {
      expect(read(old({ state: `state_${n % 1500}` })).read).toMatchObject({
        state: 'legacy',
        marks: { legacy_state: `state_${n % 1500}` },
      })
    }
  })

  it('quotes what it does not understand, up to a length', () => {
    const [finding] = read(old({ state: 'x'.repeat(500) })).findings
    expect(finding?.what).toMatch(/^the state "x{79}… is not known$/)
  })

  it.each([
    [7, 'it is not a JSON object'],
    [null, 'it is not a JSON object'],
    [['d'], 'it is not a JSON object'],
    [{ state: 'fetching' }, 'it has no doc_id'],
    [old({ doc_id: 5 }), 'its doc_id is not text'],
    [old({ doc_id: ' ' }), 'its doc_id must not be blank'],
    [old({ doc_id: 'x'.repeat(513) }), 'its doc_id must have at most 512 characters'],
    [old({ doc_id: 'a\u0000b' }), 'its doc_id must not have control characters'],
    [old({ doc_id: '\ud800' }), 'its doc_id must be well-formed Unicode'],
    [{ doc_id: 'd' }, 'it names no state'],
    [old({ state: 7 }), 'it names no state'],
    [old({ state: ' ' }), 'it names no state'],
    [JSON.parse('{"doc_id":"d","state":"failed","__proto__":1}'), '__proto__ is not allowed as a name'],
    [
      JSON.parse('{"doc_id":"d","state":"failed","metadata":{"a":[{"constructor":1}]}}'),
      'metadata.a.0.constructor is not allowed as a name',
    ],
    [
      JSON.parse('{"doc_id":"d","state":"failed","metadata":{"n":1e999}}'),
      'metadata.n is a number too large to keep',
    ],
    [
      JSON.parse(`{"doc_id":"d","state":"failed","metadata":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`),
      'it is nested deeper than 100 levels',
    ],
  ])('%j is rejected: %s', (line, problem) => {
    expect(readLegacyLine(line, '')).toEqual({ problem })
  })
})

describe('A40: an audit record', () => {
  it('is taken for what it is', () => {
    expect(read(record())).toMatchObject({
      form: 'record',
      findings: [],
      read: {
        state: 'fetching',
        old_state: 'pending',
        at: AT,
        adapter: 'pubmed',
        marks: null,
        retry_count: 0,
      },
    })
  })

  it('says about the transition what is not about the document', () => {
    const metadata = { url: 'u', legacy_state: 'auto_inflight', validated: false }
    expect(read(record({ metadata })).read).toMatchObject({ metadata, marks: null, brings: { url: 'u' } })
  })

  it('may have more fields, which stay', () => {
    expect(read(record({ state: 'x', worker: 1 }))).toMatchObject({
      form: 'record',
      read: { marks: { legacy_fields: { state: 'x', worker: 1 } } },
    })
  })

  it.each([
    { old_state: null },
    { old_state: 'auto_done' },
    { new_state: 'auto_done' },
    { timestamp: ISO },
    { timestamp: AT * 1000 },
    { timestamp: -5 },
    { adapter: null },
    { metadata: null },
  ])('is not right with %j', (more) => {
    expect(read(record(more)).form).toBe('broken')
  })
})
