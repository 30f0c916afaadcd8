// A web-standard handler behind node:http. The handler knows nothing of it, and can as well be mounted in another
// server. Bodies are read here, with a bound, because a stream that is given up would take its connection with it, and
// the sender would never learn that it sent too much.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SECOND_MS } from '../core/time.ts'
import { BadMessage, BodyTooLarge, MethodNotAllowed } from '../errors/message-errors.ts'
import type { Timers } from '../world/timers.ts'
import { problemResponse } from './problem.ts'

export type WebHandler = (request: Request) => Promise<Response>

export interface ListenOptions {
  /** 0, or none, for one that is free. */
  readonly port?: number | undefined
  /** Only this machine when absent. */
  readonly host?: string | undefined
}

export interface Listening extends AsyncDisposable {
  readonly url: string
  /** Takes no more requests, and resolves when those under way are answered, or had the time for it. */
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

const LIMITS = {
  /** Of a whole request: what is longer is slow on purpose. */
  requestTimeout: 30 * SECOND_MS,
  headersTimeout: 10 * SECOND_MS,
  keepAliveTimeout: 5 * SECOND_MS,
  connectionsCheckingInterval: 5 * SECOND_MS,
  maxHeaderSize: 16 * 1024,
}
const MOST_CONNECTIONS = 1000
/** What is still being answered when the server closes may take so long. */
const CLOSE_MS = 5 * SECOND_MS

export async function listen(
  handler: WebHandler,
  { port = 0, host = LOOPBACK, maxBytes, timers }: ListenOptions & { maxBytes: number; timers: Timers },
): Promise<Listening> {
  // Loaded when somebody listens: it takes memory (17 MB by itself), and most who open a ledger never do.
  const { createServer } = await import('node:http')
  const server = createServer(LIMITS, (incoming, outgoing) => {
    void answer(handler, incoming, outgoing, { maxBytes, isOpen: () => server.listening })
  })
  server.maxConnections = MOST_CONNECTIONS
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= closeServer(server, timers)
    return closed
  }
  return { url: `http://${name}:${address.port}`, close, [Symbol.asyncDispose]: close }
}

async function closeServer(server: Server, timers: Timers): Promise<void> {
  const timer = timers.after(CLOSE_MS, () => server.closeAllConnections())
  await new Promise((resolve) => server.close(resolve))
  timer.cancel()
}

async function answer(
  handler: WebHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { maxBytes, isOpen }: { maxBytes: number; isOpen: () => boolean },
): Promise<void> {
  try {
    const response = await requestOf(incoming, maxBytes).then(handler).catch(problemResponse)
    // Nobody waits at its end for a next request when there will be none.
    if (!isOpen()) outgoing.shouldKeepAlive = false
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  } catch {
    // The other side is gone, or an answer cannot be written: either way there is nobody to tell.
    outgoing.destroy()
  }
}

async function requestOf(incoming: IncomingMessage, maxBytes: number): Promise<Request> {
  const { method = '', url = '' } = incoming
  // The one method that reaches us and that a Request may not have.
  if (method === 'TRACE') throw new MethodNotAllowed('POST')
  const body = await bytesOf(incoming, maxBytes)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  try {
    const address = new URL(url.startsWith('/') ? `http://${LOOPBACK}${url}` : url)
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const)
    return new Request(address, { method, headers: Object.fromEntries(headers), body: hasBody ? body : null })
  } catch (error) {
    const { message } = error as Error
    throw new BadMessage({ message, next: 'Send an ordinary HTTP request.' }, { cause: error })
  }
}

async function bytesOf(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes)
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > maxBytes) {
      // The rest is thrown away as it comes; the request has only so much time.
      incoming.resume()
      throw new BodyTooLarge(maxBytes)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
