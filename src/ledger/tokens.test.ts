import { describe, expect, it } from 'vitest'
import { openTestLedger } from '../../test/fixtures/test-ledger.ts'
import { EVERYBODY } from '../core/queue/record.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { NotFound, StaleEtag } from '../errors/refusal-errors.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import type { NewToken } from './new-token.ts'
import { secretHash } from './token-text.ts'

const CI: NewToken = { name: 'ci', role: 'worker', tenants: ['acme'] }

const HOUR = 3_600_000

async function opened() {
  const world = virtualWorld()
  return { world, ledger: await openTestLedger({ world }) }
}

describe('minting', () => {
  it('answers with the text that its bearer shows, and never again', async () => {
    const { ledger } = await opened()
    const { token, record } = await ledger.tokens.mint(
      { ...CI, expires_in: '90d' },
      { actor: 'ada', reason: 'builds' },
    )
    expect(token).toMatch(/^wb_[0-9a-f]{12}_[\w-]{43}$/)
    const [, id, secret = ''] = /^wb_([^_]+)_(.+)$/.exec(token) ?? []
    expect(record).toStrictEqual({
      kind: 'token',
      tenant_id: EVERYBODY,
      token_id: id,
      state: 'active',
      state_since: '2025-01-02T03:04:05.000Z',
      name: 'ci',
      role: 'worker',
      tenants: ['acme'],
      expires_at: '2025-04-02T03:04:05.000Z',
      created_at: '2025-01-02T03:04:05.000Z',
      updated_at: '2025-01-02T03:04:05.000Z',
      etag: record.etag,
    })
    expect(await ledger.tokens.get(record.token_id)).toStrictEqual(record)
    expect(await Array.fromAsync(ledger.tokens.list())).toStrictEqual([record])
    const history = await Array.fromAsync(ledger.audit.records())
    expect(history).toMatchObject([
      { kind: 'token', id, actor: 'ada', reason: 'builds', metadata: { name: 'ci', tenants: ['acme'] } },
    ])
    expect(JSON.stringify(history)).not.toContain(secret)
    expect(JSON.stringify(history)).not.toContain(secretHash(secret))
  })

  it('makes another one each time', async () => {
    const { ledger } = await opened()
    const minted = [await ledger.tokens.mint(CI), await ledger.tokens.mint(CI)]
    expect(new Set(minted.map(({ token }) => token.slice(16))).size).toBe(2)
    expect(new Set(minted.map(({ record }) => record.token_id)).size).toBe(2)
  })

  it('takes an end in any time zone, or none', async () => {
    const { ledger } = await opened()
    const at = await ledger.tokens.mint({ ...CI, expires_at: '2025-02-01T01:00:00+01:00' })
    expect(at.record.expires_at).toBe('2025-02-01T00:00:00.000Z')
    const soon = await ledger.tokens.mint({ ...CI, expires_in: 1 })
    expect(soon.record.expires_at).toBe('2025-01-02T03:04:05.001Z')
    const never = await ledger.tokens.mint({ ...CI, tenants: ['*'] })
    expect(never.record).toMatchObject({ expires_at: null, tenants: ['*'] })
  })

  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ role: 'root' }, 'role'],
    [{ tenants: [] }, 'tenants'],
    [{ tenants: 'acme' }, 'tenants'],
    [{ tenants: ['acme', ' '] }, 'tenants.1'],
    [{ tenants: ['acme', '*'] }, 'tenants'],
    [{ tenants: ['acme', 'acme'] }, 'tenants'],
    [{ tenants: Array.from({ length: 101 }, (_, n) => `t${n}`) }, 'tenants'],
    [{ expires_in: 'soon' }, 'expires_in'],
    [{ expires_in: 0 }, 'expires_in'],
    [{ expires_in: -1 }, 'expires_in'],
    [{ expires_in: '999999w' }, 'expires_in'],
    [{ expires_in: '99999999999999999999w' }, 'expires_in'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: '2025-01-02T03:04:05.000Z' }, 'expires_at'],
    [{ expires_in: '1d', expires_at: '2099-01-01T00:00:00Z' }, 'expires_at'],
    [{ hash: 'mine' }, 'hash'],
  ])('is refused with %j, and nothing is written', async (fields, field) => {
    const { ledger } = await opened()
    const refused = ledger.tokens.mint({ ...CI, ...fields } as NewToken)
    await expect(refused).rejects.toThrow(InvalidInput)
    await expect(refused).rejects.toMatchObject({ field })
    expect((await ledger.stats()).records.token).toBe(0)
  })
})

describe('verifying', () => {
  it('says whose token it is, until it expires', async () => {
    const { ledger, world } = await opened()
    const { token, record } = await ledger.tokens.mint({ ...CI, expires_in: '1h' })
    expect(await ledger.tokens.verify(token)).toMatchObject(record)
    await world.advanceBy(HOUR - 1)
    expect(await ledger.tokens.verify(token)).toMatchObject({ name: 'ci', role: 'worker' })
    await world.advanceBy(1)
    expect(await ledger.tokens.verify(token)).toBeNull()
    expect((await ledger.tokens.get(record.token_id))?.state).toBe('active')
  })

  it('lets in nobody with another secret, another id, a token cut short or drawn out, or anything else', async () => {
    const { ledger } = await opened()
    const { token } = await ledger.tokens.mint(CI)
    const other = await ledger.tokens.mint(CI)
    const wrong = [
      token.slice(0, 16) + other.token.slice(16),
      token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
      `wb_${'0'.repeat(12)}_${token.slice(16)}`,
      token.slice(0, -1),
      `${token}x`,
      `${token}\n`,
      ` ${token}`,
      token.toUpperCase(),
      '',
      'wb__',
      undefined,
      { length: 59 },
    ]
    for (const text of wrong) expect(await ledger.tokens.verify(text as string)).toBeNull()
    expect(await ledger.tokens.verify(token)).not.toBeNull()
  })
})

describe('revoking', () => {
  it('ends it at once and for good, and says so once', async () => {
    const { ledger } = await opened()
    const { token, record } = await ledger.tokens.mint(CI)
    const kept = await ledger.tokens.mint(CI)
    const revoked = await ledger.tokens.revoke(record.token_id, { actor: 'bob', reason: 'lost' })
    expect(revoked).toMatchObject({ state: 'revoked', name: 'ci' })
    expect(revoked).not.toHaveProperty('hash')
    expect(await ledger.tokens.verify(token)).toBeNull()
    expect(await ledger.tokens.verify(kept.token)).not.toBeNull()
    expect(await ledger.tokens.revoke(record.token_id)).toStrictEqual(revoked)
    const active = await Array.fromAsync(ledger.tokens.list({ state: 'active' }))
    expect(active.map(({ token_id }) => token_id)).toEqual([kept.record.token_id])
    const told = await Array.fromAsync(ledger.audit.records({ kind: 'token', id: record.token_id }))
    expect(told.map(({ new_state, actor, reason }) => [new_state, actor, reason])).toEqual([
      ['active', 'local', null],
      ['revoked', 'bob', 'lost'],
    ])
  })

  it('needs one that is there, as it was seen', async () => {
    const { ledger } = await opened()
    const { record } = await ledger.tokens.mint(CI)
    await expect(ledger.tokens.revoke('000000000000')).rejects.toThrow(NotFound)
    await expect(ledger.tokens.revoke('')).rejects.toMatchObject({ field: 'token_id' })
    await expect(ledger.tokens.revoke(record.token_id, { if_match: 'old' })).rejects.toThrow(StaleEtag)
    expect(await ledger.tokens.get('000000000000')).toBeNull()
  })
})

it('what is refused is logged without the secret and what it hashes to', async () => {
  const { ledger, world } = await opened()
  const { token, record } = await ledger.tokens.mint(CI)
  await ledger.tokens.verify(token.slice(0, -1))
  await expect(ledger.tokens.revoke(record.token_id, { if_match: 'old' })).rejects.toThrow(StaleEtag)
  const logged = JSON.stringify(world.logged)
  expect(logged).toContain(record.token_id)
  expect(logged).not.toContain(token.slice(16, 40))
  expect(logged).not.toContain(secretHash(token.slice(16)))
})
