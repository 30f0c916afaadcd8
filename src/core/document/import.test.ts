import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { keyOf } from '../command.ts'
import type { Given } from '../decision.ts'
import { decideImport, type ImportDocuments } from './import.ts'
import { type PastTransition, readLegacyLine } from './legacy-line.ts'

const AT = Date.UTC(2024, 0, 2, 3, 4, 5) / 1000

function past(line: object): PastTransition {
  const reading = readLegacyLine({ timestamp: AT, ...line }, '')
  if ('problem' in reading) throw new Error(reading.problem)
  return reading.read as PastTransition
}

function importOf(lines: readonly object[], key = 'k'): ImportDocuments {
  return {
    type: 'importDocuments',
    tenant_id: 't1',
    past: lines.map(past),
    reasons: lines.map((_, index) => `old.jsonl line ${index + 1}`),
    claim: { key, owner: `owner of ${key}` },
    actor: 'migration',
  }
}

function documentOf(ledger: KernelLedger, id = 'd') {
  return ledger.get('document', 't1', id)
}

describe('A40: transitions that happened before', () => {
  it('need no reason, and bring what is known of a document again and again', () => {
    const ledger = new KernelLedger()
    const metadata = { source: 'pubmed' }
    const lines = ['fetching', 'fetched'].map((state, n) => ({
      doc_id: 'd',
      state,
      metadata,
      timestamp: AT + n,
    }))
    ledger.run({ ...importOf(lines), reasons: [] })
    expect(documentOf(ledger)).toMatchObject({ state: 'fetched', metadata })
    expect(ledger.last().reason).toBeNull()
  })

  it('are in the history with their times, and the document is where the last one led', () => {
    const ledger = new KernelLedger()
    const answer = ledger.run(
      importOf([
        { doc_id: 'd', state: 'auto_inflight', metadata: { source: 'pubmed', url: 'u' } },
        { doc_id: 'e', state: 'pending', timestamp: AT + 1 },
        { doc_id: 'd', state: 'auto_failed', timestamp: AT + 2.5, error: 'boom', metadata: { tries: 1 } },
      ]),
    )
    expect(answer).toEqual({
      imported: true,
      owner: 'owner of k',
      findings: [],
      created: 2,
      moves: { fetching: 0, pending: 1, failed: 1 },
    })
    expect(documentOf(ledger)).toMatchObject({
      state: 'failed',
      updated_at: AT + 2.5,
      adapter: '',
      metadata: { source: 'pubmed', url: 'u', tries: 1 },
      error_message: 'boom',
    })
    expect(documentOf(ledger, 'e')).toMatchObject({ state: 'pending', metadata: {} })
    expect(ledger.history.map(({ id, path, timestamp }) => [id, path, timestamp])).toEqual([
      ['d', ['pending', 'fetching'], AT],
      ['e', ['pending', 'pending'], AT + 1],
      ['d', ['fetching', 'failed'], AT + 2.5],
    ])
    expect(ledger.last()).toMatchObject({
      event: 'moved',
      tenant_id: 't1',
      duration_seconds: 2.5,
      error_message: 'boom',
      metadata: { tries: 1, legacy_state: 'auto_failed' },
      actor: 'migration',
      reason: 'old.jsonl line 3',
    })
  })

  it('are imported once for a claim', () => {
    const ledger = new KernelLedger()
    ledger.run(importOf([{ doc_id: 'd', state: 'fetching' }]))
    const before = ledger.contents()
    expect(ledger.run(importOf([{ doc_id: 'd', state: 'fetched' }]))).toEqual({
      imported: false,
      owner: 'owner of k',
      findings: [],
      created: 0,
      moves: {},
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.history).toHaveLength(1)
    expect(ledger.run(importOf([{ doc_id: 'd', state: 'fetched' }], 'next')).moves).toEqual({
      fetching: -1,
      fetched: 1,
    })
  })

  it('may take edges that nobody declared, and the history says so', () => {
    const ledger = new KernelLedger()
    const { findings } = ledger.run(
      importOf([
        { doc_id: 'd', state: 'auto_inflight' },
        { doc_id: 'd', state: 'auto_done' },
        { doc_id: 'd', state: 'completed' },
      ]),
    )
    expect(findings).toEqual([
      { index: 1, kind: 'undeclared_edge', what: 'd went from fetching to completed' },
      { index: 2, kind: 'same_state', what: 'd was completed already' },
    ])
    expect(ledger.history.map(({ metadata }) => metadata.validated)).toEqual([undefined, false, false])
    expect(documentOf(ledger)?.metadata).toEqual({})
  })

  it('do not go back in time, nor ahead of it', () => {
    const ledger = new KernelLedger()
    const now = ledger.now / 1000
    const { findings } = ledger.run(
      importOf([
        { doc_id: 'd', state: 'fetching' },
        { doc_id: 'd', state: 'fetched', timestamp: AT - 60 },
        { doc_id: 'd', state: 'parsing', timestamp: now + 60 },
        { doc_id: 'd', state: 'parsed', timestamp: now },
      ]),
    )
    expect(findings).toEqual([
      { index: 1, kind: 'time_went_back', what: 'd goes back by 60 s' },
      { index: 2, kind: 'time_in_future', what: 'd is 60 s ahead' },
    ])
    expect(
      ledger.history.map(({ timestamp, duration_seconds, metadata }) => [
        timestamp,
        duration_seconds,
        metadata.original_timestamp,
      ]),
    ).toEqual([
      [AT, null, undefined],
      [AT, 0, AT - 60],
      [now, now - AT, now + 60],
      [now, 0, undefined],
    ])
  })

  it('stand still where the document is ahead of the clock already', () => {
    const ledger = new KernelLedger()
    ledger.run(importOf([{ doc_id: 'd', state: 'fetching', timestamp: ledger.now / 1000 }]))
    const ahead = ledger.now / 1000
    ledger.now -= 5000
    const { findings } = ledger.run(
      importOf(
        [
          { doc_id: 'd', state: 'fetched', timestamp: ahead },
          { doc_id: 'd', state: 'parsing', timestamp: ahead + 9 },
        ],
        'next',
      ),
    )
    expect(findings.map(({ index, kind }) => [index, kind])).toEqual([[1, 'time_in_future']])
    expect(documentOf(ledger)?.updated_at).toBe(ahead)
  })

  it('count retries as a document does, unless the line says', () => {
    const ledger = new KernelLedger()
    ledger.run(
      importOf([
        { doc_id: 'd', state: 'failed', max_retries: 7 },
        { doc_id: 'd', state: 'retrying' },
        { doc_id: 'd', state: 'fetching' },
        { doc_id: 'd', state: 'retrying', retry_count: 5, duration_seconds: 9 },
      ]),
    )
    expect(ledger.history.map(({ retry_count, max_retries }) => [retry_count, max_retries])).toEqual([
      [0, 7],
      [1, 7],
      [1, 7],
      [5, 7],
    ])
    expect(ledger.last().duration_seconds).toBe(9)
  })

  it('are told by audit records as well, which may say otherwise where they come from', () => {
    const ledger = new KernelLedger()
    const record = { doc_id: 'd', adapter: '', metadata: {} }
    const { findings } = ledger.run(
      importOf([
        { ...record, old_state: 'fetched', new_state: 'parsing' },
        { ...record, old_state: 'fetching', new_state: 'parsed' },
      ]),
    )
    expect(findings).toEqual([{ index: 1, kind: 'old_state_differs', what: 'd was parsing, not fetching' }])
    expect(ledger.history.map(({ path, metadata }) => [path, metadata])).toEqual([
      [['fetched', 'parsing'], {}],
      [['parsing', 'parsed'], { original_old_state: 'fetching' }],
    ])
  })

  it('ask for the documents that were not loaded, each once', () => {
    const given = { now: 0, get: () => undefined, ownerOf: () => undefined } as unknown as Given
    const command = importOf([
      { doc_id: 'd', state: 'fetching' },
      { doc_id: 'e', state: 'fetching' },
      { doc_id: 'd', state: 'fetched' },
    ])
    expect(decideImport(command, given)).toEqual({
      kind: 'need',
      keys: [
        { kind: 'document', tenant_id: 't1', id: 'd' },
        { kind: 'document', tenant_id: 't1', id: 'e' },
      ],
    })
    expect(keyOf(command)).toEqual({ kind: 'document', tenant_id: 't1', id: 'd' })
  })
})
