// Names that reach behind an object, at every edge where somebody can write one.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Route } from '../../src/server/route.ts'
import { envelope, type HttpLedger, httpLedger, OURS } from './http-ledger.ts'
import { type Possessions, populate } from './populate.ts'
import { askedOf, exampleOf, isMaker, isWrite, KNOWN_ROUTES, pathOf } from './route-examples.ts'

let http: HttpLedger
let own: Possessions

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS } })
  own = await populate(http.ledger, OURS)
})
afterAll(() => http[Symbol.asyncDispose]())
afterEach(() => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})

const NAMES = ['__proto__', 'constructor', 'prototype']
/** The same name as another text of JSON. */
const ESCAPED = '\\u005f\\u005fproto\\u005f\\u005f'
const EVIL = '{"polluted":true}'

const those = (belong: (route: Route) => boolean) =>
  KNOWN_ROUTES.filter(belong).map((route) => [`${route.method} ${route.path}`, route] as const)

/** A body that is sound but for a name at some depth. */
function poisoned(body: unknown, name: string, depth: number): string {
  const inner = `${'{"a":'.repeat(depth)}{"${name}":${EVIL}}${'}'.repeat(depth)}`
  const text = JSON.stringify(body ?? {})
  const join = text === '{}' ? '' : ','
  return depth === 0
    ? `${text.slice(0, -1)}${join}"${name}":${EVIL}}`
    : `${text.slice(0, -1)}${join}"metadata":${inner}}`
}

it.each(those(isWrite))('%s takes no such name, at any depth', async (_title, route) => {
  const { params, body } = exampleOf(route, own)
  const before = await http.fingerprint()
  const asking = [...NAMES, ESCAPED].flatMap((name) =>
    [0, 1, 2, 3, 4, 5].map((depth) =>
      http.as('admin', route.method, pathOf(route, params), { body: poisoned(body, name, depth) }),
    ),
  )
  for (const { status, json } of await Promise.all(asking)) {
    expect(status).toBe(400)
    expect(json.code).toBe('BAD_MESSAGE')
    expect(NAMES).toContain(json.field)
  }
  expect(await http.fingerprint()).toBe(before)
})

it('neither in a list, nor the second of two, nor beside what is right', async () => {
  const sound = JSON.stringify(envelope({ payload: { language_hint: 'names' } }))
  const bodies = [
    `[{"__proto__":${EVIL}}]`,
    `{"payload":[[{"constructor":{"prototype":${EVIL}}}]]}`,
    `{"a":1,"__proto__":null,"__proto__":${EVIL}}`,
    `{"__proto__":[]}`,
    `${sound.slice(0, -1)},"callback_urls":{"__proto__":"https://example.com"}}`,
    `${sound.slice(0, -1)},"input_ref":{"uri":"x","metadata":{"__proto__":${EVIL}}}}`,
  ]
  const before = await http.fingerprint()
  for (const body of bodies) {
    const { status } = await http.as('operator', 'POST', '/v1/commands', { body })
    expect(status).toBe(400)
  }
  expect(await http.fingerprint()).toBe(before)
})

it.each(those(({ needs }) => needs !== 'nothing'))('%s takes none in its query', async (_title, route) => {
  const { params } = exampleOf(route, own)
  const before = await http.fingerprint()
  const queries = NAMES.flatMap((name) => [
    `${name}=x`,
    `${name}[polluted]=x`,
    `${name}.polluted=x`,
    `a[${name}][polluted]=x`,
    `${name}=x&${name}=y`,
    `${encodeURIComponent(name).replaceAll('_', '%5F')}=x`,
  ])
  const asking = queries.map((query) =>
    http.as('admin', route.method, `${pathOf(route, params)}?${query}`, {
      ...askedOf(route, exampleOf(route, own)),
    }),
  )
  for (const { status, json } of await Promise.all(asking))
    expect(`${status} ${json.code}`).toBe('422 INVALID_INPUT')
  expect(await http.fingerprint()).toBe(before)
})

it.each(those((route) => route.path.includes('{') && !isMaker(route)))(
  '%s: an id of that name is one like any other',
  async (_title, route) => {
    const { params = {}, body } = exampleOf(route, own)
    const [id] = Object.keys(params) as [string]
    for (const name of [...NAMES, 'toString', 'hasOwnProperty', 'valueOf']) {
      const { status } = await http.as('admin', route.method, pathOf(route, { [id]: name }), {
        ...askedOf(route, { body }),
      })
      const isSteered = ['pauseQueue', 'resumeQueue', 'limitQueue'].includes(route.operation)
      const isStage = route.path.startsWith('/v1/stages/')
      expect(isSteered || isStage ? [200] : [404, 409]).toContain(status)
    }
  },
)

it('a schedule, a run, a document and a job may be called so', async () => {
  for (const name of NAMES) {
    const job = await http.as('operator', 'POST', '/v1/commands', {
      body: envelope({ job_id: name, doc_id: name }),
    })
    expect([202, 409]).toContain(job.status)
    const run = await http.as('operator', 'POST', '/v1/runs', { body: { run_id: name } })
    expect(run.json.run_id).toBe(name)
    const got = await http.as('viewer', 'GET', `/v1/runs/${name}`)
    expect(got.json.run_id).toBe(name)
    const move = await http.as('operator', 'POST', `/v1/documents/${name}:move`, {
      body: { state: 'fetching' },
    })
    expect(move.json.doc_id).toBe(name)
  }
})

it('nor does a header, a tenant, a filter or a list of fields reach anything by it', async () => {
  for (const name of NAMES) {
    const headers = { 'idempotency-key': name, 'x-request-id': name, traceparent: name, [name]: 'x' }
    const { status } = await http.as('operator', 'POST', '/v1/runs', { headers, body: {} })
    expect(status).toBe(201)
    const again = await http.as('operator', 'POST', '/v1/runs', { headers, body: {} })
    expect(again.status).toBe(201)
    const query = { tenant_id: name, fields: `${name},job_id,toString` }
    const list = await http.as('viewer', 'GET', '/v1/jobs', { query })
    expect(list.json).toEqual({ items: [], next: null })
    const fields = await http.as('viewer', 'GET', `/v1/jobs/${own.job}`, {
      query: { fields: `${name},job_id` },
    })
    expect(fields.json).toEqual({ job_id: own.job })
    const stats = await http.as('viewer', 'GET', '/v1/stats', { query: { tenant_id: name } })
    expect(stats.json.counts.job.QUEUED).toBe(0)
    for (const wrong of [{ state: name }, { order: name }, { by: name }, { kind: name }]) {
      const path = 'by' in wrong || 'kind' in wrong ? '/v1/audit/counts' : '/v1/jobs'
      expect((await http.as('viewer', 'GET', path, { query: wrong })).status).toBe(422)
    }
  }
})
