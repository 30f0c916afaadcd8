// How one gets in, and how one does not.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type HttpLedger, httpLedger, OURS, THEIRS } from './http-ledger.ts'

const MINUTE_MS = 60_000

let http: HttpLedger

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS } })
})
afterAll(() => http[Symbol.asyncDispose]())

const NOBODYS = `wb_${'0'.repeat(12)}_${'x'.repeat(43)}`

const who = (authorization: string | undefined, on: HttpLedger = http) =>
  on.ask('GET', '/v1/session', authorization === undefined ? {} : { headers: { authorization } })

it('a token says who one is', async () => {
  for (const form of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
    const { status, json } = await who(`${form} ${http.tokens['acme.worker']}`)
    expect([status, json]).toMatchObject([200, { name: 'acme.worker', role: 'worker', tenants: [OURS] }])
  }
  expect((await who(`Bearer ${http.tokens.admin}`)).json).toMatchObject({
    name: 'admin',
    role: 'admin',
    tenants: ['*'],
  })
  expect((await who(`Bearer ${http.server.localSecret}`)).json.name).toBe('local')
})

it.each<[string, (token: string) => string]>([
  ['nothing', () => ''],
  ['a space', () => ' '],
  ['only the scheme', () => 'Bearer'],
  ['only the scheme and a space', () => 'Bearer '],
  ['no scheme', (token) => token],
  ['no space', (token) => `Bearer${token}`],
  ['a colon', (token) => `Bearer: ${token}`],
  ['an equals sign', (token) => `Bearer=${token}`],
  ['a tab', (token) => `Bearer\t${token}`],
  ['another scheme', (token) => `Token ${token}`],
  ['Basic', (token) => `Basic ${Buffer.from(`:${token}`).toString('base64')}`],
  ['Basic with the token itself', (token) => `Basic ${token}`],
  ['Digest', (token) => `Digest username="${token}"`],
  ['quotes', (token) => `Bearer "${token}"`],
  ['the scheme twice', (token) => `Bearer Bearer ${token}`],
  ['two tokens', (token) => `Bearer ${token} ${token}`],
  ['two tokens with a comma', (token) => `Bearer ${token}, Bearer ${token}`],
  ['a space at the end of it', (token) => `Bearer ${token} x`],
  ['a letter more', (token) => `Bearer ${token}x`],
  ['a letter less', (token) => `Bearer ${token.slice(0, -1)}`],
  ['another last letter', (token) => `Bearer ${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
  ['capitals', (token) => `Bearer ${token.toUpperCase()}`],
  ['another case within', (token) => `Bearer ${token.slice(0, 20)}${token.slice(20).toLowerCase()}!`],
  ['another id', (token) => `Bearer wb_${'0'.repeat(12)}${token.slice(15)}`],
  ['another secret', (token) => `Bearer ${token.slice(0, 16)}${'x'.repeat(43)}`],
  ['only the id', (token) => `Bearer ${token.slice(0, 15)}`],
  ['only the secret', (token) => `Bearer ${token.slice(16)}`],
  ['no prefix', (token) => `Bearer ${token.slice(3)}`],
  ['another prefix', (token) => `Bearer xx${token.slice(2)}`],
  ['base64 of it', (token) => `Bearer ${Buffer.from(token).toString('base64')}`],
  ['escapes', (token) => `Bearer ${token.replaceAll('_', '%5F')}`],
  ['a path', () => 'Bearer ../../tokens/admin'],
  ['SQL', () => "Bearer ' OR 1=1 --"],
  ['a name of an object', () => 'Bearer __proto__'],
  ['null', () => 'Bearer null'],
  ['undefined', () => 'Bearer undefined'],
  ['512 letters', () => `Bearer ${'a'.repeat(512)}`],
  ['10,000 letters', () => `Bearer ${'a'.repeat(10_000)}`],
  ['a token of nobody', () => `Bearer ${NOBODYS}`],
])('%s is no token', async (_what, form) => {
  const { status, json, headers } = await who(form(http.tokens.admin))
  expect([status, json.code]).toEqual([401, 'UNAUTHENTICATED'])
  expect(headers['www-authenticate']).toBe('Bearer realm="waybill"')
  await http.world.clock.advanceBy(MINUTE_MS)
})

it('two Authorization headers are none', async () => {
  const line = `Authorization: Bearer ${http.tokens.admin}`
  const request = (...headers: string[]) =>
    http.raw(
      `GET /v1/session HTTP/1.1\r\nHost: localhost\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`,
    )
  expect((await request(line)).status).toBe(200)
  // Whoever stands before us may have looked at the other one.
  expect((await request(line, `Authorization: Bearer ${http.tokens['acme.viewer']}`)).status).toBe(400)
  expect((await request(`Authorization: Bearer ${NOBODYS}`, line)).status).toBe(400)
})

it('a token does not come in by a query, a cookie or a body', async () => {
  const { admin } = http.tokens
  for (const query of ['token', 'access_token', 'authorization']) {
    expect((await http.ask('GET', '/v1/session', { query: { [query]: admin } })).status).toBe(401)
  }
  for (const cookie of [`waybill_session=${admin}`, `token=${admin}`, `authorization=Bearer ${admin}`]) {
    expect((await http.ask('GET', '/v1/session', { headers: { cookie } })).status).toBe(401)
  }
  expect((await http.ask('POST', '/v1/session', { body: { code: admin } })).status).toBe(401)
})

it('a secret is compared in a time that tells nothing, also where there is nothing to compare it with', async () => {
  const { timingSafeEqual } = crypto
  const compared: number[] = []
  crypto.timingSafeEqual = (a, b) => {
    compared.push(a.byteLength)
    return timingSafeEqual(a, b)
  }
  syncBuiltinESMExports()
  try {
    for (const token of [NOBODYS, `${http.tokens.admin.slice(0, 16)}${'x'.repeat(43)}`]) {
      compared.length = 0
      expect((await who(`Bearer ${token}`)).status).toBe(401)
      // The hash of the secret, of a token that is there and of one that is not.
      expect(compared).toContain(32)
    }
  } finally {
    crypto.timingSafeEqual = timingSafeEqual
    syncBuiltinESMExports()
  }
})

it('a token that was revoked lets nobody in from then on, nor do sessions and links that it made', async () => {
  // It was taken for good for seconds after, and its sessions for half a day.
  const mint = async () => {
    const body = { name: 'short-lived', role: 'operator', tenants: [OURS] }
    return (await http.as('admin', 'POST', '/v1/admin/tokens', { body })).json
  }
  const revokers = [
    (id: string) => http.as('admin', 'POST', `/v1/admin/tokens/${id}:revoke`, { body: {} }),
    (id: string) => http.ledger.tokens.revoke(id),
  ]
  for (const revoke of revokers) {
    const { token, record } = await mint()
    const link = async () => {
      const { json } = await http.ask('POST', '/v1/links', { token, body: {} })
      return { code: new URL(json.url).hash.slice(1) }
    }
    const opened = await http.ask('POST', '/v1/session', { body: await link() })
    const cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] as string
    const unopened = await link()
    const bySession = () => http.ask('GET', '/v1/jobs', { headers: { cookie } })
    expect((await http.ask('GET', '/v1/jobs', { token })).status).toBe(200)
    expect((await bySession()).status).toBe(200)
    await revoke(record.token_id)
    expect((await http.ask('GET', '/v1/jobs', { token })).status).toBe(401)
    expect((await bySession()).status).toBe(401)
    const late = await http.ask('POST', '/v1/session', { body: unopened })
    expect(late.status).toBe(401)
    expect((await who(`Bearer ${http.tokens.admin}`)).status).toBe(200)
    await http.world.clock.advanceBy(MINUTE_MS)
  }
})

it('a token and its sessions end when it expires, to the millisecond', async () => {
  const body = { name: 'for an hour', role: 'viewer', tenants: [OURS], expires_in: '1h' }
  const { json } = await http.as('admin', 'POST', '/v1/admin/tokens', { body })
  const { token } = json
  const made = await http.ask('POST', '/v1/links', { token, body: {} })
  const opened = await http.ask('POST', '/v1/session', {
    body: { code: new URL(made.json.url).hash.slice(1) },
  })
  const cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] as string
  await http.world.clock.advanceBy(60 * MINUTE_MS - 1)
  expect((await http.ask('GET', '/v1/jobs', { token })).status).toBe(200)
  expect((await http.ask('GET', '/v1/jobs', { headers: { cookie } })).status).toBe(200)
  await http.world.clock.advanceBy(1)
  expect((await http.ask('GET', '/v1/jobs', { token })).status).toBe(401)
  expect((await http.ask('GET', '/v1/jobs', { headers: { cookie } })).status).toBe(401)
})

it('a link opens one session, within its time', async () => {
  const codeOf = (url: string) => new URL(url).hash.slice(1)
  const open = (code: string) => http.ask('POST', '/v1/session', { body: { code } })
  const code = codeOf(http.server.link())
  const first = await open(code)
  expect([first.status, first.json]).toMatchObject([200, { name: 'local', role: 'admin', tenants: ['*'] }])
  const [set = ''] = first.headers['set-cookie'] ?? []
  expect(set).toMatch(/^waybill_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
  expect((await open(code)).status).toBe(401)
  const late = codeOf(http.server.link())
  await http.world.clock.advanceBy(15 * MINUTE_MS)
  expect((await open(late)).status).toBe(401)
  const cookie = set.split(';')[0] as string
  const by = { cookie, 'sec-fetch-site': 'same-origin' }
  expect((await http.ask('GET', '/v1/session', { headers: by })).status).toBe(200)
  await http.world.clock.advanceBy(12 * 60 * MINUTE_MS)
  expect((await http.ask('GET', '/v1/session', { headers: by })).status).toBe(401)
})

it('whoever logs out is out', async () => {
  const cookie = await http.session('operator')
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const { status, headers: said } = await http.ask('DELETE', '/v1/session', { headers })
  expect(status).toBe(200)
  expect(said['set-cookie']?.[0]).toContain('Max-Age=0')
  expect((await http.ask('GET', '/v1/session', { headers })).status).toBe(401)
})

it('a link opens no more than its maker may', async () => {
  const make = (as: 'acme.viewer' | 'operator' | 'both', body: object) =>
    http.as(as, 'POST', '/v1/links', { body })
  const before = await http.fingerprint()
  for (const [as, body] of [
    ['acme.viewer', { role: 'worker' }],
    ['acme.viewer', { role: 'admin' }],
    ['acme.viewer', { tenants: [THEIRS] }],
    ['acme.viewer', { tenants: [OURS, THEIRS] }],
    ['acme.viewer', { tenants: ['*'] }],
    ['both', { tenants: ['*'] }],
    ['operator', { role: 'admin' }],
  ] as const) {
    const { status, json } = await make(as, body)
    expect([status, json.code]).toEqual([403, 'FORBIDDEN'])
  }
  expect(await http.fingerprint()).toBe(before)
})

it('a link for all tenants opens them all', async () => {
  // `*` was taken for the name of a tenant: whoever opened it saw nothing that was not of that name.
  const { json } = await http.as('operator', 'POST', '/v1/links', {
    body: { role: 'viewer', tenants: ['*'] },
  })
  const opened = await http.ask('POST', '/v1/session', { body: { code: new URL(json.url).hash.slice(1) } })
  expect(opened.json).toMatchObject({ name: 'operator', role: 'viewer', tenants: ['*'] })
  const cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] as string
  expect((await http.ask('GET', '/v1/queues', { headers: { cookie } })).status).toBe(200)
})

it('nobody acts in the name of another, but for those who speak for the server', async () => {
  const ask = (token: string) =>
    http.ask('POST', '/v1/runs', { token, query: { actor: 'somebody-else' }, body: {} })
  const { status, json } = await ask(http.tokens.admin)
  expect([status, json.code, json.field]).toEqual([403, 'FORBIDDEN', 'actor'])
  expect((await ask(http.server.localSecret)).status).toBe(201)
  const { items } = await http.ledger.audit.query({ kind: 'run', actor: 'somebody-else' })
  expect(items).toHaveLength(1)
})

it('whoever guesses is not heard for the rest of a minute; those who are known go on', async () => {
  // A good token was refused as well as soon as it had to be looked up again, which it is every few seconds: anybody behind
  // the same proxy could keep everybody out.
  await using one = await httpLedger()
  const guess = () => who(`Bearer ${NOBODYS}`, one)
  expect((await who(`Bearer ${one.tokens.operator}`, one)).status).toBe(200)
  await one.world.clock.advanceBy(1000)
  for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(401)
  const blocked = await guess()
  expect([blocked.status, blocked.json.code, blocked.headers['retry-after']]).toEqual([
    429,
    'LOGIN_BLOCKED',
    '60',
  ])
  const codes = await one.ask('POST', '/v1/session', { body: { code: 'x' } })
  expect([codes.status, codes.json.code]).toEqual([429, 'LOGIN_BLOCKED'])
  await one.world.clock.advanceBy(30_500)
  expect((await guess()).headers['retry-after']).toBe('30')
  expect((await who(`Bearer ${one.tokens.operator}`, one)).status).toBe(200)
  // One that was never seen has to wait: it could be a guess.
  expect((await who(`Bearer ${one.tokens.viewer}`, one)).status).toBe(429)
  expect((await one.ask('GET', '/healthz')).status).toBe(200)
  await one.world.clock.advanceBy(29_500)
  expect((await guess()).status).toBe(401)
  expect((await who(`Bearer ${one.tokens.viewer}`, one)).status).toBe(200)
})

it('a token that was good and is no more is a guess like any other', async () => {
  await using one = await httpLedger()
  const { token, record } = await one.ledger.tokens.mint({ name: 'gone', role: 'viewer', tenants: ['*'] })
  expect((await who(`Bearer ${token}`, one)).status).toBe(200)
  await one.ledger.tokens.revoke(record.token_id)
  for (let i = 0; i < 10; i++) expect((await who(`Bearer ${token}`, one)).status).toBe(401)
  expect((await who(`Bearer ${token}`, one)).status).toBe(429)
})
