// What holds for every route that there is, whatever it does.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROLES } from '../../src/core/token/record.ts'
import { ERROR_TABLE } from '../../src/errors/table.ts'
import { may, type Permission } from '../../src/server/auth/principal.ts'
import type { Route } from '../../src/server/route.ts'
import type { Answer, Asked } from './http-client.ts'
import { envelope, type HttpLedger, httpLedger, OURS, THEIRS, type TokenName } from './http-ledger.ts'
import { type Possessions, populate } from './populate.ts'
import {
  askedOf,
  exampleOf,
  isMaker,
  isStream,
  isWrite,
  KNOWN_ROUTES,
  pathOf,
  WITHOUT_EXAMPLE,
} from './route-examples.ts'

let http: HttpLedger
let own: Possessions
let theirs: Possessions

beforeAll(async () => {
  http = await httpLedger({ settings: { tenant_id: OURS } })
  own = await populate(http.ledger, OURS)
  theirs = await populate(http.ledger, THEIRS)
})
afterAll(() => http[Symbol.asyncDispose]())

/** Routes with a title for each. */
const those = (belong: (route: Route) => boolean) =>
  KNOWN_ROUTES.filter(belong).map((route) => [`${route.method} ${route.path}`, route] as const)

const ask = (as: TokenName | null, route: Route, possessions: Possessions, more: Asked = {}) => {
  const example = exampleOf(route, possessions)
  const asked = { ...askedOf(route, example), ...more, query: { ...example.query, ...more.query } }
  const path = pathOf(route, example.params)
  return as === null ? http.ask(route.method, path, asked) : http.as(as, route.method, path, asked)
}

/** What is told, without what is another each time. */
function told({ status, text, headers }: Answer, ...ids: readonly string[]): string {
  let body = text.replaceAll(headers['x-request-id'] as string, 'R')
  for (const id of ids) body = body.replaceAll(id, 'ID')
  return `${status} ${body}`
}

function checkProblem({ headers, json, status }: Answer, code?: string): void {
  expect(headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(Object.keys(ERROR_TABLE)).toContain(json.code)
  expect(json).toMatchObject({ status, next: expect.stringMatching(/\w/), detail: expect.any(String) })
  expect(json.request_id).toBe(headers['x-request-id'])
  if (code !== undefined) expect(json.code).toBe(code)
}

/** A document that nobody has moved is pending: it can be moved, by anybody whose document it then is. */
const isThereForAll = ({ operation }: Route) => operation === 'moveDocument' || operation === 'putSchedule'

/** Stages never fail because of a job that is not there. */
const answersWithNull = ({ path }: Route) => path.startsWith('/v1/stages/')

/** They count and name nobody, or there is nothing to name: no tool has touched a file. */
const isCount = ({ operation }: Route) =>
  ['getStats', 'countAudit', 'listDurations', 'getActivity', 'listFiles'].includes(operation)

/** Whose job it is stands in the body. */
const isSubmit = ({ operation }: Route) => operation.startsWith('submit')

const hasTenant = ({ query, everybody }: Route) => query?.shape.tenant_id !== undefined && everybody !== true

function samePath(one: Route, other: Route): boolean {
  const plain = ({ path }: Route) => path.replace(/(\}):\w+$/, '$1')
  return plain(one) === plain(other)
}

it('all of them have an example in route-examples.ts', () => {
  expect(WITHOUT_EXAMPLE.map(({ operation }) => operation)).toEqual([])
})

it.each(
  those(
    (route) => !isWrite(route) && !isStream(route) && route.needs !== 'nothing' && route.everybody !== true,
  ),
)('%s shows nothing of other tenants', async (_title, route) => {
  const answer = await ask(`${OURS}.viewer`, route, own)
  // No tool was ever run here, so there is no log, and no file that it touched.
  expect(answer.status).toBe(['getLog', 'getLastChange'].includes(route.operation) ? 404 : 200)
  expect(answer.text.includes(THEIRS)).toBe(false)
})

it.each(those(({ needs }) => needs !== 'nothing'))('%s is for those who are known', async (_title, route) => {
  const before = await http.fingerprint()
  const answer = await ask(null, route, own)
  checkProblem(answer, 'UNAUTHENTICATED')
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
  expect(await http.fingerprint()).toBe(before)
})

it.each(those(({ needs }) => needs !== 'nothing' && needs !== 'read'))(
  '%s is for the roles that it says',
  async (_title, route) => {
    const before = await http.fingerprint()
    const refusing = ROLES.filter((role) => !may({ role }, route.needs as Permission))
    expect(refusing.length).toBeGreaterThan(0)
    for (const role of refusing) {
      const answer = await ask(role, route, own)
      checkProblem(answer, 'FORBIDDEN')
      expect(answer.json.next).toContain('role')
    }
    expect(await http.fingerprint()).toBe(before)
  },
)

it.each(those(({ everybody }) => everybody === true))(
  '%s is for those who are for all tenants',
  async (_title, route) => {
    const before = await http.fingerprint()
    checkProblem(await ask(`${OURS}.admin`, route, own), 'FORBIDDEN')
    checkProblem(await ask('both', route, own), 'FORBIDDEN')
    expect(await http.fingerprint()).toBe(before)
  },
)

it.each(those(() => true))('%s takes no other method', async (_title, route) => {
  const path = pathOf(route, exampleOf(route, own).params)
  const methods = new Set<string>(
    KNOWN_ROUTES.filter((other) => samePath(other, route)).map(({ method }) => method),
  )
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'].filter((one) => !methods.has(one))) {
    const answer = await http.as('admin', method, path)
    checkProblem(answer, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.allow?.split(', ').sort()).toEqual([...methods].sort())
  }
})

it.each(those(({ operation }) => operation !== 'getMetrics'))(
  '%s refuses a query that it does not know',
  async (_title, route) => {
    const before = await http.fingerprint()
    const answer = await ask('admin', route, own, { query: { surprise: '1' } })
    checkProblem(answer, 'INVALID_INPUT')
    expect(answer.json.field).toBe('surprise')
    expect(await http.fingerprint()).toBe(before)
  },
)

it.each(those(isWrite))('%s refuses a body that it does not know', async (_title, route) => {
  // Routes that take no body dropped what was said in one, such as a reason, without a word.
  const before = await http.fingerprint()
  const answer = await ask('admin', route, own, { body: { surprise: 1 } })
  expect([400, 422]).toContain(answer.status)
  checkProblem(answer)
  expect(await http.fingerprint()).toBe(before)
})

it.each(those((route) => route.path.includes('{') && route.everybody !== true && !isMaker(route)))(
  '%s tells nobody what others have: it is as if it were not there',
  async (_title, route) => {
    const before = await http.records()
    const [name, id] = Object.entries(exampleOf(route, theirs).params as object)[0] as [string, string]
    const asked = askedOf(route, exampleOf(route, own))
    const absent = 'nowhere-to-be-seen'
    const one = await http.as(`${OURS}.admin`, route.method, pathOf(route, { [name]: id }), asked)
    const other = await http.as(`${OURS}.admin`, route.method, pathOf(route, { [name]: absent }), asked)
    expect(told(one, id)).toBe(told(other, absent))
    if (answersWithNull(route)) expect(one.json).toEqual({ entry: null })
    else expect(one.status).toBe(isThereForAll(route) ? 409 : 404)
    expect(await http.records()).toBe(before)
  },
)

it.each(those((route) => hasTenant(route) && !isSubmit(route)))(
  '%s tells nobody whether there is such a tenant',
  async (_title, route) => {
    const before = await http.fingerprint()
    const [one, other, all] = await Promise.all(
      [THEIRS, 'nobody', '*'].map((tenant_id) => ask(`${OURS}.admin`, route, own, { query: { tenant_id } })),
    )
    checkProblem(one as Answer, 'FORBIDDEN')
    expect(told(one as Answer, THEIRS)).toBe(told(other as Answer, 'nobody'))
    checkProblem(all as Answer, 'FORBIDDEN')
    expect(await http.fingerprint()).toBe(before)
  },
)

it.each(those((route) => hasTenant(route) && !isSubmit(route) && !isStream(route)))(
  '%s is about one tenant, or across all of them',
  async (_title, route) => {
    // `*` was taken for the name of a tenant: lists were empty, and changes made records that belonged to nobody.
    const before = await http.fingerprint()
    const query = { ...exampleOf(route, own).query, tenant_id: '*' }
    const answer = await ask('admin', route, own, { query })
    if (route.acrossTenants !== true) checkProblem(answer, 'INVALID_INPUT')
    else {
      expect(answer.status).toBe(200)
      const named = [OURS, THEIRS].filter((tenant) => answer.text.includes(`"tenant_id":"${tenant}"`))
      if (!isCount(route)) expect(named).toEqual([OURS, THEIRS])
    }
    expect(await http.fingerprint()).toBe(before)
  },
)

it.each(those(isSubmit))('%s makes jobs of the own tenant only', async (_title, route) => {
  const before = await http.fingerprint()
  for (const tenant_id of [THEIRS, 'nobody', '*']) {
    const { body } = exampleOf(route, { ...theirs, tenant_id })
    checkProblem(await http.as(`${OURS}.admin`, 'POST', pathOf(route), { body }), 'FORBIDDEN')
  }
  const { body } = exampleOf(route, { ...theirs, tenant_id: '*' })
  checkProblem(await http.as('admin', 'POST', pathOf(route), { body }), 'INVALID_INPUT')
  expect(await http.fingerprint()).toBe(before)
})

it('events of other tenants are not shown to those who follow', async () => {
  const headers = { authorization: `Bearer ${http.tokens['acme.viewer']}` }
  const { body } = await fetch(`${http.server.url}/v1/events?after=0`, { headers })
  await http.ledger.jobs.annotate(theirs.job, { said: 'their-marker' }, { tenant_id: THEIRS })
  await http.ledger.jobs.record(own.job, { event_type: 'the-end' }, { tenant_id: OURS })
  let text = ''
  for await (const chunk of body as ReadableStream<Uint8Array<ArrayBuffer>>) {
    text += Buffer.from(chunk).toString()
    if (text.includes('the-end')) break
  }
  expect(text).toContain(`"tenant_id":"${OURS}"`)
  expect(text.includes(`"tenant_id":"${THEIRS}"`)).toBe(false)
  expect(text.includes('their-marker')).toBe(false)
})

it('a schedule of the same name is another one', async () => {
  const before = await http.ledger.schedules.get(theirs.schedule, THEIRS)
  const route = KNOWN_ROUTES.find(({ operation }) => operation === 'putSchedule') as Route
  expect((await ask(`${OURS}.operator`, route, theirs)).status).toBe(200)
  expect(await http.ledger.schedules.get(theirs.schedule, THEIRS)).toEqual(before)
})

it('a token for several tenants has to say which', async () => {
  const none = await http.as('both', 'GET', '/v1/jobs')
  checkProblem(none, 'INVALID_INPUT')
  expect(none.json.next).toContain(THEIRS)
  expect((await http.as('both', 'GET', '/v1/jobs', { query: { tenant_id: THEIRS } })).status).toBe(200)
})

it('work is only handed to those who are for its tenant', async () => {
  const claim = async (as: TokenName, more: object = {}) =>
    (await http.as(as, 'POST', '/v1/work/claim', { body: { queues: ['two', 'one'], limit: 10, ...more } }))
      .json
  const submit = (tenant_id: string, job_id: string) =>
    http.as('operator', 'POST', '/v1/commands', {
      body: { ...envelope({ tenant_id, job_id, request_type: 'TWO' }) },
    })
  await submit(THEIRS, 'their-work')
  expect(await claim(`${OURS}.worker`)).toEqual({ work: [] })
  checkProblemBody(await claim(`${OURS}.worker`, { tenant_id: THEIRS }), 'FORBIDDEN')
  expect((await claim('worker', { tenant_id: OURS })).work).toEqual([])
  await submit(OURS, 'our-work')
  // `*` was taken for a tenant that has no work.
  const { work } = await claim('worker', { tenant_id: '*' })
  expect(work.map(({ jobId }: { jobId: string }) => jobId).sort()).toEqual(['our-work', 'their-work'])
})

function checkProblemBody(body: { readonly code: string }, code: string): void {
  expect(body.code).toBe(code)
}
