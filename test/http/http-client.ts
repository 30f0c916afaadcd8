// Asks a server on this machine, over connections that are kept.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Asked {
  readonly token?: string | undefined
  readonly headers?: { readonly [name: string]: string | string[] } | undefined
  readonly query?: { readonly [name: string]: string } | undefined
  /** JSON, unless it is text or bytes already. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, when it is JSON; undefined when it is not. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of an answer it says itself.
  readonly json: any
}

export class HttpClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const { token, headers = {}, query, body } = asked
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const bytes =
      body === undefined ? undefined : Buffer.from(isRaw ? (body as string) : JSON.stringify(body))
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const sent = request(
      {
        agent: this.#agent,
        host: '127.0.0.1',
        port: this.#port,
        method,
        path: `${path}${search}`,
        headers: {
          ...(token === undefined ? null : { authorization: `Bearer ${token}` }),
          ...(bytes === undefined
            ? null
            : { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...headers,
        },
      },
      (response) => {
        buffer(response).then((got) => {
          const text = got.toString()
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            text,
            json: jsonIn(text),
          })
        }, reject)
      },
    )
    sent.on('error', reject)
    sent.end(bytes)
    return promise
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
