import { describe, expect, it } from 'vitest'
import { isEmulated, openTestLedger } from '../../test/fixtures/test-ledger.ts'
import type { AuditRecord } from '../core/audit.ts'
import { LedgerState } from '../core/document/states.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { InvalidStateTransition, StaleEtag } from '../errors/refusal-errors.ts'
import { openLedger } from '../open-ledger.ts'
import { type VirtualWorld, virtualWorld } from '../testing/virtual-world.ts'

async function setUp(options = {}) {
  const world: VirtualWorld = virtualWorld()
  const ledger = await openTestLedger({ world, ...options })
  return { world, ledger }
}

async function all(records: AsyncIterable<AuditRecord>): Promise<AuditRecord[]> {
  return Array.fromAsync(records)
}

describe('documents', () => {
  it('A32 moves a document and keeps the whole story of the move', async () => {
    const { world, ledger } = await setUp()
    await ledger.documents.updateState('doc:1', LedgerState.FETCHING, { adapter: 'pubmed', actor: 'ann' })
    await world.advanceBy(1500)
    const failed = await ledger.documents.updateState('doc:1', LedgerState.FAILED, {
      error: new TypeError('no such page'),
      metadata: { url: 'x' },
      reason: 'gone',
      actor: 'bob',
    })
    expect(failed).toMatchObject({ state: 'failed', adapter: 'pubmed', error_type: 'TypeError' })
    const [, record] = await all(ledger.documents.history('doc:1'))
    // Where the log has one order for everything, it is the second in it.
    const isTotal = ledger.capabilities.order === 'total'
    expect(record).toEqual({
      seq: isTotal ? 2 : expect.any(Number),
      cursor: isTotal ? '2' : expect.any(String),
      event: 'moved',
      tenant_id: 'default',
      kind: 'document',
      id: 'doc:1',
      doc_id: 'doc:1',
      job_id: null,
      old_state: 'fetching',
      new_state: 'failed',
      timestamp: world.clock.now() / 1000,
      adapter: 'pubmed',
      error_type: 'TypeError',
      error_message: 'no such page',
      traceback: expect.stringContaining('TypeError: no such page'),
      retry_count: 0,
      max_retries: 3,
      duration_seconds: 1.5,
      metadata: { url: 'x' },
      actor: 'bob',
      reason: 'gone',
    })
  })

  it('A32 counts retries and says how many there may be', async () => {
    const { ledger } = await setUp()
    await ledger.documents.updateState('doc:1', LedgerState.FETCHING, { max_retries: 5 })
    const retrying = await ledger.documents.updateState('doc:1', LedgerState.RETRYING)
    expect(retrying).toMatchObject({ retry_count: 1, max_retries: 5 })
    const history = await all(ledger.documents.history('doc:1'))
    expect(history.at(-1)).toMatchObject({ new_state: 'retrying', retry_count: 1, max_retries: 5 })
  })

  it('A30 refuses an edge that is not declared: named, logged, recorded, and nothing else', async () => {
    const { world, ledger } = await setUp()
    const before = await ledger.documents.updateState('doc:1', LedgerState.FETCHING)
    const error = await ledger.documents.updateState('doc:1', LedgerState.IR_READY).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(InvalidStateTransition)
    expect(error).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      status: 409,
      exitCode: 4,
      field: 'state',
      from: 'fetching',
      to: 'ir_ready',
      legal: ['fetched', 'failed', 'retrying'],
      next: 'From fetching it may go to: fetched, failed, retrying.',
    })
    expect(await ledger.documents.get('doc:1')).toEqual(before)
    expect(world.logged).toMatchObject([{ level: 'warn', message: (error as Error).message }])
    expect((await all(ledger.documents.history('doc:1'))).at(-1)).toMatchObject({
      event: 'refused',
      old_state: 'fetching',
      new_state: 'ir_ready',
      metadata: { refusal: 'INVALID_STATE_TRANSITION' },
    })
  })

  it('A31 maps old names, works the same, and warns once for each', async () => {
    const { world, ledger } = await setUp()
    await ledger.documents.updateState('doc:1', 'auto_inflight')
    await ledger.documents.updateState('doc:2', 'auto_inflight')
    await ledger.documents.updateState('doc:1', 'FETCHED')
    expect(await ledger.documents.getState('doc:1')).toBe('fetched')
    expect(world.warned.map(({ code }) => code)).toEqual([
      'WAYBILL_DEP_STRING_STATE',
      'WAYBILL_DEP_STRING_STATE',
    ])
    expect(world.warned[0]?.message).toContain('LedgerState.FETCHING')
  })

  it('lets undeclared edges through when validation is off, and says so', async () => {
    const { ledger } = await setUp({ validateTransitions: false })
    await ledger.documents.updateState('doc:1', LedgerState.COMPLETED)
    const [record] = await all(ledger.documents.history('doc:1'))
    expect(record).toMatchObject({ new_state: 'completed', metadata: { validated: false } })
  })

  it('A18 refuses a stale etag, changes nothing, and records it', async () => {
    const { ledger } = await setUp()
    const first = await ledger.documents.updateState('doc:1', LedgerState.FETCHING)
    const second = await ledger.documents.updateState('doc:1', LedgerState.FETCHED, { if_match: first.etag })
    const stale = ledger.documents.updateState('doc:1', LedgerState.PARSING, { if_match: first.etag })
    await expect(stale).rejects.toThrow(StaleEtag)
    expect(await ledger.documents.get('doc:1')).toEqual(second)
    expect((await all(ledger.documents.history('doc:1'))).at(-1)).toMatchObject({ event: 'refused' })
  })

  it('lists by state, adapter and time, page by page', async () => {
    const { world, ledger } = await setUp()
    for (const id of ['a', 'b', 'c', 'd']) {
      await ledger.documents.updateState(id, LedgerState.FETCHING, { adapter: id < 'c' ? 'x' : 'y' })
      await world.advanceBy(1000)
    }
    await ledger.documents.updateState('a', LedgerState.FETCHED)
    const ids = async (query: Parameters<typeof ledger.documents.list>[0]) =>
      (await ledger.documents.list(query)).items.map((document) => document.doc_id)
    expect(await ids({ state: LedgerState.FETCHING })).toEqual(['b', 'c', 'd'])
    expect(await ids({ adapter: 'y' })).toEqual(['c', 'd'])
    expect(await ids({ order: 'changed', direction: 'desc' })).toEqual(['a', 'd', 'c', 'b'])
    expect(await ids({ changedFrom: world.clock.now() })).toEqual(['a'])
    const first = await ledger.documents.list({ limit: 3 })
    expect(await ids({ limit: 3, after: first.next ?? '' })).toEqual(['d'])
  })

  it('keeps tenants apart', async () => {
    const { ledger } = await setUp()
    await ledger.documents.updateState('doc:1', LedgerState.FETCHING, { tenant_id: 'other' })
    expect(await ledger.documents.get('doc:1')).toBeNull()
    expect(await ledger.documents.getState('doc:1')).toBe('pending')
    expect(await ledger.documents.getState('doc:1', 'other')).toBe('fetching')
  })

  it.each([
    ['doc_id', ['', LedgerState.FETCHING, {}]],
    ['doc_id', ['x'.repeat(513), LedgerState.FETCHING, {}]],
    ['doc_id', ['a\u0000b', LedgerState.FETCHING, {}]],
    ['doc_id', [7, LedgerState.FETCHING, {}]],
    ['state', ['d', '', {}]],
    ['state', ['d', undefined, {}]],
    ['tenant_id', ['d', LedgerState.FETCHING, { tenant_id: '' }]],
    ['actor', ['d', LedgerState.FETCHING, { actor: '' }]],
    ['actor', ['d', LedgerState.FETCHING, { actor: 7 }]],
    ['reason', ['d', LedgerState.FETCHING, { reason: {} }]],
    ['reason', ['d', LedgerState.FETCHING, { reason: 'x'.repeat(10_001) }]],
    ['adapter', ['d', LedgerState.FETCHING, { adapter: 7 }]],
    ['retry_count', ['d', LedgerState.FETCHING, { retry_count: -1 }]],
    ['max_retries', ['d', LedgerState.FETCHING, { max_retries: 1.5 }]],
    ['metadata', ['d', LedgerState.FETCHING, { metadata: 'text' }]],
    ['metadata', ['d', LedgerState.FETCHING, { metadata: [1] }]],
    ['metadata', ['d', LedgerState.FETCHING, { metadata: null }]],
    ['metadata.a[0]', ['d', LedgerState.FETCHING, { metadata: { a: new Array(1) } }]],
    ['metadata.a', ['d', LedgerState.FETCHING, { metadata: { a: Number.NaN } }]],
    ['metadata.a[1]', ['d', LedgerState.FETCHING, { metadata: { a: [1, () => 1] } }]],
    ['metadata.at', ['d', LedgerState.FETCHING, { metadata: { at: new Date(0) } }]],
    ['metadata.__proto__', ['d', LedgerState.FETCHING, { metadata: JSON.parse('{"__proto__":{"a":1}}') }]],
  ])('refuses a bad %s and changes nothing', async (field, [doc_id, state, options]) => {
    const { ledger } = await setUp()
    const error = await ledger.documents
      .updateState(doc_id as string, state as LedgerState, options as object)
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(InvalidInput)
    expect(error).toMatchObject({ code: 'INVALID_INPUT', status: 422, field })
    expect((error as InvalidInput).next).not.toBe('')
    expect((await ledger.stats()).records.document).toBe(0)
  })

  it('refuses metadata nested without end', async () => {
    const { ledger } = await setUp()
    const circle: { self?: unknown } = {}
    circle.self = circle
    const update = ledger.documents.updateState('d', LedgerState.FETCHING, { metadata: circle as never })
    await expect(update).rejects.toThrow(/nested deeper/)
  })
})

describe('stuck documents', () => {
  const HOUR = 3_600_000

  it('A35 are those that have been in an unfinished state for so long, the longest first', async () => {
    const { world, ledger } = await setUp()
    await ledger.documents.updateState('old', LedgerState.FETCHING, { adapter: 'web' })
    await ledger.documents.updateState('done', LedgerState.SKIPPED)
    await world.advanceBy(4 * HOUR)
    await ledger.documents.updateState('newer', LedgerState.FETCHING)
    await ledger.documents.updateState('elsewhere', LedgerState.FETCHING, { tenant_id: 't2' })
    await world.advanceBy(HOUR)
    const stuck = await ledger.documents.getStuckDocuments(1)
    expect(stuck.map(({ doc_id, state, hours }) => `${doc_id}: ${state} (${hours.toFixed(2)}h)`)).toEqual([
      'old: fetching (5.00h)',
      'newer: fetching (1.00h)',
    ])
    const ids = async (...query: Parameters<typeof ledger.documents.getStuckDocuments>) =>
      (await ledger.documents.getStuckDocuments(...query)).map(({ doc_id }) => doc_id)
    expect(await ids(1.001)).toEqual(['old'])
    expect(await ids(1, { adapter: 'web' })).toEqual(['old'])
    expect(await ids(1, { tenant_id: 't2' })).toEqual(['elsewhere'])
    expect(await ids(1, { state: ['fetching', 'parsing'] })).toEqual(['old', 'newer'])
    expect(await ids(1, { state: 'parsing' })).toEqual([])
    expect(await ids(1, { state: 'skipped' })).toEqual([])
    for (const hours of [-1, Number.NaN]) await expect(ids(hours)).rejects.toMatchObject({ field: 'hours' })
  })

  it('A35 without hours are those that stay longer than 99 of 100 did', async () => {
    const { world, ledger } = await setUp()
    for (let i = 0; i < 5; i++) {
      await ledger.documents.updateState(`d${i}`, LedgerState.FETCHING)
      await world.advanceBy(2 * HOUR)
      await ledger.documents.updateState(`d${i}`, LedgerState.FETCHED)
    }
    await ledger.documents.updateState('d1', LedgerState.PARSING)
    await ledger.documents.updateState('late', LedgerState.FETCHING)
    await world.advanceBy(3 * HOUR)
    await ledger.documents.updateState('fresh', LedgerState.FETCHING)
    expect(await ledger.documents.getStuckDocuments(undefined, { state: 'fetching' })).toMatchObject([
      { doc_id: 'late', hours: 3, threshold: { from: 'p99', state: 'fetching' } },
    ])
    const thresholds = await ledger.documents.stuckThresholds()
    expect(thresholds.find(({ state }) => state === 'fetching')?.hours).toBeCloseTo(2, 1)
    await world.advanceBy(24 * HOUR)
    const stuck = await ledger.documents.getStuckDocuments(undefined, { state: 'parsing' })
    expect(stuck).toMatchObject([{ doc_id: 'd1', threshold: { from: 'default', hours: 24 } }])
  })
})

describe('all documents', () => {
  it('come page by page, filtered and in order', async () => {
    const { ledger } = await setUp()
    // More than one page, or than two where that takes no time.
    const count = isEmulated ? 1100 : 2500
    const updates = Array.from({ length: count }, (_, i) => ({
      doc_id: `d${String(i).padStart(4, '0')}`,
      state: i % 2 === 0 ? LedgerState.FETCHING : LedgerState.SKIPPED,
    }))
    await ledger.documents.updateMany(updates)
    const ids = async (...filter: Parameters<typeof ledger.documents.records>) =>
      (await Array.fromAsync(ledger.documents.records(...filter))).map(({ doc_id }) => doc_id)
    expect(await ids()).toEqual(updates.map(({ doc_id }) => doc_id))
    expect((await ids({ state: 'skipped', direction: 'desc' })).slice(0, 2)).toEqual([
      `d${count - 1}`,
      `d${count - 3}`,
    ])
    expect(await ids({ tenant_id: 'nobody' })).toEqual([])
  })
})

/** Counts without the zeros. */
function present(counts: { readonly [state: string]: number }) {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0))
}

describe('the state as of a time', () => {
  it('is told of one document, and counted for all', async () => {
    const { world, ledger } = await setUp()
    const times: number[] = []
    const states = ['fetching', 'fetched', 'parsing', 'failed', 'retrying'] as const
    for (const state of states) {
      await world.advanceBy(1000)
      times.push(world.clock.now())
      for (const doc_id of ['a', 'b']) await ledger.documents.updateState(doc_id, state)
      await ledger.documents.updateState(`only-${state}`, 'skipped', { tenant_id: 't2' })
    }
    for (const [i, at] of times.entries()) {
      expect(await ledger.documents.asOf('a', at)).toMatchObject({ doc_id: 'a', state: states[i] })
      expect(present(await ledger.countsAsOf('document', at))).toEqual({
        [states[i] as string]: 2,
        skipped: i + 1,
      })
      expect(present(await ledger.countsAsOf('document', at, 'default'))).toEqual({
        [states[i] as string]: 2,
      })
    }
    const before = (times[0] ?? 0) - 1
    expect(await ledger.documents.asOf('a', before)).toBeNull()
    expect(present(await ledger.countsAsOf('document', before))).toEqual({})
    for (const at of [Number.NaN, 1e300, 'now' as never]) {
      await expect(ledger.documents.asOf('a', at)).rejects.toMatchObject({ field: 'at' })
      await expect(ledger.countsAsOf('document', at)).rejects.toMatchObject({ field: 'at' })
    }
  })

  it('is refused where the history of that time was removed', async () => {
    const world = virtualWorld()
    const journal = { keepSnapshots: 1, keepHistoryMs: 0, snapshotSchedule: null }
    await using ledger = await openLedger('./gone', { world, journal })
    for (let i = 0; i < 3; i++) {
      await world.advanceBy(1000)
      await ledger.documents.updateState(`d${i}`, 'fetching')
      if (i < 2) await ledger.documents.createSnapshot()
    }
    const at = world.clock.now()
    expect(present(await ledger.countsAsOf('document', at - 1))).toEqual({ fetching: 2 })
    await expect(ledger.countsAsOf('document', at - 5000)).rejects.toMatchObject({
      code: 'HISTORY_GONE',
      next: expect.stringContaining('keepHistoryMs'),
    })
    expect(await ledger.documents.asOf('d0', at)).toMatchObject({ state: 'fetching', complete: true })
  })
})

describe('secrets', () => {
  it('do not reach the history, nor those that only the user knows', async () => {
    const { ledger } = await setUp({ redact: (text: string) => text.replaceAll('tulip', '*****') })
    const error = new Error('tulip: postgres://u:hunter2@db')
    await ledger.documents.updateState('d', 'fetching')
    await ledger.documents.updateState('d', 'failed', { error })
    const kept = JSON.stringify([await all(ledger.documents.history('d')), await ledger.documents.get('d')])
    expect(kept).not.toMatch(/tulip|hunter2/)
    expect(kept).toContain('*****: postgres://u:[redacted]@db')
    await expect(setUp({ redact: 'tulip' })).rejects.toMatchObject({ field: 'redact' })
  })
})

describe('counting the history', () => {
  it('A33 by any of its fields, the most frequent first', async () => {
    const { ledger } = await setUp()
    for (const doc_id of ['a', 'b']) {
      await ledger.documents.updateState(doc_id, 'fetching', { adapter: 'web' })
      await ledger.documents.updateState(doc_id, 'failed', { error: new TypeError(doc_id) })
    }
    await ledger.documents.updateState('c', 'fetching')
    await ledger.documents.updateState('c', 'failed', { error: new RangeError('c') })
    expect(await ledger.audit.countBy(['error_type'], { state: 'failed' })).toEqual([
      { error_type: 'TypeError', count: 2 },
      { error_type: 'RangeError', count: 1 },
    ])
    expect(await ledger.audit.countBy(['old_state', 'new_state'])).toEqual([
      { old_state: 'pending', new_state: 'fetching', count: 3 },
      { old_state: 'fetching', new_state: 'failed', count: 3 },
    ])
    await expect(ledger.audit.countBy(['metadata' as never])).rejects.toMatchObject({ field: 'fields' })
  })
})

describe('an update with a request key', () => {
  it('is made once, also among many, and its key is nobody else’s', async () => {
    const ledger = await openTestLedger()
    const { documents } = ledger
    const first = await documents.updateState('doc:1', 'fetching', { request_key: 'k' })
    expect(await documents.updateState('doc:1', 'fetching', { request_key: 'k' })).toEqual(first)
    const later = await documents.updateState('doc:1', 'fetched')
    expect(await documents.updateState('doc:1', 'fetching', { request_key: 'k' })).toEqual(later)
    await expect(documents.updateState('doc:2', 'fetching', { request_key: 'k' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      status: 409,
      field: 'request_key',
    })
    const report = await documents.updateMany([
      { doc_id: 'doc:1', state: 'fetching', request_key: 'k' },
      { doc_id: 'doc:2', state: 'fetching', request_key: 'k' },
      { doc_id: 'doc:3', state: 'fetching', request_key: 'k3' },
      { doc_id: 'doc:3', state: 'fetching', request_key: 'k3' },
    ])
    expect(report).toMatchObject({ updated: 3, refused: 1, refusals: [{ index: 1 }] })
    await expect(documents.updateState('doc:4', 'fetching', { request_key: '' })).rejects.toMatchObject({
      field: 'request_key',
    })
    await documents.updateState('doc:1', 'fetching', { request_key: 'k', tenant_id: 'other' })
    expect(await documents.getState('doc:1', 'other')).toBe('fetching')
  })
})
