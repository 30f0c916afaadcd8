import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors/input-errors.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { DeliveryFailed } from '../../wire/delivery-failed.ts'
import { httpPublisher } from './http.ts'
import type { Message } from './publisher.ts'

const SECRET = `whsec_${Buffer.from('a secret of the directives').toString('base64')}`

const MESSAGE: Message = {
  outbox_id: '0190a0b0-0000-7000-8000-000000000001',
  topic: 'global-bus-p3',
  partition: 3,
  service: 'ocr',
  tries: 1,
  directive: { jobId: 'j-1', payload: { note: 'zwölf' } },
}

const open = new Set<{ close(): unknown; closeAllConnections?(): void }>()
afterEach(() => {
  for (const server of open) {
    server.closeAllConnections?.()
    server.close()
  }
  open.clear()
})

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1')
  open.add(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function never(): AbortSignal {
  return new AbortController().signal
}

async function failureOf(publishing: Promise<void>): Promise<DeliveryFailed> {
  const error = await publishing.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DeliveryFailed)
  return error as DeliveryFailed
}

describe('publishing by HTTP', () => {
  it('A21 posts the directive as it is, so that any implementation of Standard Webhooks can verify it', async () => {
    const got = Promise.withResolvers<{ request: IncomingMessage; body: string }>()
    const url = await serve(async (request, response) => {
      got.resolve({ request, body: await text(request) })
      response.writeHead(202).end('{"status":"accepted"}')
    })
    const publisher = httpPublisher({ url: `${url}/ocr`, secret: SECRET, headers: { 'x-gate': 'open' } })
    await publisher.publish(MESSAGE, never())
    const { request, body } = await got.promise
    expect([request.method, request.url]).toEqual(['POST', '/ocr'])
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': MESSAGE.outbox_id,
      'x-gate': 'open',
    })
    const headers = request.headers as Record<string, string>
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(MESSAGE.directive)
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature')
  })

  it('signs with the time of its clock and with every secret', async () => {
    const world = virtualWorld()
    const got = Promise.withResolvers<IncomingMessage>()
    const url = await serve((request, response) => {
      got.resolve(request)
      response.end()
    })
    await httpPublisher({ url, secret: [SECRET, 'the next one, in plain text'], world }).publish(
      MESSAGE,
      never(),
    )
    const { headers } = await got.promise
    expect(headers['webhook-timestamp']).toBe(String(world.clock.now() / 1000))
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
  })

  it('asks for the address of each message, if it is told how', async () => {
    const paths: string[] = []
    const url = await serve((request, response) => {
      paths.push(request.url ?? '')
      response.end()
    })
    const publisher = httpPublisher({ url: ({ service }) => `${url}/${service}`, secret: SECRET })
    await publisher.publish(MESSAGE, never())
    await publisher.publish({ ...MESSAGE, service: 'sis' }, never())
    expect(paths).toEqual(['/ocr', '/sis'])
  })

  it.each([200, 202, 204])('takes %i for published', async (status) => {
    const url = await serve((_, response) => response.writeHead(status).end())
    await httpPublisher({ url, secret: SECRET }).publish(MESSAGE, never())
  })

  it.each([400, 401, 404, 413, 422, 429, 500, 503])(
    'takes %i for a failure, with its code',
    async (status) => {
      const url = await serve((_, response) => response.writeHead(status).end('{"code":"WHY"}'))
      const error = await failureOf(
        httpPublisher({ url: `${url}/a?token=1`, secret: SECRET }).publish(MESSAGE, never()),
      )
      expect(error).toMatchObject({
        code: `HTTP_${status}`,
        message: `${url}/a answered ${status}: {"code":"WHY"}`,
      })
      expect(error.next).not.toBe('')
    },
  )

  it('does not go where it is redirected to', async () => {
    let followed = 0
    const elsewhere = await serve((_, response) => {
      followed++
      response.end()
    })
    const url = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end())
    const error = await failureOf(httpPublisher({ url, secret: SECRET }).publish(MESSAGE, never()))
    expect([error.code, followed]).toEqual(['HTTP_307', 0])
  })

  it('reads only the beginning of an answer that does not end', async () => {
    const stopped = Promise.withResolvers<void>()
    const url = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.writeHead(500).on('drain', more).on('close', stopped.resolve)
      more()
    })
    const error = await failureOf(httpPublisher({ url, secret: SECRET }).publish(MESSAGE, never()))
    expect(error.code).toBe('HTTP_500')
    expect(error.message.length).toBeLessThan(500)
    await stopped.promise
  })

  it('says ECONNREFUSED when nobody is there', async () => {
    const server = createNetServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const url = `http://127.0.0.1:${port}/`
    const error = await failureOf(httpPublisher({ url, secret: SECRET }).publish(MESSAGE, never()))
    expect(error).toMatchObject({ code: 'ECONNREFUSED', message: `${url} cannot be reached: ECONNREFUSED` })
  })

  it('says why it does not even try', async () => {
    const publisher = httpPublisher({ url: 'http://127.0.0.1:9/', secret: SECRET })
    const error = await failureOf(publisher.publish(MESSAGE, never()))
    expect(error).toMatchObject({
      code: 'NETWORK',
      message: 'http://127.0.0.1:9/ cannot be reached: bad port',
    })
  })

  it('says what became of a connection that was cut', async () => {
    const url = await serve((request) => request.socket.destroy())
    const error = await failureOf(httpPublisher({ url, secret: SECRET }).publish(MESSAGE, never()))
    expect(error.code).toMatch(/^(?:UND_ERR_SOCKET|ECONNRESET)$/)
  })

  it('says TIMEOUT when there is no answer, or not the end of it', async () => {
    const world = virtualWorld()
    const begun = Promise.withResolvers<void>()
    const half = await serve((_, response) => {
      response.writeHead(200).write('half')
      begun.resolve()
    })
    const publishing = failureOf(
      httpPublisher({ url: half, secret: SECRET, world }).publish(MESSAGE, never()),
    )
    await begun.promise
    await world.advanceBy(10_000)
    expect(await publishing).toMatchObject({
      code: 'TIMEOUT',
      message: `${half}/ did not answer within 10000 ms`,
    })
    expect(world.clock.nextTimer).toBeNull()
  })

  it('stops when it is told to', async () => {
    const begun = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const url = await serve((request) => {
      begun.resolve()
      request.socket.on('close', gone.resolve)
    })
    const stop = new AbortController()
    const publishing = failureOf(httpPublisher({ url, secret: SECRET }).publish(MESSAGE, stop.signal))
    await begun.promise
    stop.abort(Object.assign(new Error('The publish took too long'), { code: 'PUBLISH_TIMEOUT' }))
    expect(await publishing).toMatchObject({
      code: 'PUBLISH_TIMEOUT',
      message: `The request to ${url}/ was given up: The publish took too long`,
    })
    await gone.promise
    const late = failureOf(httpPublisher({ url, secret: SECRET }).publish(MESSAGE, AbortSignal.abort()))
    expect((await late).code).toBe('ABORTED')
  })

  it('refuses what is no address, and no secret, before it is needed', () => {
    expect(() => httpPublisher({ url: 'ftp://127.0.0.1/', secret: SECRET })).toThrow(InvalidInput)
    expect(() => httpPublisher({ url: 'nowhere', secret: SECRET })).toThrow('url must be an address of HTTP')
    const credentials = { url: 'http://user:swordfish@127.0.0.1/', secret: SECRET }
    expect(() => httpPublisher(credentials)).toThrow('must not have credentials')
    expect(() => httpPublisher({ url: 'http://127.0.0.1/', secret: 'short' })).toThrow('at least 16 bytes')
  })
})
