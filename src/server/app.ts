// The Fastify instance: what every request goes through, in this order. Host, before anything else is looked at; the route;
// where the request comes from; who asks; what that one may; the body; and only then the route itself.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type FastifyInstance, fastify } from 'fastify'
import { SECOND_MS } from '../core/time.ts'
import { WrongHost } from '../errors/http-errors.ts'
import { BadMessage, UnknownPath } from '../errors/message-errors.ts'
import type { WaybillError } from '../errors/waybill-error.ts'
import type { World } from '../world/world.ts'
import type { SignedMessages } from './auth/signed-messages.ts'
import type { PageFiles } from './page-files.ts'
import { sendProblem } from './problem-reply.ts'
import { refuseBrokenRequest, refuseEarly } from './refuse-early.ts'
import { registerRoutes } from './register-routes.ts'
import { checkBodyForm } from './request/body-form.ts'
import { jsonBody } from './request/json-body.ts'
import type { Route, ServerParts } from './route.ts'
import { API_HEADERS } from './security/headers.ts'
import { authorityIn, type Hosts, rawValues } from './security/hosts.ts'
import { checkOrigin } from './security/origin.ts'

export interface AppParts {
  readonly routes: readonly Route[]
  readonly server: ServerParts
  readonly hosts: Hosts
  readonly world: Pick<World, 'ids' | 'logger'>
  /** Aborted when the server is about to end. */
  readonly stopping: AbortSignal
  readonly maxBytes: number
  /** How long a request may take to come: what is longer is slow on purpose. */
  readonly requestTimeoutMs: number
  readonly page: PageFiles
  readonly signed: SignedMessages
}

function limitsOf(requestTimeoutMs: number) {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(requestTimeoutMs, 10 * SECOND_MS),
    keepAliveTimeout: 65 * SECOND_MS,
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 5 * SECOND_MS),
    maxHeaderSize: 16 * 1024,
  }
}
const MOST_CONNECTIONS = 10_000

/** Ids have at most 512 characters, each of which may come as several escaped bytes. */
const LONGEST_PARAM = 512 * 12

const REQUEST_ID = /^[\w.:/+=-]{1,128}$/

export function createApp(parts: AppParts): FastifyInstance {
  const { world, maxBytes } = parts
  const app = fastify({
    serverFactory: (handler) => serverOf(handler, parts),
    bodyLimit: maxBytes,
    routerOptions: { maxParamLength: LONGEST_PARAM },
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']) ?? world.ids.next(),
    logger: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, world.ids),
    frameworkErrors: (error, request, reply) =>
      sendProblem(error, request, reply, { logger: world.logger, maxBytes }),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkBodyForm(request.headers)
      parts.signed.verify(request.raw, body as Buffer)
      done(null, jsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(API_HEADERS).header('x-request-id', request.id)
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // A connection that is kept would keep the server from ending.
    if (parts.stopping.aborted) reply.header('connection', 'close')
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    sendProblem(error, request, reply, { logger: world.logger, maxBytes })
  })
  app.setNotFoundHandler((request, reply) => {
    if (parts.page.send(request, reply)) return
    throw new UnknownPath(['/v1/openapi.json, which lists everything'])
  })
  registerRoutes(app, parts.routes, {
    checkOrigin: ({ headers, method }) => {
      const { authorization, cookie, host = '', origin } = headers
      const fetchSite = headers['sec-fetch-site'] as string | undefined
      const isSession = authorization === undefined && cookie !== undefined
      checkOrigin({ method, host, origin, fetchSite, isSession })
    },
    admit: ({ headers: { authorization, cookie }, ip: address, raw }, { mayBeSigned }) => {
      const isSigned = mayBeSigned === true && authorization === undefined
      const principal = isSigned ? parts.signed.admit(raw) : null
      if (principal !== null) return principal
      return parts.server.authenticator.authenticate({
        authorization,
        cookie,
        address,
        connection: raw.socket,
      })
    },
    checkAdmitted: ({ raw }) => parts.signed.checkVerified(raw),
    server: parts.server,
    stopping: parts.stopping,
  })
  return app
}

function serverOf(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  { hosts, world: { ids }, requestTimeoutMs }: AppParts,
): Server {
  const server = createServer(limitsOf(requestTimeoutMs), (request, response) => {
    const error = problemWith(request, hosts)
    if (error === null) handler(request, response)
    else refuseEarly(response, error, ids)
  })
  server.maxConnections = MOST_CONNECTIONS
  return server
}

function problemWith({ rawHeaders, url = '' }: IncomingMessage, hosts: Hosts): WaybillError | null {
  const target = authorityIn(url)
  const isOurs = hosts.isOurs(rawValues(rawHeaders, 'host')) && (target === null || hosts.isOurs([target]))
  if (!isOurs) return new WrongHost()
  if (rawValues(rawHeaders, 'authorization').length <= 1) return null
  // Node takes the first; whoever stands between may have looked at another.
  const message = 'There is more than one Authorization header'
  return new BadMessage({ field: 'authorization', message, next: 'Send the one that counts.' })
}

function requestIdOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : null
}
