import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../core/audit.ts'
import type { DocumentRecord } from '../core/document/record.ts'
import { InvalidInput, Unsupported } from '../errors/input-errors.ts'
import type { Capabilities } from './capabilities.ts'
import { changedAt, findOrder, matchesAudit, matchesFind, pageSize } from './query.ts'

/** Seconds whose thousandfold is 1000.9999999999999. */
const AWKWARD = { seconds: 1.001, ms: 1001 }

const document: DocumentRecord = {
  kind: 'document',
  tenant_id: 't',
  doc_id: 'd',
  state: 'fetching',
  updated_at: AWKWARD.seconds,
  adapter: 'web',
  metadata: {},
  retry_count: 0,
  max_retries: 3,
  error_type: null,
  error_message: null,
  etag: '1',
}

describe('pageSize', () => {
  it('is a hundred unless told, and a thousand at most', () => {
    expect([pageSize(), pageSize(1), pageSize(1000), pageSize(1001)]).toEqual([100, 1, 1000, 1000])
  })

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (limit) => {
    expect(() => pageSize(limit)).toThrow(InvalidInput)
  })
})

describe('findOrder', () => {
  const capabilities = { engine: 'e', findOrders: ['id'] } as unknown as Capabilities

  it('is by id unless told', () => {
    expect(findOrder({ kind: 'job' }, capabilities)).toBe('id')
  })

  it('refuses by name what the engine does not have', () => {
    expect(() => findOrder({ kind: 'job', order: 'changed' }, capabilities)).toThrow(Unsupported)
    expect(() => findOrder({ kind: 'job', order: 'changed' }, capabilities)).toThrow(/changed/)
  })
})

describe('matchesFind', () => {
  // A document changed at 1.001 s was not found from 1001 ms on: seconds times a thousand fall just short.
  it('takes a document by the millisecond at which it changed', () => {
    expect(changedAt(document)).toBe(AWKWARD.ms)
    const finds = (query: object) => matchesFind(document, { kind: 'document', ...query })
    expect(finds({ changedFrom: AWKWARD.ms })).toBe(true)
    expect(finds({ changedFrom: AWKWARD.ms + 1 })).toBe(false)
    expect(finds({ changedBefore: AWKWARD.ms })).toBe(false)
    expect(finds({ changedBefore: AWKWARD.ms + 1 })).toBe(true)
  })

  it('wants every field to match, by one value or any of several', () => {
    const finds = (where: object) => matchesFind(document, { kind: 'document', where })
    expect(finds({})).toBe(true)
    expect(finds({ state: 'fetching', adapter: ['disk', 'web'] })).toBe(true)
    expect(finds({ state: 'fetching', adapter: 'disk' })).toBe(false)
    expect(finds({ state: [] })).toBe(false)
    expect(finds({ state: undefined })).toBe(true)
    expect(finds({ run_id: 'r' })).toBe(false)
  })
})

describe('matchesAudit', () => {
  const record = {
    tenant_id: 't',
    kind: 'job',
    id: 'j',
    actor: 'ann',
    event: 'moved',
    new_state: 'QUEUED',
    timestamp: AWKWARD.seconds,
  } as AuditRecord

  it('wants every field to match, and the time to lie between', () => {
    expect(matchesAudit(record, {})).toBe(true)
    expect(matchesAudit(record, { tenant_id: 't', kind: 'job', id: 'j', actor: 'ann' })).toBe(true)
    expect(matchesAudit(record, { actor: 'bob' })).toBe(false)
    expect(matchesAudit(record, { state: 'QUEUED', from: AWKWARD.ms, before: AWKWARD.ms + 1 })).toBe(true)
    expect(matchesAudit(record, { state: 'SUCCEEDED' })).toBe(false)
    expect(matchesAudit(record, { from: AWKWARD.ms + 1 })).toBe(false)
    expect(matchesAudit(record, { before: AWKWARD.ms })).toBe(false)
  })
})
