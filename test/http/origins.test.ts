// The story: somebody has our page open, and a page of evil.com in the next tab. That page has the browser send us requests,
// with the cookie of our session where the browser lets it; it cannot hide where they come from.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Route } from '../../src/server/route.ts'
import { type HttpLedger, httpLedger, OURS } from './http-ledger.ts'
import { type Possessions, populate } from './populate.ts'
import { askedOf, exampleOf, isWrite, KNOWN_ROUTES, pathOf } from './route-examples.ts'

let http: HttpLedger
let own: Possessions
let cookie: string

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS } })
  own = await populate(http.ledger, OURS)
  cookie = await http.session('admin')
})
afterAll(() => http[Symbol.asyncDispose]())

type Headers = { readonly [name: string]: string }

/** With the cookie, or by a token, or with nothing at all. */
type Showing = 'cookie' | 'token'

const showing = (what: Showing): Headers =>
  what === 'cookie' ? { cookie } : { authorization: `Bearer ${http.tokens.admin}` }

const HOST = 'localhost:7000'
const read = (what: Showing, headers: Headers) =>
  http.ask('GET', '/v1/jobs', { headers: { host: HOST, ...showing(what), ...headers } })
const annotate = (what: Showing, headers: Headers) =>
  http.ask('POST', `/v1/jobs/${own.job}:annotate`, {
    headers: { host: HOST, ...showing(what), ...headers },
    body: { metadata: { note: 'from the page' } },
  })

it.each<[string, Headers]>([
  ['our own origin', { origin: `http://${HOST}` }],
  ['our own origin, behind a proxy with a certificate', { origin: `https://${HOST}` }],
  ['our own page, says the browser', { 'sec-fetch-site': 'same-origin' }],
  ['both', { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }],
])('a session writes: %s', async (_what, headers) => {
  expect((await annotate('cookie', headers)).status).toBe(200)
  expect((await read('cookie', headers)).status).toBe(200)
})

it.each<[string, Headers]>([
  ['nothing', {}],
  ['our own origin', { origin: `http://${HOST}` }],
  ['a person who typed it', { 'sec-fetch-site': 'none' }],
])('a token writes, and a session reads: %s', async (_what, headers) => {
  expect((await annotate('token', headers)).status).toBe(200)
  expect((await read('cookie', headers)).status).toBe(200)
})

it.each<[string, Headers]>([
  ['nothing said', {}],
  ['typed', { 'sec-fetch-site': 'none' }],
])('a session does not write: %s', async (_what, headers) => {
  const before = await http.fingerprint()
  const { status, json } = await annotate('cookie', headers)
  expect([status, json.code]).toEqual([403, 'WRONG_ORIGIN'])
  expect(await http.fingerprint()).toBe(before)
})

const FOREIGN: readonly (readonly [string, Headers])[] = [
  'null',
  'http://evil.com',
  'https://evil.com',
  'http://localhost',
  'http://localhost:7001',
  'http://localhost:70',
  'http://localhost:70000',
  'http://localhost:7000/',
  'http://localhost:7000/path',
  'http://localhost:7000.evil.com',
  'http://localhost:7000@evil.com',
  'http://evil.com#localhost:7000',
  'http://127.0.0.1:7000',
  'http://[::1]:7000',
  'http://sub.localhost:7000',
  'http://localhost.:7000',
  'http://LOCALHOST:7000',
  'http://user@localhost:7000',
  'HTTP://localhost:7000',
  'ftp://localhost:7000',
  'file://',
  'file://localhost:7000',
  'chrome-extension://abcdef',
  'data:',
  'localhost:7000',
  '//localhost:7000',
  'http://localhost:7000 ,http://evil.com',
  'http://localhost:7000, http://localhost:7000',
  'http://localhost:7000 http://evil.com',
  'undefined',
  '*',
]
  .map((origin): readonly [string, Headers] => [`Origin: ${origin}`, { origin }])
  .concat(
    ['cross-site', 'same-site', 'SAME-ORIGIN', 'same-origin, none', 'evil', 'null', 'true'].map((site) => [
      `Sec-Fetch-Site: ${site}`,
      { 'sec-fetch-site': site },
    ]),
    [
      ['our origin from another site', { origin: `http://${HOST}`, 'sec-fetch-site': 'cross-site' }],
      ['another origin from our site', { origin: 'http://evil.com', 'sec-fetch-site': 'same-origin' }],
    ],
  )

it.each(FOREIGN)('nobody writes, nor reads, from elsewhere: %s', async (_what, headers) => {
  const before = await http.fingerprint()
  for (const what of ['cookie', 'token'] as const) {
    for (const ask of [annotate, read]) {
      const { status, json } = await ask(what, headers)
      expect([status, json.code]).toEqual([403, 'WRONG_ORIGIN'])
    }
  }
  expect(await http.fingerprint()).toBe(before)
})

it('an answer allows nobody else to read it', async () => {
  for (const origin of ['http://evil.com', `http://${HOST}`]) {
    const { headers } = await read('token', { origin })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
  }
  const preflight = await http.ask('OPTIONS', '/v1/jobs', {
    headers: { origin: 'http://evil.com', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(405)
  expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

const writes = KNOWN_ROUTES.filter(isWrite).map((route) => [`${route.method} ${route.path}`, route] as const)

const ATTACKS: readonly (readonly [string, Headers])[] = [
  ['from another origin', { origin: 'http://evil.com' }],
  ['from a frame without one', { origin: 'null' }],
  ['from another site', { 'sec-fetch-site': 'cross-site' }],
  ['from a neighbour', { 'sec-fetch-site': 'same-site' }],
  ['from another port', { origin: 'http://localhost:9999' }],
]

it.each(writes)('%s is not done for a page of another site, with a session', async (_title, route: Route) => {
  const example = exampleOf(route, own)
  const asked = askedOf(route, example)
  const path = pathOf(route, example.params)
  const before = await http.fingerprint()
  for (const [, attack] of ATTACKS) {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { host: HOST, cookie, 'content-type': type, ...attack }
      const { status, json } = await http.ask(route.method, path, { ...asked, headers })
      expect([status, json.code]).toEqual([403, 'WRONG_ORIGIN'])
    }
  }
  // A form of an old browser says nothing of where it comes from, but cannot send JSON.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const said = { host: HOST, 'content-type': type }
    expect((await http.ask(route.method, path, { ...asked, headers: { ...said, cookie } })).status).toBe(403)
    const ours = { ...said, cookie, origin: `http://${HOST}` }
    const { status, json } = await http.ask(route.method, path, { ...asked, headers: ours })
    expect([status, json.code]).toEqual([415, 'UNSUPPORTED_MEDIA'])
  }
  expect((await http.ask(route.method, path, { ...asked, headers: { host: HOST, cookie } })).status).toBe(403)
  expect(await http.fingerprint()).toBe(before)
})

it('without tokens, what comes from elsewhere is refused all the same', async () => {
  await using open = await httpLedger({ serve: { auth: false } })
  const before = await open.fingerprint()
  for (const [, attack] of ATTACKS) {
    const headers = { host: HOST, ...attack }
    expect((await open.ask('POST', '/v1/runs', { headers, body: {} })).status).toBe(403)
    expect((await open.ask('GET', '/v1/jobs', { headers })).status).toBe(403)
  }
  expect(
    (await open.ask('POST', '/v1/runs', { headers: { 'content-type': 'text/plain' }, body: '{}' })).status,
  ).toBe(415)
  expect(await open.fingerprint()).toBe(before)
  expect((await open.ask('POST', '/v1/runs', { body: {} })).status).toBe(201)
})

it('two cookies of our name are none: one of them was put there by somebody else', async () => {
  const [name] = cookie.split('=')
  const both = `${cookie}; ${name}=${'x'.repeat(43)}`
  expect((await read('cookie', { cookie: both })).status).toBe(401)
  expect((await read('cookie', { cookie: `other=1; ${cookie}` })).status).toBe(200)
})
