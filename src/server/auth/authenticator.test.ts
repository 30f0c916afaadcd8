import { describe, expect, it } from 'vitest'
import { openLedger } from '../../open-ledger.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { Authenticator } from './authenticator.ts'
import { TokenBook } from './token-book.ts'

async function setUp({ isNeeded = true } = {}) {
  const world = virtualWorld()
  const ledger = await openLedger('memory:', { world })
  let asked = 0
  const book = new TokenBook(
    {
      verify: (text) => {
        asked++
        return ledger.tokens.verify(text)
      },
    },
    world.clock,
  )
  let secrets = 0
  const admitted: string[] = []
  const authenticator = new Authenticator({
    tokens: book,
    clock: world.clock,
    makeSecret: () => `secret-${++secrets}`,
    isNeeded,
    onAdmitted: (token_id) => admitted.push(token_id),
  })
  const shown = { cookie: undefined, address: '10.0.0.1', connection: {} }
  const show = async (authorization: string | undefined, more = {}) =>
    authenticator.authenticate({ ...shown, authorization, ...more })
  const mint = async (more = {}) =>
    ledger.tokens.mint({ name: 'ci', role: 'operator', tenants: ['t1'], ...more })
  return { world, ledger, book, authenticator, show, mint, admitted, asked: () => asked }
}

describe('who asks', () => {
  it('is known by a token: name, role and tenants', async () => {
    const { show, mint, admitted } = await setUp()
    const { token, record } = await mint()
    expect(await show(`Bearer ${token}`)).toMatchObject({
      name: 'ci',
      role: 'operator',
      tenants: new Set(['t1']),
      token_id: record.token_id,
    })
    expect(admitted).toEqual([record.token_id])
    const all = await mint({ tenants: ['*'] })
    expect((await show(`bearer ${all.token}`)).tenants).toBeNull()
  })

  it('the ledger is asked once in a while, and again when something was revoked', async () => {
    const { world, book, show, mint, asked } = await setUp()
    const { token } = await mint()
    const connection = {}
    for (let i = 0; i < 3; i++) await show(`Bearer ${token}`, { connection })
    await show(`Bearer ${token}`)
    expect(asked()).toBe(1)
    await world.advanceBy(5000)
    await show(`Bearer ${token}`, { connection })
    expect(asked()).toBe(2)
    book.forget()
    await show(`Bearer ${token}`, { connection })
    expect(asked()).toBe(3)
  })

  it('a token that expires is good until then and no longer, whatever is remembered', async () => {
    const { world, show, mint } = await setUp()
    const { token } = await mint({ expires_in: '2s' })
    const connection = {}
    await show(`Bearer ${token}`, { connection })
    await world.advanceBy(1999)
    await show(`Bearer ${token}`, { connection })
    await world.advanceBy(1)
    await expect(show(`Bearer ${token}`, { connection })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  it('the secret of this machine is an admin that may speak for others', async () => {
    const { authenticator, show } = await setUp()
    expect(await show(`Bearer ${authenticator.localSecret}`)).toMatchObject({
      name: 'local',
      role: 'admin',
      tenants: null,
      speaksForOthers: true,
    })
  })

  it('whoever guesses is not heard for a while; who is known goes on', async () => {
    const { world, show, mint } = await setUp()
    const { token } = await mint()
    await show(`Bearer ${token}`)
    for (let i = 0; i < 10; i++)
      await expect(show(`Bearer wrong-${i}`)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    await expect(show('Bearer wrong')).rejects.toMatchObject({ code: 'LOGIN_BLOCKED' })
    await expect(show('not even that')).rejects.toMatchObject({ code: 'LOGIN_BLOCKED' })
    expect((await show(`Bearer ${token}`)).name).toBe('ci')
    await expect(show('Bearer wrong', { address: '10.0.0.2' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    await world.advanceBy(60_000)
    await expect(show('Bearer wrong')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  it('a wrong token is wrong, also beside a good cookie and when none is needed', async () => {
    const { authenticator, show } = await setUp({ isNeeded: false })
    const { cookie = '' } = authenticator.sessions.open(
      authenticator.sessions.link(authenticator.owner).code,
    ) ?? { cookie: '' }
    await expect(show('Bearer x', { cookie: `waybill_session=${cookie}` })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    expect(await show(undefined, { cookie: `waybill_session=${cookie}` })).toMatchObject({ name: 'local' })
    expect(await show(undefined)).toMatchObject({ name: 'anybody' })
  })

  it('nobody comes in with nothing', async () => {
    const { show } = await setUp()
    await expect(show(undefined)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    await expect(show(undefined, { cookie: 'waybill_session=guess' })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })
})
