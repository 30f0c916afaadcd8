// Keys alone were to be taken, in two partitions, so that a row was to decide over both. It did not arrive at first; somebody who could
// not wait saw to it that it never would, and took one of the keys. The second try found a row there, took that for the first
// one's, and whoever asked was told that the key was theirs: it had two owners.
import { expect, it } from 'vitest'
import { change } from '../../src/core/decision.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { TENANT } from '../../src/testing/conformance/commands.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ({ tenant_id: TENANT, key }))
const [FIRST] = KEYS as [(typeof KEYS)[number]]

/** Answers who has the first of them. */
const take = (store: Store, owner: string, keys = KEYS) =>
  store.transact([], (given) => {
    const known = given.ownerOf(FIRST)
    return known === undefined
      ? change(owner, { claims: keys.map((key) => ({ ...key, owner })) })
      : change(known, {})
  })

it('a key has one owner, also when somebody could not wait for who was about to have it', async () => {
  const world = virtualWorld()
  const account = new FakeAccount()
  const options = { shards: 4 }
  const other = await openOn(new FakeTableService(account), world, options)
  let isLost = false
  const before = async ({ pk }: FakeRequest) => {
    if (isLost || pk?.startsWith('change~') !== true) return
    isLost = true
    expect(await take(other, 'other', [FIRST])).toMatchObject({ answer: 'other' })
    return 'lost'
  }
  const store = await openOn(new FakeTableService(account, { before }), world, options)
  expect(await passing(world, take(store, 'slow'))).toMatchObject({ ok: true, answer: 'other' })
  expect(isLost).toBe(true)
  expect(await other.ownerOf(FIRST)).toBe('other')
  expect(await other.check()).toEqual([])
})
