import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { systemTimers } from '../world/timers.ts'
import { type Listening, listen, type WebHandler } from './listen.ts'
import { readBody } from './read-body.ts'

const MAX_BYTES = 1000
const open = new Set<Listening>()
afterEach(async () => {
  await Promise.all([...open].map((server) => server.close()))
  open.clear()
})

async function serve(handler: WebHandler): Promise<Listening> {
  const server = await listen(handler, { maxBytes: MAX_BYTES, timers: systemTimers })
  open.add(server)
  return server
}

const echo: WebHandler = async (request) => {
  const body = Buffer.from(await readBody(request, MAX_BYTES)).toString()
  const { method, url, headers } = request
  return Response.json({ method, path: new URL(url).pathname, a: headers.get('a'), body }, { status: 201 })
}

/** Sends bytes as they are, and answers all that comes back until the other side closes. */
async function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.end(bytes)
  await once(socket, 'close')
  return text
}

describe('a handler behind a port', () => {
  it('gets requests as they came, and its answers go out as they are', async () => {
    const { url } = await serve(echo)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const response = await fetch(`${url}/x/y?z`, { method: 'PUT', headers: { a: 'b' }, body: 'zwölf' })
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ method: 'PUT', path: '/x/y', a: 'b', body: 'zwölf' })
    expect(await (await fetch(url)).json()).toMatchObject({ method: 'GET', body: '' })
  })

  it('never sees more than may come, and the sender is told so', async () => {
    let seen = 0
    const { url } = await serve(async () => {
      seen++
      return new Response()
    })
    const declared = await fetch(url, { method: 'POST', body: 'x'.repeat(MAX_BYTES + 1) })
    expect([declared.status, await declared.json()]).toMatchObject([413, { code: 'BODY_TOO_LARGE' }])
    expect(seen).toBe(0)
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(MAX_BYTES) })).status).toBe(200)
  })

  it('reads no more of a body of unknown length than it may', async () => {
    const { url } = await serve(echo)
    const sending = httpRequest(url, { method: 'POST' })
    const answered = once(sending, 'response')
    sending.on('error', () => {})
    // Chunked, and without an end: whoever waits for that waits for ever.
    sending.write('x'.repeat(MAX_BYTES))
    sending.write('x')
    const [response] = await answered
    expect(response.statusCode).toBe(413)
    sending.destroy()
  })

  it('does not bring the server down when it fails, nor tells why', async () => {
    const { url } = await serve(async () => {
      throw new Error('the password is swordfish')
    })
    const response = await fetch(url, { method: 'POST', body: '{}' })
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL_ERROR', status: 500 })
    expect(text).not.toContain('swordfish')
    expect((await fetch(url)).status).toBe(500)
  })

  it('answers what is hardly a request, or closes', async () => {
    const { url } = await serve(echo)
    expect(await raw(url, 'garbage\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await raw(url, 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    )
    const absolute = 'POST http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
    expect(await raw(url, absolute)).toMatch(/^HTTP\/1\.1 400 /)
    const doubled =
      'POST //elsewhere/ack HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
    expect(await raw(url, doubled)).toMatch(/^HTTP\/1\.1 201 /)
  })

  it('goes on when a sender leaves in the middle', async () => {
    const { url } = await serve(echo)
    await raw(url, 'POST /ack HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
    expect((await fetch(url, { method: 'POST', body: 'whole' })).status).toBe(201)
  })

  it('finishes what it has begun when it closes, and closes once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const server = await serve(async () => {
      begin()
      await promise
      return new Response('done')
    })
    const response = fetch(server.url, { method: 'POST', body: '{}' })
    await begun
    const closed = [server.close(), server.close()]
    await expect(fetch(server.url)).rejects.toThrow()
    resolve()
    const answer = await response
    expect([await answer.text(), answer.headers.get('connection')]).toEqual(['done', 'close'])
    await Promise.all(closed)
  })

  it('says when the port is taken', async () => {
    const { url } = await serve(echo)
    const port = Number(new URL(url).port)
    await expect(listen(echo, { port, maxBytes: 1, timers: systemTimers })).rejects.toThrow('EADDRINUSE')
  })
})
