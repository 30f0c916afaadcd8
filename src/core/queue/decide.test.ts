import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { decide, keyOf } from '../command.ts'
import { toIso } from '../time.ts'
import type { SteerQueue } from './decide.ts'
import { EVERYBODY } from './record.ts'

const MINUTE = 60_000

const steer: SteerQueue = {
  type: 'steerQueue',
  tenant_id: EVERYBODY,
  queue: 'ocr',
  actor: 'operator',
  reason: 'the scanner is on fire',
}

describe('steering a queue', () => {
  it('pauses one that nobody ever touched, and the history says who did and why', () => {
    const ledger = new KernelLedger()
    const at = toIso(ledger.now)
    expect(ledger.run({ ...steer, state: 'paused' })).toStrictEqual({
      kind: 'queue',
      tenant_id: '*',
      queue: 'ocr',
      state: 'paused',
      state_since: at,
      concurrency: null,
      rate: null,
      created_at: at,
      updated_at: at,
      etag: 'etag-1',
    })
    expect(ledger.records('queue', 'ocr')).toMatchObject([
      {
        event: 'moved',
        old_state: 'running',
        new_state: 'paused',
        adapter: 'ocr',
        actor: 'operator',
        reason: 'the scanner is on fire',
        duration_seconds: null,
        metadata: { concurrency: null, rate: null },
      },
    ])
  })

  it('resumes it, and says how long it was paused', () => {
    const ledger = new KernelLedger()
    const made = ledger.steer('ocr', { state: 'paused' })
    ledger.now += MINUTE
    const resumed = ledger.steer('ocr', { state: 'running' })
    expect(resumed).toMatchObject({ state: 'running', state_since: toIso(ledger.now) })
    expect(resumed).toMatchObject({ created_at: made.created_at, updated_at: toIso(ledger.now) })
    expect(ledger.last()).toMatchObject({ path: ['paused', 'running'], duration_seconds: 60 })
  })

  it('what is not named stays as it is; null takes a limit away', () => {
    const ledger = new KernelLedger()
    const rate = { max: 5, per_ms: 1000 }
    ledger.steer('ocr', { concurrency: 3, rate })
    ledger.now += MINUTE
    expect(ledger.steer('ocr', { state: 'paused' })).toMatchObject({ state: 'paused', concurrency: 3, rate })
    expect(ledger.steer('ocr', { concurrency: null })).toMatchObject({
      state: 'paused',
      concurrency: null,
      rate,
    })
    expect(ledger.steer('ocr', { rate: null, concurrency: 1 })).toMatchObject({ concurrency: 1, rate: null })
    expect(ledger.last().metadata).toEqual({ concurrency: 1, rate: null })
  })

  it('a new limit does not make it a new pause', () => {
    const ledger = new KernelLedger()
    const { state_since } = ledger.steer('ocr', { state: 'paused' })
    ledger.now += MINUTE
    expect(ledger.steer('ocr', { concurrency: 2 })).toMatchObject({ state: 'paused', state_since })
  })

  it.each<Partial<SteerQueue>>([
    { state: 'paused' },
    { concurrency: 3 },
    { rate: { max: 5, per_ms: 1000 } },
    {},
  ])('asking again for %j changes nothing and is no news', (more) => {
    const ledger = new KernelLedger()
    const set = { state: 'paused', concurrency: 3, rate: { max: 5, per_ms: 1000 } } as const
    const before = ledger.steer('ocr', set)
    ledger.now += MINUTE
    const history = ledger.history.length
    expect(ledger.steer('ocr', more)).toBe(before)
    expect(ledger.history).toHaveLength(history)
  })

  it.each([
    { rate: { max: 5, per_ms: 2000 } },
    { rate: { max: 6, per_ms: 1000 } },
    { concurrency: 4 },
    { state: 'running' },
  ] as const)('asking for %j is news', (more) => {
    const ledger = new KernelLedger()
    ledger.steer('ocr', { state: 'paused', concurrency: 3, rate: { max: 5, per_ms: 1000 } })
    const history = ledger.history.length
    expect(ledger.steer('ocr', more)).toMatchObject(more)
    expect(ledger.history).toHaveLength(history + 1)
  })
})

describe('demanding an etag of a queue', () => {
  it('the right one is accepted; of a queue that nobody touched it is empty', () => {
    const ledger = new KernelLedger()
    const { etag } = ledger.steer('ocr', { state: 'paused', if_match: '' })
    expect(ledger.steer('ocr', { state: 'running', if_match: etag })).toMatchObject({ state: 'running' })
  })

  it.each([
    ['of a queue that somebody else touched first', true],
    ['of a queue that nobody touched', false],
  ])('a stale one %s is refused, and the history keeps it', (_, exists) => {
    const ledger = new KernelLedger()
    if (exists) ledger.steer('ocr', { state: 'paused' })
    const before = ledger.contents()
    const state = exists ? 'paused' : 'running'
    expect(ledger.refusalOf({ ...steer, state: 'running', if_match: 'other' })).toMatchObject({
      code: 'STALE_ETAG',
      field: 'if_match',
      details: { queue: 'ocr', etag: exists ? 'etag-1' : null, state },
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({
      event: 'refused',
      path: [state, state],
      metadata: { refusal: 'STALE_ETAG', command: 'steerQueue' },
    })
  })
})

describe('where a queue is kept', () => {
  it('it is asked for when it was not loaded, under everybody', () => {
    const key = { kind: 'queue', tenant_id: '*', id: 'ocr' }
    expect(keyOf(steer)).toEqual(key)
    const given = withoutLoaded(new KernelLedger(), 'queue')
    expect(decide(steer, given)).toEqual({ kind: 'need', keys: [key] })
  })
})
