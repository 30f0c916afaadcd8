import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Given } from '../decision.ts'
import { statesOf } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { decideDocument, type UpdateDocument } from './decide.ts'
import type { DocumentRecord } from './record.ts'

function update(state: DocumentState, more: Partial<UpdateDocument> = {}): UpdateDocument {
  return {
    type: 'updateDocument',
    tenant_id: 't1',
    doc_id: 'doc:1',
    state,
    actor: 'ann',
    reason: null,
    ...more,
  }
}

/** A ledger whose document is in a state, however it came there. */
function ledgerIn(state: DocumentState): KernelLedger {
  const ledger = new KernelLedger()
  ledger.run(update(state, { validate: false, adapter: 'pubmed' }))
  return ledger
}

function documentOf(ledger: KernelLedger): DocumentRecord | null {
  return ledger.get('document', 't1', 'doc:1')
}

const STATES = statesOf(documentMachine)
const EDGES = new Set(
  STATES.flatMap((from) => documentMachine.states[from].to.map((to) => `${from} → ${to}`)),
)
const PAIRS = STATES.flatMap((from) => STATES.map((to) => [from, to] as const))

describe('A30: the edges of a document', () => {
  it.each(PAIRS.filter(([from, to]) => EDGES.has(`${from} → ${to}`)))('%s → %s passes', (from, to) => {
    const ledger = ledgerIn(from)
    expect(ledger.run(update(to)).state).toBe(to)
    expect(documentOf(ledger)?.state).toBe(to)
    expect(ledger.last()).toMatchObject({ event: 'moved', path: [from, to] })
  })

  it.each(PAIRS.filter(([from, to]) => !EDGES.has(`${from} → ${to}`)))('%s → %s is refused', (from, to) => {
    const ledger = ledgerIn(from)
    const before = ledger.contents()
    const legal = [...documentMachine.states[from].to]
    const refusal = ledger.refusalOf(update(to))
    expect(refusal).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      message: `Document doc:1 cannot go from ${from} to ${to}`,
      field: 'state',
      details: { kind: 'document', id: 'doc:1', from, to, legal },
    })
    for (const state of legal) expect(refusal.next).toContain(state)
    expect(ledger.contents()).toEqual(before)
    expect(ledger.history).toHaveLength(2)
    expect(ledger.last()).toMatchObject({
      event: 'refused',
      id: 'doc:1',
      path: [from, to],
      actor: 'ann',
      metadata: { refusal: 'INVALID_STATE_TRANSITION' },
    })
  })

  it('fetching → ir_ready names both states and the way on', () => {
    expect(ledgerIn('fetching').refusalOf(update('ir_ready')).next).toBe(
      'From fetching it may go to: fetched, failed, retrying.',
    )
  })

  it('says of a final state that nothing follows', () => {
    expect(ledgerIn('completed').refusalOf(update('fetching')).next).toBe(
      'completed is final: nothing follows.',
    )
  })

  it('a document not seen before is pending', () => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(update('parsing')).details.from).toBe('pending')
    expect(ledger.last()).toMatchObject({ path: ['pending', 'parsing'], retry_count: 0, max_retries: 3 })
    ledger.run(update('fetching'))
    expect(ledger.last()).toMatchObject({
      path: ['pending', 'fetching'],
      duration_seconds: null,
      adapter: '',
    })
  })

  it('asks for the document when it was not loaded', () => {
    const given = { now: 0, get: () => undefined } as unknown as Given
    expect(decideDocument(update('fetching'), given)).toEqual({
      kind: 'need',
      keys: [{ kind: 'document', tenant_id: 't1', id: 'doc:1' }],
    })
  })
})

describe('A32: what the history keeps', () => {
  it('of a transition: every field', () => {
    const ledger = ledgerIn('fetching')
    ledger.now += 2_500
    ledger.run(update('fetched', { adapter: 'arxiv', metadata: { bytes: 7 }, reason: 'on time' }))
    expect(ledger.records('document', 'doc:1').at(-1)).toEqual({
      seq: 0,
      cursor: '0',
      event: 'moved',
      tenant_id: 't1',
      kind: 'document',
      id: 'doc:1',
      doc_id: 'doc:1',
      job_id: null,
      old_state: 'fetching',
      new_state: 'fetched',
      timestamp: ledger.now / 1000,
      adapter: 'arxiv',
      error_type: null,
      error_message: null,
      traceback: null,
      retry_count: 0,
      max_retries: 3,
      duration_seconds: 2.5,
      metadata: { bytes: 7 },
      actor: 'ann',
      reason: 'on time',
    })
  })

  it('of a failure: the error, also on the document until its next move', () => {
    const ledger = ledgerIn('fetching')
    const error = { error_type: 'HTTPError', error_message: '503', traceback: 'at fetch' }
    ledger.run(update('failed', { error }))
    expect(ledger.last()).toMatchObject(error)
    expect(documentOf(ledger)).toMatchObject({ error_type: 'HTTPError', error_message: '503' })
    ledger.run(update('retrying'))
    expect(ledger.last()).toMatchObject({ error_type: null, error_message: null, traceback: null })
    expect(documentOf(ledger)).toMatchObject({ error_type: null, error_message: null })
  })

  it('of a retry: how many there were, and how many there may be', () => {
    const ledger = ledgerIn('fetching')
    ledger.run(update('retrying', { max_retries: 5 }))
    expect(ledger.last()).toMatchObject({ retry_count: 1, max_retries: 5 })
    ledger.run(update('fetching'))
    expect(ledger.last()).toMatchObject({ retry_count: 1, max_retries: 5 })
    ledger.run(update('retrying'))
    expect(documentOf(ledger)).toMatchObject({ retry_count: 2, max_retries: 5 })
    ledger.run(update('parsing', { retry_count: 0 }))
    expect(documentOf(ledger)).toMatchObject({ retry_count: 0, max_retries: 5 })
    ledger.refusalOf(update('indexed'))
    expect(ledger.last()).toMatchObject({ event: 'refused', retry_count: 0, max_retries: 5 })
  })

  it('metadata is laid over what is there; the history keeps what this update brought', () => {
    const ledger = ledgerIn('pending')
    ledger.run(update('fetching', { metadata: { url: 'a', tries: 1 } }))
    ledger.run(update('fetched', { metadata: { tries: 2, bytes: 9 } }))
    expect(documentOf(ledger)?.metadata).toEqual({ url: 'a', tries: 2, bytes: 9 })
    expect(ledger.last().metadata).toEqual({ tries: 2, bytes: 9 })
    ledger.run(update('parsing'))
    expect(documentOf(ledger)?.metadata).toEqual({ url: 'a', tries: 2, bytes: 9 })
    expect(ledger.last().metadata).toEqual({})
  })

  it('a document has every field from the first update on', () => {
    const ledger = new KernelLedger()
    expect(ledger.decide(update('fetching'))).toMatchObject({ kind: 'change', answer: { etag: '' } })
    ledger.run(update('fetching'))
    expect(documentOf(ledger)).toStrictEqual({
      kind: 'document',
      tenant_id: 't1',
      doc_id: 'doc:1',
      state: 'fetching',
      updated_at: ledger.now / 1000,
      adapter: '',
      metadata: {},
      retry_count: 0,
      max_retries: 3,
      error_type: null,
      error_message: null,
      etag: 'etag-1',
    })
  })

  it('a first update may bring metadata', () => {
    const ledger = new KernelLedger()
    expect(ledger.run(update('fetching', { metadata: { url: 'a' } })).metadata).toEqual({ url: 'a' })
  })

  it('the adapter stays until another is named', () => {
    const ledger = ledgerIn('fetching')
    ledger.run(update('fetched'))
    expect(ledger.last().adapter).toBe('pubmed')
    expect(ledger.run(update('parsing', { adapter: 'mineru' })).adapter).toBe('mineru')
  })

  it('says so when an edge was not validated, and only then', () => {
    const ledger = ledgerIn('fetching')
    ledger.run(update('indexed', { validate: false, metadata: { by: 'import' } }))
    expect(documentOf(ledger)).toMatchObject({ state: 'indexed', metadata: { by: 'import' } })
    expect(documentOf(ledger)?.metadata).not.toHaveProperty('validated')
    expect(ledger.last()).toMatchObject({ event: 'moved', metadata: { by: 'import', validated: false } })
    ledger.run(update('completed', { validate: false }))
    expect(ledger.last().metadata).toEqual({})
  })
})

describe('an etag that is demanded', () => {
  it('lets the update pass while it is current', () => {
    const ledger = ledgerIn('fetching')
    const if_match = documentOf(ledger)?.etag
    expect(ledger.run(update('fetched', { if_match })).state).toBe('fetched')
    expect(documentOf(ledger)?.etag).not.toBe(if_match)
  })

  it('A18: refuses when it is stale, before looking at the edge; recorded, nothing changed', () => {
    const ledger = ledgerIn('fetching')
    const before = ledger.contents()
    expect(ledger.refusalOf(update('indexed', { if_match: 'old' }))).toMatchObject({
      code: 'STALE_ETAG',
      message: 'Document doc:1 has changed since etag old was read',
      field: 'if_match',
      details: { from: 'fetching', to: 'indexed', etag: documentOf(ledger)?.etag },
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({ event: 'refused', metadata: { refusal: 'STALE_ETAG' } })
  })

  it('is empty for a document that must not be there yet', () => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(update('fetching', { if_match: 'e1' })).details.etag).toBeNull()
    expect(ledger.run(update('fetching', { if_match: '' })).state).toBe('fetching')
    expect(ledger.refusalOf(update('fetched', { if_match: '' })).code).toBe('STALE_ETAG')
  })
})

describe('an update with a key', () => {
  it('is made once: the same again is answered with the document as it is by then', () => {
    const ledger = new KernelLedger()
    const first = update('fetching', { request_key: 'k', if_match: '' })
    ledger.run(first)
    ledger.run(update('fetched', { metadata: { bytes: 7 } }))
    const before = ledger.contents()
    expect(ledger.run(first)).toEqual(documentOf(ledger))
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({
      event: 'ignored',
      path: ['fetched', 'fetched'],
      metadata: { request_key: 'k' },
    })
    expect(ledger.run(update('parsing')).state).toBe('parsing')
  })

  it.each([
    ['another document', { doc_id: 'doc:2' }],
    ['another state', { state: 'fetched' }],
  ] as const)('is refused for %s', (_, other) => {
    const ledger = new KernelLedger()
    ledger.run(update('fetching', { request_key: 'k' }))
    expect(ledger.refusalOf({ ...update('fetching', { request_key: 'k' }), ...other })).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      field: 'request_key',
      details: { kind: 'document', id: 'doc:1', state: 'fetching' },
    })
    expect(ledger.last()).toMatchObject({ event: 'refused', metadata: { refusal: 'IDEMPOTENCY_CONFLICT' } })
  })

  it('that was refused has not used its key, and is another tenant’s as well', () => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(update('parsed', { request_key: 'k' })).code).toBe('INVALID_STATE_TRANSITION')
    expect(ledger.run(update('fetching', { request_key: 'k' })).state).toBe('fetching')
    expect(ledger.run(update('fetching', { request_key: 'k', tenant_id: 't2' })).tenant_id).toBe('t2')
  })
})
