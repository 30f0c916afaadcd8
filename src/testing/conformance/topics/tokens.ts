import assert from 'node:assert/strict'
import { EVERYBODY } from '../../../core/queue/record.ts'
import { MINUTE_MS } from '../../../core/time.ts'
import type { TokenRecord } from '../../../core/token/record.ts'
import { type Check, type Topic, withoutExactCounts } from '../check.ts'
import { mintToken, revokeToken } from '../commands.ts'
import { auditAll, findAll } from '../reading.ts'
import type { Scene } from '../scene.ts'

function keyOf(id: string) {
  return { kind: 'token', tenant_id: EVERYBODY, id } as const
}

async function tokenOf(scene: Scene, id: string): Promise<TokenRecord> {
  const token = await scene.store.get(keyOf(id))
  assert(token !== null, `token ${id} is there`)
  return token
}

const checks: readonly Check[] = [
  {
    name: 'keeps tokens for everybody, finds them by state, and tells who minted and revoked them',
    async run(scene) {
      assert.equal(await scene.store.get(keyOf('b')), null)
      const until = '2099-01-01T00:00:00.000Z'
      const revoked = await scene.do(mintToken('b', { tenants: ['acme', 'Zeta'], expires_at: until }))
      const kept = await scene.do(mintToken('a', { role: 'admin', tenants: ['*'] }))
      assert.deepEqual(await tokenOf(scene, 'b'), revoked)
      assert.deepEqual(await scene.store.load(keyOf('b')), revoked)
      await scene.pass(MINUTE_MS)
      const after = await scene.do(revokeToken('b', { actor: 'eve', reason: 'lost' }))
      assert.deepEqual(await tokenOf(scene, 'b'), after)
      assert.notEqual(after.etag, revoked.etag)
      assert.deepEqual(await findAll(scene.store, { kind: 'token' }), [kept, after])
      assert.deepEqual(await findAll(scene.store, { kind: 'token', where: { state: 'active' } }), [kept])
      assert.deepEqual(await findAll(scene.store, { kind: 'token', where: { state: 'revoked' } }), [after])
      assert.deepEqual(await findAll(scene.store, { kind: 'token', tenant_id: EVERYBODY, limit: 1 }), [
        kept,
        after,
      ])
      assert.deepEqual(await findAll(scene.store, { kind: 'token', tenant_id: 'acme' }), [])
      const told = await auditAll(scene.store, { kind: 'token', id: 'b' })
      assert.deepEqual(
        told.map(({ new_state, reason }) => [new_state, reason]),
        [
          ['active', null],
          ['revoked', 'lost'],
        ],
      )
      assert.deepEqual(await scene.store.check(), [])
    },
  },
  {
    name: 'counts tokens by state',
    excuse: withoutExactCounts,
    async run(scene) {
      for (const id of ['a', 'b', 'c']) await scene.do(mintToken(id))
      await scene.do(revokeToken('b'))
      assert.deepEqual(await scene.store.counts('token'), { active: 2, revoked: 1 })
      assert.deepEqual(await scene.store.counts('token', EVERYBODY), { active: 2, revoked: 1 })
      assert.equal((await scene.store.stats()).records.token, 3)
    },
  },
  {
    name: 'mints a token of an id once, however many ask',
    async run(scene) {
      const stores = await scene.writers()
      const racing = Array.from({ length: 6 }, (_, n) =>
        scene.act(mintToken('same', { name: `racer-${n}` }), stores[n % stores.length]),
      )
      const outcomes = await scene.within(Promise.all(racing), 'six who mint')
      const minted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.answer] : []))
      const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]))
      assert.deepEqual(minted, [await tokenOf(scene, 'same')])
      assert.deepEqual([...new Set(codes)], ['TOKEN_EXISTS'])
    },
  },
  {
    name: 'still knows its tokens after maintenance, also those that were revoked',
    async run(scene) {
      const kept = await scene.do(mintToken('kept'))
      await scene.do(mintToken('gone'))
      const gone = await scene.do(revokeToken('gone'))
      for (let times = 0; times < 2; times++) {
        await scene.store.maintain()
        assert.deepEqual(await tokenOf(scene, 'kept'), kept)
        assert.deepEqual(await tokenOf(scene, 'gone'), gone)
      }
      assert.equal((await scene.refusalOf(mintToken('gone'))).code, 'TOKEN_EXISTS')
      assert.equal((await scene.do(revokeToken('kept'))).state, 'revoked')
    },
  },
  {
    name: 'still knows its tokens when it is opened again',
    reopens: true,
    async run(scene) {
      const kept = await scene.do(mintToken('kept'))
      await scene.do(mintToken('gone'))
      await scene.reopen()
      assert.deepEqual(await tokenOf(scene, 'kept'), kept)
      const gone = await scene.do(revokeToken('gone'))
      await scene.store.maintain()
      await scene.reopen()
      assert.deepEqual(await findAll(scene.store, { kind: 'token' }), [gone, kept])
      assert.deepEqual(await scene.do(revokeToken('gone')), gone)
    },
  },
]

export const tokens: Topic = { topic: 'tokens', checks }
