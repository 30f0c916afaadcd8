// Two servers on two machines, as it were: each has its own connections to one database, and they know nothing of each other.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLedger } from '../../src/open-ledger.ts'
import type { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { type HttpServer, serve } from '../../src/server/serve.ts'
import { requestOf } from '../fixtures/live-ledger.ts'
import { freshSchema, testServer } from './server.ts'

const RENDER = {
  protocol_id: 'render.v1',
  request_type: 'RENDER',
  steps: [{ step_id: 'render', step_type: 'RENDER', service: 'renderer', delivery: 'pull' }],
} as const

let ledgers: readonly LiveLedger[]
let servers: readonly [HttpServer, HttpServer]
let token: { readonly token: string; readonly token_id: string }

beforeAll(async () => {
  const { url } = await testServer()
  const schema = freshSchema()
  const open = () => openLedger(url, { postgres: { schema }, protocols: [RENDER] })
  const [here, there] = [await open(), await open()]
  ledgers = [here, there]
  servers = [await serve(here), await serve(there)]
  const minted = await here.tokens.mint({ name: 'ada', role: 'operator', tenants: ['acme'] })
  token = { token: minted.token, token_id: minted.record.token_id }
})

afterAll(async () => {
  for (const server of servers) await server.close()
  for (const ledger of ledgers) await ledger.close()
})

interface Answer {
  readonly status: number
  readonly body: {
    readonly jobId: string
    readonly work: readonly { readonly [field: string]: unknown }[]
  }
}

async function ask(at: 0 | 1, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' }
  const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(`${servers[at].url}${path}`, { headers, ...how })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

it('a worker who waits at one gets what was submitted at the other, and both tell the same', async () => {
  const waiting = ask(1, '/v1/work/claim', { queues: ['renderer'], wait_ms: 30_000 })
  const { status, body } = await ask(
    0,
    '/v1/commands',
    requestOf({ tenant_id: 'acme', request_type: 'RENDER' }),
  )
  expect(status).toBe(202)
  const { work } = (await waiting).body
  expect(work).toMatchObject([{ jobId: body.jobId, tenant_id: 'acme', attempt_no: 1 }])
  const { jobId, stepId, attempt_no, lease_id } = work[0] ?? {}
  const attempt = { tenant_id: 'acme', jobId, stepId, attempt_no, lease_id }
  const result = { ...attempt, status: 'SUCCEEDED', output: { n: 1 } }
  expect(await ask(0, '/v1/callbacks/result', result)).toMatchObject({ body: { status: 'accepted' } })
  expect(await ask(1, '/v1/callbacks/result', result)).toMatchObject({ body: { status: 'ignored' } })
  expect(await ask(1, `/v1/jobs/${jobId}/result?wait_ms=30000`)).toEqual({
    status: 200,
    body: { output: { n: 1 } },
  })
})

it('who follows one sees what happens at the other, until the token is revoked there', async () => {
  const headers = { authorization: `Bearer ${token.token}` }
  const stream = await fetch(`${servers[1].url}/v1/events?after=0&kind=document`, { headers })
  await ask(0, '/v1/documents/doc%3A1:move', { state: 'fetching' })
  let text = ''
  const read = async () => {
    for await (const chunk of stream.body as ReadableStream<Uint8Array<ArrayBuffer>>) {
      text += Buffer.from(chunk).toString()
      if (text.includes('"doc:1"') && ledgers[0] !== undefined) await ledgers[0].tokens.revoke(token.token_id)
    }
  }
  // It is cut off, and nothing is told of why.
  await expect(read()).rejects.toThrow('terminated')
  expect(text.match(/"doc:1"/g)).not.toBeNull()
  expect((await ask(0, '/v1/jobs')).status).toBe(401)
  expect((await ask(1, '/v1/jobs')).status).toBe(401)
})
