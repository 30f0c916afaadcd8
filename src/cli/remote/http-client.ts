// Requests to a server, and nothing that happens by itself: no redirects, no proxies of the environment, which are not to see
// what lets us in. What changes something is sent once: when its answer is lost, nobody here knows what became of it.
import { Agent as HttpAgent, type IncomingMessage, request } from 'node:http'
import { Agent as HttpsAgent, request as requestSafely } from 'node:https'
import type { Json } from '../../core/json.ts'
import { MINUTE_MS } from '../../core/time.ts'
import { NoServer } from '../../errors/http-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { OutcomeUnknown } from '../../errors/postgres-errors.ts'
import { systemTimers } from '../../world/timers.ts'
import { errorOfProblem } from './problem-error.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Without a query; made with `pathOf`. */
  readonly path: string
  readonly query?: { readonly [name: string]: string | number | undefined }
  readonly body?: object | undefined
  readonly ifMatch?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly timeoutMs?: number | undefined
}

interface Answer {
  readonly status: number
  readonly text: string
}

const TIMEOUT_MS = MINUTE_MS
const MOST_CONNECTIONS = 16
const LARGEST_BYTES = 256 * 1024 * 1024

/** Nothing of the request was sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'])

/** Ids may have any characters. */
export function pathOf(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: parts }, ...ids.map(encodeURIComponent))
}

export class HttpClient {
  readonly url: string
  readonly #token: string
  readonly #agent: HttpAgent

  constructor(url: string, token: string) {
    this.url = url.replace(/\/$/, '')
    this.#token = token
    const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS }
    this.#agent = url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
  }

  /** What was answered; throws the error that the server told of. */
  async call<T>(what: HttpRequest): Promise<T> {
    const { status, text } = await this.#answer(what)
    const body = parsed(text)
    if (status < 300 && body !== undefined) return body as T
    throw (body === undefined ? null : errorOfProblem(body)) ?? this.#isStrange(status)
  }

  close(): void {
    this.#agent.destroy()
  }

  async #answer(what: HttpRequest): Promise<Answer> {
    try {
      return await this.#send(what)
    } catch (error) {
      if (error instanceof InvalidInput) throw error
      const { code = '' } = error as NodeJS.ErrnoException
      if (NOT_SENT.has(code)) throw this.#isAway(error)
      if (what.method !== 'GET') throw this.#isLost(error)
    }
    return this.#send(what).catch((error: unknown) => {
      throw this.#isAway(error)
    })
  }

  #send({ method, path, query = {}, body, timeoutMs = TIMEOUT_MS, ...more }: HttpRequest): Promise<Answer> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const { protocol, hostname, port } = new URL(this.url)
    const over = new AbortController()
    const timer = systemTimers.after(timeoutMs, () =>
      over.abort(new Error(`No answer came in ${timeoutMs} ms`)),
    )
    const hold = systemTimers.hold()
    return new Promise<Answer>((resolve, reject) => {
      const sent = (protocol === 'https:' ? requestSafely : request)(
        {
          method,
          hostname: hostname.replace(/^\[|\]$/g, ''),
          port,
          path: path + queryText(query),
          agent: this.#agent,
          signal: over.signal,
          headers: {
            authorization: `Bearer ${this.#token}`,
            accept: 'application/json',
            ...(content === undefined
              ? null
              : { 'content-type': 'application/json', 'content-length': content.length }),
            ...headersOf(more),
          },
        },
        (response) =>
          read(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject),
      )
      sent.on('error', (error) => reject(over.signal.aborted ? over.signal.reason : error))
      sent.end(content)
    }).finally(() => {
      timer.cancel()
      hold.cancel()
    })
  }

  #isAway(cause: unknown): NoServer {
    const message = `Nothing answers at ${this.url}: ${(cause as Error).message}`
    return new NoServer(message, 'Look whether the server runs, and whether its address is right.', cause)
  }

  #isLost(cause: unknown): OutcomeUnknown {
    return new OutcomeUnknown(this.url, cause)
  }

  #isStrange(status: number): NoServer {
    const message = `What answers at ${this.url} is no server of a ledger (status ${status})`
    return new NoServer(message, 'Look whether the address is right.')
  }
}

async function read(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    parts.push(part)
    bytes += part.length
    if (bytes > LARGEST_BYTES) throw new Error(`The answer is larger than ${LARGEST_BYTES} bytes`)
  }
  return Buffer.concat(parts).toString()
}

function headersOf({ ifMatch, idempotencyKey }: Pick<HttpRequest, 'ifMatch' | 'idempotencyKey'>) {
  return {
    ...(ifMatch === undefined ? null : { 'if-match': `"${plain('if-match', ifMatch)}"` }),
    ...(idempotencyKey === undefined ? null : { 'idempotency-key': plain('key', idempotencyKey) }),
  }
}

/** Headers take no others. */
function plain(field: string, text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const message = `--${field} ${JSON.stringify(text)} has characters that a server cannot be sent`
  throw new InvalidInput(field, message, 'Use plain letters, digits and signs.')
}

function queryText(query: NonNullable<HttpRequest['query']>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** Undefined for what is not JSON. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
