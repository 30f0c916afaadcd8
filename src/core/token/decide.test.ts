import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { decide, keyOf } from '../command.ts'
import { EVERYBODY } from '../queue/record.ts'
import { MINUTE_MS, toIso } from '../time.ts'
import type { MintToken, RevokeToken } from './decide.ts'

const HASH = 'f'.repeat(64)

const mint: MintToken = {
  type: 'mintToken',
  tenant_id: EVERYBODY,
  token_id: '0123456789ab',
  name: 'ci',
  role: 'worker',
  tenants: ['acme', 'globex'],
  hash: HASH,
  expires_at: '2099-01-01T00:00:00.000Z',
  actor: 'ada',
  reason: 'for the builds',
}

const revoke: RevokeToken = {
  type: 'revokeToken',
  tenant_id: EVERYBODY,
  token_id: '0123456789ab',
  actor: 'bob',
  reason: 'it was in a log',
}

describe('minting a token', () => {
  it('keeps what it is good for and what its secret hashes to, and the history says who did it', () => {
    const ledger = new KernelLedger()
    const at = toIso(ledger.now)
    expect(ledger.run(mint)).toStrictEqual({
      kind: 'token',
      tenant_id: '*',
      token_id: '0123456789ab',
      state: 'active',
      state_since: at,
      name: 'ci',
      role: 'worker',
      tenants: ['acme', 'globex'],
      hash: HASH,
      expires_at: '2099-01-01T00:00:00.000Z',
      created_at: at,
      updated_at: at,
      etag: 'etag-1',
    })
    expect(ledger.records('token', '0123456789ab')).toMatchObject([
      {
        event: 'moved',
        tenant_id: '*',
        old_state: null,
        new_state: 'active',
        adapter: 'token',
        actor: 'ada',
        reason: 'for the builds',
        duration_seconds: null,
      },
    ])
    expect(ledger.last().metadata).toStrictEqual({
      name: 'ci',
      role: 'worker',
      tenants: ['acme', 'globex'],
      expires_at: '2099-01-01T00:00:00.000Z',
    })
  })

  it('refuses an id that is taken, also by one that was revoked', () => {
    const ledger = new KernelLedger()
    ledger.run(mint)
    expect(ledger.refusalOf({ ...mint, name: 'eve' })).toMatchObject({
      code: 'TOKEN_EXISTS',
      field: 'token_id',
    })
    ledger.run(revoke)
    const before = ledger.contents()
    expect(ledger.refusalOf({ ...mint, name: 'eve' })).toMatchObject({ code: 'TOKEN_EXISTS' })
    expect(ledger.contents()).toEqual(before)
  })
})

describe('revoking a token', () => {
  it('is for good, and the history says who, why, and how long it was good', () => {
    const ledger = new KernelLedger()
    const minted = ledger.run(mint)
    ledger.now += MINUTE_MS
    const at = toIso(ledger.now)
    expect(ledger.run(revoke)).toStrictEqual({
      ...minted,
      state: 'revoked',
      state_since: at,
      updated_at: at,
      etag: 'etag-2',
    })
    expect(ledger.last()).toMatchObject({
      path: ['active', 'revoked'],
      actor: 'bob',
      reason: 'it was in a log',
      duration_seconds: 60,
      metadata: { name: 'ci', role: 'worker' },
    })
  })

  it('twice is no news', () => {
    const ledger = new KernelLedger()
    ledger.run(mint)
    const revoked = ledger.run(revoke)
    ledger.now += MINUTE_MS
    const history = ledger.history.length
    expect(ledger.run({ ...revoke, actor: 'carol' })).toBe(revoked)
    expect(ledger.history).toHaveLength(history)
  })

  it('needs one that is there', () => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf(revoke)).toMatchObject({ code: 'NOT_FOUND', field: 'token_id' })
    expect(ledger.history).toEqual([])
  })
})

describe('demanding an etag of a token', () => {
  it('the right one is accepted; of one that is not there it is empty', () => {
    const ledger = new KernelLedger()
    const { etag } = ledger.run({ ...mint, if_match: '' })
    expect(ledger.run({ ...revoke, if_match: etag })).toMatchObject({ state: 'revoked' })
  })

  it('a stale one is refused, and the history keeps it', () => {
    const ledger = new KernelLedger()
    ledger.run(mint)
    const before = ledger.contents()
    expect(ledger.refusalOf({ ...revoke, if_match: 'other' })).toMatchObject({
      code: 'STALE_ETAG',
      field: 'if_match',
      details: { token_id: '0123456789ab', etag: 'etag-1' },
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({
      event: 'refused',
      path: ['active', 'active'],
      metadata: { refusal: 'STALE_ETAG', command: 'revokeToken' },
    })
  })

  it('of one that is not there the history keeps nothing', () => {
    const ledger = new KernelLedger()
    expect(ledger.refusalOf({ ...revoke, if_match: 'other' })).toMatchObject({
      code: 'STALE_ETAG',
      details: { etag: null },
    })
    expect(ledger.history).toEqual([])
  })
})

describe('what the history has of a token', () => {
  it('is never what its secret hashes to', () => {
    const ledger = new KernelLedger()
    ledger.run(mint)
    ledger.refusalOf({ ...revoke, if_match: 'other' })
    ledger.refusalOf(mint)
    ledger.run(revoke)
    expect(ledger.history).toHaveLength(3)
    expect(JSON.stringify(ledger.history)).not.toContain(HASH)
  })
})

describe('where a token is kept', () => {
  it.each([mint, revoke])('it is asked for when it was not loaded, under everybody', (command) => {
    const key = { kind: 'token', tenant_id: '*', id: '0123456789ab' }
    expect(keyOf(command)).toEqual(key)
    expect(decide(command, withoutLoaded(new KernelLedger(), 'token'))).toEqual({ kind: 'need', keys: [key] })
  })
})
