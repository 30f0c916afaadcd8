// From the list of routes to Fastify. `/v1/jobs/{job_id}:cancel` and its like are one route to Fastify, which only knows
// names between slashes: the verb is what comes after the last colon, since an id may have colons of its own.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { MethodNotAllowed, UnknownPath } from '../errors/message-errors.ts'
import { checkId } from '../ledger/check-input.ts'
import { parsed } from '../ledger/steering-schemas.ts'
import { checkEverybody, checkPermission, type Principal } from './auth/principal.ts'
import { HttpCall } from './http-call.ts'
import { HIJACKED, type Method, type Reply, type Route, type ServerParts } from './route.ts'

export interface Gatekeeper {
  /** Throws when a page of another site makes it. */
  checkOrigin(request: FastifyRequest): void
  /** Lets a request in or throws. Not a promise where it is known at once. */
  admit(request: FastifyRequest, route: Route): Principal | Promise<Principal>
  /** When the body has come: throws when the request was let in on the strength of it, wrongly. */
  checkAdmitted(request: FastifyRequest): void
  readonly server: ServerParts
  readonly stopping: AbortSignal
}

/** Verbs of one path, or the one route without a verb, under null. */
type Verbs = Map<string | null, Route>

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE']
const OTHER_METHODS = ['PATCH', 'OPTIONS'] as const

declare module 'fastify' {
  interface FastifyRequest {
    /** Who was let in; null for a route that asks nobody. */
    principal: Principal | null
  }
}

const NOBODY: Principal = {
  name: 'nobody',
  role: 'viewer',
  tenants: new Set(),
  token_id: null,
  expires: null,
  speaksForOthers: false,
}

const NOTHING = z.strictObject({})

export function registerRoutes(app: FastifyInstance, routes: readonly Route[], gate: Gatekeeper): void {
  app.decorateRequest('principal', null)
  const paths = new Map<string, Map<Method, Verbs>>()
  for (const route of routes) {
    const { path, verb } = splitVerb(route.path)
    const byMethod = paths.get(path) ?? new Map<Method, Verbs>()
    const verbs: Verbs = byMethod.get(route.method) ?? new Map()
    verbs.set(verb, route)
    paths.set(path, byMethod.set(route.method, verbs))
  }
  for (const [path, byMethod] of paths) {
    for (const [method, verbs] of byMethod) registerOne(app, { method, path, verbs }, gate)
    const allowed = [...byMethod.keys()].join(', ')
    const others = [...METHODS.filter((method) => !byMethod.has(method)), ...OTHER_METHODS]
    app.route({
      method: others,
      url: fastifyPath(path),
      handler: () => {
        throw new MethodNotAllowed(allowed)
      },
    })
  }
}

/** `/v1/jobs/{job_id}:cancel` → `/v1/jobs/{job_id}` and `cancel`; the verb of a whole collection is part of its path. */
function splitVerb(path: string): { readonly path: string; readonly verb: string | null } {
  const match = /^(.*\}):(\w+)$/.exec(path)
  return match === null ? { path, verb: null } : { path: match[1] as string, verb: match[2] as string }
}

function fastifyPath(path: string): string {
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1')
}

function registerOne(
  app: FastifyInstance,
  { method, path, verbs }: { readonly method: Method; readonly path: string; readonly verbs: Verbs },
  gate: Gatekeeper,
): void {
  const plain = verbs.get(null)
  const last = /\{(\w+)\}$/.exec(path)?.[1]
  const find = (request: FastifyRequest): Found => {
    const params = request.params as { readonly [name: string]: string }
    if (verbs.size === 1 && plain !== undefined) return { route: plain, params }
    return foundByVerb(verbs, params, last as string)
  }
  app.route({
    method,
    url: fastifyPath(path),
    // Before the body is read: who may not come in is not listened to.
    onRequest: (request, _reply, done) => {
      const { route } = find(request)
      // Anybody may follow a link to the page.
      if (route.needs === 'nothing' && method === 'GET') return done()
      gate.checkOrigin(request)
      if (route.needs === 'nothing') return done()
      const one = gate.admit(request, route)
      if (one instanceof Promise) one.then((late) => check(route, request, late)).then(() => done(), done)
      else {
        check(route, request, one)
        done()
      }
    },
    handler: async (request, reply) => {
      const { route, params } = find(request)
      if (route.mayBeSigned === true) gate.checkAdmitted(request)
      const call = new HttpCall({
        principal: request.principal ?? NOBODY,
        params: checkedParams(params),
        query: queryOf(route, request),
        body: bodyOf(route, request),
        request,
        reply,
        server: gate.server,
        stopping: gate.stopping,
        acrossTenants: route.acrossTenants === true || route.everybody === true,
      })
      return send(reply, await route.handle(call as never))
    },
  })
}

interface Found {
  readonly route: Route
  readonly params: { readonly [name: string]: string }
}

function foundByVerb(verbs: Verbs, params: Found['params'], last: string): Found {
  const text = params[last] as string
  const colon = text.lastIndexOf(':')
  const named = colon === -1 ? undefined : verbs.get(text.slice(colon + 1))
  if (named !== undefined) return { route: named, params: { ...params, [last]: text.slice(0, colon) } }
  const plain = verbs.get(null)
  if (plain !== undefined) return { route: plain, params }
  throw new UnknownPath([...verbs.keys()].map((verb) => `…:${verb}`))
}

function check(route: Route, request: FastifyRequest, principal: Principal): void {
  if (route.needs !== 'nothing') checkPermission(principal, route.needs)
  if (route.everybody === true) checkEverybody(principal)
  request.principal = principal
}

/** An id that none can be is refused here, in the same words everywhere: engines are not asked for it. */
function checkedParams(params: Found['params']): Found['params'] {
  for (const name in params) checkId(name, params[name])
  return params
}

/** Most requests have none, and then there is nothing to check, but for routes that have to be told something. */
function queryOf({ query = NOTHING }: Route, request: FastifyRequest): unknown {
  const isChecked = request.originalUrl.includes('?') || hasToBeTold(query)
  return isChecked ? parsed(query, request.query) : EMPTY_QUERY
}

const toldSomething = new WeakMap<z.ZodObject, boolean>()

/** Whether a query without anything in it is refused; found out once. */
function hasToBeTold(query: z.ZodObject): boolean {
  const known = toldSomething.get(query)
  if (known !== undefined) return known
  const isRefused = !query.safeParse(EMPTY_QUERY).success
  toldSomething.set(query, isRefused)
  return isRefused
}

const EMPTY_QUERY = Object.freeze({})

function bodyOf({ body, isBodyCheckedBehind }: Route, request: FastifyRequest): unknown {
  const given = request.body ?? {}
  // What somebody says there, such as a reason, would be lost without a word.
  if (body === undefined) return parsed(NOTHING, given)
  return isBodyCheckedBehind === true ? given : parsed(body, given)
}

function send(reply: FastifyReply, answer: Reply): FastifyReply {
  if (answer === HIJACKED) return reply.hijack()
  reply.code(answer.status)
  if (answer.headers !== undefined) reply.headers(answer.headers)
  return answer.body === undefined ? reply.send() : reply.send(answer.body)
}
