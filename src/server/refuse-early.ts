// Requests that are refused before Fastify sees them. They are answered as all others are, and the connection ends.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { IdSource } from '../core/decision.ts'
import { BadMessage } from '../errors/message-errors.ts'
import type { WaybillError } from '../errors/waybill-error.ts'
import { problemOf } from '../wire/problem.ts'
import { API_HEADERS } from './security/headers.ts'

/** A request that is not looked at. */
export function refuseEarly(response: ServerResponse, error: WaybillError, ids: IdSource): void {
  const { status, headers, body } = answerTo(error, ids)
  response.shouldKeepAlive = false
  response.writeHead(status, headers)
  response.end(body)
}

const BROKEN: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: 'The headers are longer than is read',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The body has longer extensions than is read',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not come to its end in time',
}

/** What is not HTTP, or never comes to its end, has no request to answer: the answer goes to the connection. */
export function refuseBrokenRequest(
  error: Error & { readonly code?: string },
  socket: { readonly writable: boolean; end(text: string): void; destroy(): void },
  ids: IdSource,
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const message = BROKEN[error.code ?? ''] ?? 'This is not a request as HTTP has it'
  const next = 'Send an ordinary HTTP request.'
  const { status, headers, body } = answerTo(new BadMessage({ message, next }), ids)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}

function answerTo(error: WaybillError, ids: IdSource) {
  const { status, headers, body } = problemOf(error)
  const request_id = ids.next()
  const text = JSON.stringify({ ...body, request_id })
  return {
    status,
    headers: {
      ...headers,
      ...API_HEADERS,
      'x-request-id': request_id,
      'content-length': String(Buffer.byteLength(text)),
    },
    body: text,
  }
}
