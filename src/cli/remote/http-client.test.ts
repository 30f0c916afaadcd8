import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { StaleEtag } from '../../errors/refusal-errors.ts'
import { problemOf } from '../../wire/problem.ts'
import { HttpClient, pathOf } from './http-client.ts'

let server: Server
let client: HttpClient
let asked: string[]

type Answer = (request: IncomingMessage, response: ServerResponse) => void

async function answering(answer: Answer): Promise<void> {
  asked = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'the-token')
}

afterEach(() => {
  client.close()
  server.close()
  server.closeAllConnections()
})

const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

it('sends who asks, what and how, and answers what came back', async () => {
  await answering((request, response) => {
    const { authorization, 'if-match': ifMatch, 'idempotency-key': key } = request.headers
    void text(request).then((body) =>
      json(response, 201, { body: JSON.parse(body), authorization, ifMatch, key }),
    )
  })
  const answer = await client.call({
    method: 'POST',
    path: pathOf`/v1/jobs/${'a/b ü:..'}:again`,
    query: { tenant_id: 'ä&b', actor: undefined, limit: 3 },
    body: { from_step: 'x', gone: undefined },
    ifMatch: '12',
    idempotencyKey: 'k',
  })
  expect(answer).toEqual({
    body: { from_step: 'x' },
    authorization: 'Bearer the-token',
    ifMatch: '"12"',
    key: 'k',
  })
  expect(asked).toEqual(['POST /v1/jobs/a%2Fb%20%C3%BC%3A..:again?tenant_id=%C3%A4%26b&limit=3'])
})

it('throws the error that the server told of, of the same class', async () => {
  const error = new StaleEtag({
    code: 'STALE_ETAG',
    message: 'It changed',
    next: 'Look again.',
    field: 'job_id',
    details: { etag: '3' },
  })
  await answering((_, response) => {
    const { status, body } = problemOf(error)
    expect(body.field).toBe('jobId')
    json(response, status, body)
  })
  const thrown = await client.call({ method: 'GET', path: '/' }).catch((caught: unknown) => caught)
  expect(thrown).toBeInstanceOf(StaleEtag)
  expect(thrown).toMatchObject({ ...error.toJSON(), exitCode: 4 })
})

it('knows that a code of a later version is a failure all the same', async () => {
  await answering((_, response) => json(response, 418, { code: 'TEAPOT', detail: 'Short and stout' }))
  await expect(client.call({ method: 'GET', path: '/' })).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    message: 'Short and stout',
  })
})

it.each([
  ['a page', (_: unknown, response: ServerResponse) => void response.end('<html>')],
  [
    'a redirect',
    (_: unknown, response: ServerResponse) => void response.writeHead(302, { location: '/' }).end(),
  ],
  ['another program', (_: unknown, response: ServerResponse) => void json(response, 400, { error: 'what?' })],
])('takes %s for what it is: no server of a ledger', async (_, answer) => {
  await answering(answer)
  await expect(client.call({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'NO_SERVER' })
  expect(asked).toHaveLength(1)
})

it('asks once more when the answer to a question is lost, and never when a change may have been made', async () => {
  await answering(({ socket }) => socket.destroy())
  await expect(client.call({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'NO_SERVER' })
  expect(asked).toHaveLength(2)
  const change = client.call({ method: 'POST', path: '/', body: {} })
  await expect(change).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', exitCode: 1 })
  expect(asked).toHaveLength(3)
})

it('does not wait for ever', async () => {
  await answering(() => {})
  const change = client.call({ method: 'POST', path: '/', timeoutMs: 20 })
  await expect(change).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: expect.any(Error) })
})

it('says that nobody is there, and nothing of the token', async () => {
  await answering(() => {})
  server.close()
  await once(server, 'close')
  const error = await client.call({ method: 'POST', path: '/' }).catch((caught: Error) => caught)
  expect(error).toMatchObject({ code: 'NO_SERVER', message: expect.stringContaining('ECONNREFUSED') })
  expect(JSON.stringify(error)).not.toContain('the-token')
})

it('sends no header that it cannot', async () => {
  await answering(() => {})
  const change = client.call({ method: 'POST', path: '/', idempotencyKey: '鍵' })
  await expect(change).rejects.toMatchObject({ code: 'INVALID_INPUT', field: 'key' })
})
