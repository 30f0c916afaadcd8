import type { FastifyReply, FastifyRequest } from 'fastify'
import { UnsupportedMedia } from '../errors/http-errors.ts'
import { BadMessage, BodyTooLarge } from '../errors/message-errors.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import { problemOf } from '../wire/problem.ts'
import type { Logger } from '../world/logger.ts'

const SERVER_FAILED = 500

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
  if (status >= SERVER_FAILED) logger.error({ ...fields, err: thrown }, 'A request failed')
  else if (status === 401 || status === 403 || status === 421 || status === 429) {
    logger.warn({ ...fields, code: body.code }, String(body.detail))
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="waybill"')
  reply
    .code(status)
    .headers(headers)
    .send(JSON.stringify({ ...body, request_id: request.id }))
}

/** What Fastify throws, in our words. */
function translated(
  thrown: unknown,
  { headers }: Pick<FastifyRequest, 'headers'>,
  maxBytes: number,
): unknown {
  if (thrown instanceof WaybillError) return thrown
  const { code, message, statusCode } = thrown as Error & { code?: string; statusCode?: number }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new BodyTooLarge(maxBytes)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMedia(String(headers['content-type'] ?? ''))
    default:
  }
  const isTheirs = code?.startsWith('FST_') === true && statusCode !== undefined && statusCode < SERVER_FAILED
  if (!isTheirs) return thrown
  return new BadMessage({ message, next: 'Send an ordinary HTTP request.' }, { cause: thrown })
}
