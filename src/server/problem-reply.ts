import type { FastifyReply, FastifyRequest } from 'fastify'
import { UnsupportedMedia } from '../errors/http-errors.ts'
import { BadMessage, BodyTooLarge } from '../errors/message-errors.ts'
import type { ErrorCode } from '../errors/table.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import { problemOf } from '../wire/problem.ts'
import type { Logger } from '../world/logger.ts'
import { API_HEADERS } from './security/headers.ts'

const SERVER_FAILED = 500

/** Answers like any other, though the status says that it is not the caller's fault. */
const ORDINARY: ReadonlySet<string> = new Set<ErrorCode>([
  'WAIT_OVER',
  'SERVICE_STOPPING',
  'TOO_MANY_WAITING',
  'UNSUPPORTED',
])

/** Whatever was thrown, as the caller is told of it; what is not the caller's fault is in the log with its cause. */
export function sendProblem(
  thrown: unknown,
  request: Pick<FastifyRequest, 'id' | 'method' | 'routeOptions' | 'headers'>,
  reply: FastifyReply,
  { logger, maxBytes }: { readonly logger: Logger; readonly maxBytes: number },
): void {
  const error = translated(thrown, request, maxBytes)
  const { status, headers, body } = problemOf(error)
  const fields = { request_id: request.id, method: request.method, route: request.routeOptions?.url, status }
  // Whoever hung up has no answer, and that is no failure.
  if (reply.raw.destroyed) logger.debug({ ...fields, err: thrown }, 'A caller is gone')
  else if (status >= SERVER_FAILED && !ORDINARY.has(String(body.code)))
    logger.error({ ...fields, err: thrown }, 'A request failed')
  else if (status === 401 || status === 403 || status === 421 || status === 429) {
    logger.warn({ ...fields, code: body.code }, String(body.detail))
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="waybill"')
  reply
    .code(status)
    // What is refused before it has a route has passed no hook that would have said these.
    .headers({ ...API_HEADERS, 'x-request-id': request.id, ...headers })
    .send(JSON.stringify({ ...body, request_id: request.id }))
}

/** What Fastify throws, in our words. */
function translated(
  thrown: unknown,
  { headers }: Pick<FastifyRequest, 'headers'>,
  maxBytes: number,
): unknown {
  if (thrown instanceof WaybillError) return thrown
  const { code, statusCode } = thrown as Error & { code?: string; statusCode?: number }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new BodyTooLarge(maxBytes)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMedia('content-type', headers['content-type'] ?? '')
    default:
  }
  const isTheirs = code?.startsWith('FST_') === true && statusCode !== undefined && statusCode < SERVER_FAILED
  if (!isTheirs) return thrown
  const message = BROKEN[code as string] ?? 'This is not a request that makes sense here'
  return new BadMessage({ message, next: 'Send an ordinary HTTP request.' }, { cause: thrown })
}

/** In our words: Fastify quotes what was sent. */
const BROKEN: { readonly [code: string]: string } = {
  FST_ERR_BAD_URL: 'The path has escapes that stand for nothing',
  FST_ERR_MAX_PARAM_LENGTH: 'An id in the path is longer than any id',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body has another length than it says',
}
