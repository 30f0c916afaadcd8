import { expect, it } from 'vitest'
import { openLedger } from '../../open-ledger.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { TokenWatch } from './token-watch.ts'

async function setUp() {
  const world = virtualWorld()
  const ledger = await openLedger('memory:', { world })
  const ended: string[] = []
  const watch = new TokenWatch({ tokens: ledger.tokens, world, onEnded: (id) => ended.push(id) })
  watch.start()
  const mint = async (more = {}) => {
    const { record } = await ledger.tokens.mint({ name: 'a', role: 'viewer', tenants: ['t1'], ...more })
    watch.add(record.token_id)
    return record.token_id
  }
  return { world, ledger, watch, ended, mint }
}

it('a token that is revoked here ends at once', async () => {
  const { ledger, ended, mint } = await setUp()
  const [one] = [await mint(), await mint()]
  await ledger.tokens.revoke(one)
  expect(ended).toEqual([one])
})

it('one that expires, or is gone, ends within seconds', async () => {
  const { world, watch, ended, mint } = await setUp()
  const short = await mint({ expires_in: '7s' })
  const long = await mint({ expires_in: '1h' })
  await world.advanceBy(5000)
  expect(ended).toEqual([])
  await world.advanceBy(5000)
  expect(ended).toEqual([short])
  watch.add('never-there')
  await world.advanceBy(5000)
  expect(ended).toEqual([short, 'never-there'])
  await world.advanceBy(3_600_000)
  expect(ended).toEqual([short, 'never-there', long])
})

it('after it was stopped it looks no more', async () => {
  const { world, ledger, watch, ended, mint } = await setUp()
  const one = await mint({ expires_in: '7s' })
  const two = await mint()
  watch.stop()
  await world.advanceBy(60_000)
  await ledger.tokens.revoke(two)
  expect(ended).toEqual([])
  expect(one).not.toBe(two)
})

it('when the ledger cannot be asked everybody stays for now', async () => {
  const { world, ledger, ended, mint } = await setUp()
  await mint({ expires_in: '7s' })
  await ledger.close()
  await world.advanceBy(60_000)
  expect(ended).toEqual([])
})
