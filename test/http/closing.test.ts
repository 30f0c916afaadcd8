// What those are told who wait while the server ends, and what is left of those who hang up.
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { httpLedger, OURS } from './http-ledger.ts'
import { populate } from './populate.ts'

async function served() {
  const http = await httpLedger({ settings: { tenant_id: OURS } })
  return { http, own: await populate(http.ledger, OURS) }
}

it('a server that ends tells those who wait that it does, at once', async () => {
  // They were told that something failed which nobody foresaw, and so was the log.
  const { http, own } = await served()
  const seen = Promise.withResolvers<void>()
  const { wait } = http.ledger.jobs
  http.ledger.jobs.wait = (...args) => {
    seen.resolve()
    return wait.apply(http.ledger.jobs, args)
  }
  const result = http.as('viewer', 'GET', `/v1/jobs/${own.job}/result`, { query: { wait_ms: '60000' } })
  const claim = http.as('worker', 'POST', '/v1/work/claim', { body: { queues: ['one'], wait_ms: 60_000 } })
  const events = await fetch(`${http.server.url}/v1/events`, {
    headers: { authorization: `Bearer ${http.tokens.viewer}` },
  })
  await seen.promise
  await http.server.close()
  const { status, json, headers } = await result
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'SERVICE_STOPPING', '1'])
  expect((await claim).json).toEqual({ work: [] })
  await events.text()
  await expect(http.ask('GET', '/healthz')).rejects.toThrow()
  expect(http.world.logged.filter(({ level }) => level === 'error')).toEqual([])
  await http[Symbol.asyncDispose]()
})

it('who hangs up leaves nothing behind, neither work that is claimed nor a line in the log', async () => {
  const { http, own } = await served()
  const { port, tokens } = http
  const gone = [
    { method: 'GET', path: `/v1/jobs/${own.job}/result?wait_ms=60000`, body: '' },
    { method: 'POST', path: '/v1/work/claim', body: JSON.stringify({ queues: ['two'], wait_ms: 60_000 }) },
  ].map(async ({ method, path, body }) => {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' }
    const asking = request({ port, host: '127.0.0.1', method, path, headers })
    asking.on('error', () => {})
    asking.end(body)
    const [socket] = await once(asking, 'socket')
    await once(socket, 'connect')
    // The server has read it when it answers another one on its own.
    await http.ask('GET', '/healthz')
    const closed = new Promise((resolve) => asking.on('close', resolve))
    asking.destroy()
    await closed
  })
  await Promise.all(gone)
  await http.server.close()
  expect(http.world.logged.filter(({ level }) => level === 'error')).toEqual([])
  expect(await http.ledger.check()).toEqual([])
  await http[Symbol.asyncDispose]()
})
