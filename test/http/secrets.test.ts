// Fifty secrets are sent to the server, wherever people put them by mistake. Afterwards they are looked for everywhere.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quickFolder } from '../fixtures/quick-folder.ts'
import type { Answer } from './http-client.ts'
import { envelope, type HttpLedger, httpLedger, OURS } from './http-ledger.ts'
import { attemptOf, type Possessions, populate } from './populate.ts'

let http: HttpLedger
let own: Possessions
let folder: string

const planted: string[] = []
const answers: Answer[] = []

/** Another one each time; nothing else has it in it. */
function secret(form: (unique: string) => string = (unique) => unique): string {
  const unique = `s3cr3t${planted.length}x${(planted.length * 7919).toString(36).padStart(24, 'q')}`
  planted.push(unique)
  return form(unique)
}

beforeAll(async () => {
  folder = quickFolder('waybill-secrets-')
  http = await httpLedger({ url: folder, settings: { tenant_id: OURS } })
  own = await populate(http.ledger, OURS)
})
afterAll(async () => {
  await http[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (...given: Parameters<HttpLedger['ask']>): Promise<Answer> => {
  const answer = await http.ask(...given)
  answers.push(answer)
  return answer
}
const operator = {
  get token() {
    return http.tokens.operator
  },
}

/** Texts in which programs quote secrets. */
const QUOTED: readonly ((unique: string) => string)[] = [
  (unique) => `login failed: password=${unique}`,
  (unique) => `postgres://user:${unique}@db/x refused`,
  (unique) => `authorization: Bearer ${unique}`,
  (unique) => `{"api_key":"${unique}"}`,
  (unique) => `token=${unique}&x=1`,
  (unique) => `wb_0123456789ab_${unique}${'z'.repeat(10)}`,
  (unique) => `AWS_SECRET_ACCESS_KEY=${unique}`,
]

it('secrets in headers that let nobody in', async () => {
  const schemes = ['Bearer', 'bearer', 'Basic', 'Digest', 'Token', 'ApiKey', 'Negotiate', '']
  for (const scheme of schemes) {
    const { status } = await ask('GET', '/v1/jobs', {
      headers: { authorization: secret((it) => `${scheme} ${it}`) },
    })
    expect(status).toBe(401)
    await http.world.clock.advanceBy(61_000)
  }
  for (const name of ['waybill_session', 'session', 'sid', 'token']) {
    expect(
      (await ask('GET', '/v1/jobs', { headers: { cookie: secret((it) => `${name}=${it}`) } })).status,
    ).toBe(401)
  }
  for (const header of [
    'x-api-key',
    'proxy-authorization',
    'x-auth-token',
    'webhook-signature',
    'x-request-id',
  ]) {
    const headers = { [header]: header === 'x-request-id' ? secret((it) => `<${it}>`) : secret() }
    expect((await ask('POST', '/v1/callbacks/ack', { headers, body: {} })).status).toBe(401)
  }
  expect((await ask('POST', '/v1/session', { body: { code: secret() } })).status).toBe(401)
})

it('secrets in queries and paths', async () => {
  for (const name of ['token', 'access_token', 'api_key', 'password', 'code']) {
    expect((await ask('GET', '/v1/jobs', { ...operator, query: { [name]: secret() } })).status).toBe(422)
    expect((await ask('GET', '/healthz', { query: { [name]: secret() } })).status).toBe(422)
  }
  expect((await ask('GET', `/login?code=${secret()}`)).status).toBe(200)
  expect((await ask('GET', `/nowhere/${secret()}`)).status).toBe(404)
  expect((await ask('GET', `/v1/jobs/%zz${secret()}`, operator)).status).toBe(400)
  expect(
    (
      await ask('POST', '/v1/runs', {
        ...operator,
        headers: { 'content-type': 'text/plain' },
        body: secret(),
      })
    ).status,
  ).toBe(415)
})

it('secrets in bodies that are not JSON, or not what is expected', async () => {
  for (const form of [
    (it: string) => `{"password":"${it}",}`,
    (it: string) => it,
    (it: string) => `{"a":"${it}`,
  ]) {
    expect((await ask('POST', '/v1/commands', { ...operator, body: secret(form) })).status).toBe(400)
  }
  const wrong = envelope({ schema_version: secret() })
  expect((await ask('POST', '/v1/commands', { ...operator, body: wrong })).status).toBe(422)
})

it('secrets in errors and reasons', async () => {
  const { tenant_id, job_id: jobId, step_id: stepId, attempt_no, lease_id } = attemptOf(own.work)
  const attempt = { tenant_id, jobId, stepId, attempt_no, lease_id }
  const [first, ...rest] = QUOTED as [(it: string) => string, ...((it: string) => string)[]]
  const message = rest.map((form) => secret(form)).join('\n')
  const failed = {
    ...attempt,
    status: 'FAILED',
    failure_class: 'NON_RETRYABLE',
    error: { code: 'X', message },
  }
  expect((await ask('POST', '/v1/callbacks/result', { ...operator, body: failed })).status).toBe(200)
  const result = await ask('GET', `/v1/jobs/${jobId}/result`, operator)
  expect([result.status, result.json.code]).toEqual([409, 'JOB_FAILED'])
  const error = { error_message: secret(first), traceback: secret(first) }
  const move = { ...operator, body: { state: 'failed', error } }
  expect((await ask('POST', `/v1/documents/${own.doc}:move`, move)).status).toBe(200)
  const stage = { ...operator, body: { stage: 'chunk', error: secret(first) } }
  expect((await ask('POST', `/v1/stages/${own.staged}:stageFailed`, stage)).status).toBe(200)
  for (const form of QUOTED) {
    const query = { reason: secret(form) }
    expect(
      (await ask('POST', `/v1/jobs/${own.job}:annotate`, { ...operator, query, body: { metadata: {} } }))
        .status,
    ).toBe(200)
  }
})

it('are found nowhere', async () => {
  expect(planted.length).toBeGreaterThanOrEqual(50)
  for (const path of [
    '/v1/audit?limit=1000',
    '/v1/jobs',
    '/v1/documents',
    `/v1/jobs/${own.job}/events`,
    '/v1/stuck',
  ]) {
    answers.push(await http.ask('GET', path, operator))
  }
  await http.ledger.compact()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
  const places: readonly (readonly [string, string])[] = [
    ['the log', http.world.logged.map(({ fields, message }) => `${message} ${shown(fields)}`).join('\n')],
    ['the answers', answers.map(({ text, headers }) => `${text}${JSON.stringify(headers)}`).join('\n')],
    ['the records', await http.records()],
    ...files.map((file) => [file, textIn(file)] as const),
  ]
  expect(places.length).toBeGreaterThan(5)
  const found = places.flatMap(([place, text]) =>
    planted.flatMap((one, i) => (text.includes(one) ? [`${i} in ${place}`] : [])),
  )
  expect(found).toEqual([])
})

/** With what an error has that JSON leaves out. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner instanceof Error
      ? { ...inner, message: inner.message, stack: inner.stack, cause: inner.cause }
      : inner,
  )
}

function textIn(file: string): string {
  const bytes = readFileSync(file)
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString() : bytes.toString()
}
