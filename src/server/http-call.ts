import type { FastifyReply, FastifyRequest } from 'fastify'
import { Forbidden } from '../errors/http-errors.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { checkId } from '../ledger/check-input.ts'
import type { CallOptions } from '../ledger/settings.ts'
import type { Principal } from './auth/principal.ts'
import { tenantFor } from './request/tenant.ts'
import type { Call, ServerParts } from './route.ts'

interface CommonQuery {
  readonly tenant_id?: string | undefined
  readonly reason?: string | undefined
  readonly actor?: string | undefined
}

export interface HttpCallParts<Q, B> {
  readonly server: ServerParts
  readonly principal: Principal
  readonly params: { readonly [name: string]: string }
  readonly query: Q
  readonly body: B
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Aborted when the server is about to end. */
  readonly stopping: AbortSignal
  readonly acrossTenants: boolean
}

/** So long somebody waits for a page, which may then be short. */
const LOOKED_FOR_MS = 2000

/** What is not asked for is not found out: most routes need little of it. */
export class HttpCall<Q, B> implements Call<Q, B> {
  readonly server: ServerParts
  readonly principal: Principal
  readonly params: { readonly [name: string]: string }
  readonly query: Q
  readonly body: B
  readonly #parts: HttpCallParts<Q, B>
  #tenant: string | null = null

  constructor(parts: HttpCallParts<Q, B>) {
    this.#parts = parts
    this.server = parts.server
    this.principal = parts.principal
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
  }

  get tenant_id(): string {
    const { principal, server, query, acrossTenants } = this.#parts
    const named = (query as CommonQuery | undefined)?.tenant_id
    const given = { named, fallback: server.ledger.defaultTenant, acrossTenants }
    this.#tenant ??= tenantFor(principal, given)
    return this.#tenant
  }

  get by(): Required<Pick<CallOptions, 'tenant_id' | 'actor'>> & CallOptions {
    const { reason } = (this.query ?? {}) as CommonQuery
    const if_match = etagIn(this.headers['if-match'])
    return {
      tenant_id: this.tenant_id,
      actor: this.actor,
      ...(reason === undefined ? null : { reason }),
      ...(if_match === undefined ? null : { if_match }),
    }
  }

  get actor(): string {
    const { actor } = (this.query ?? {}) as CommonQuery
    const { name, speaksForOthers } = this.principal
    if (actor === undefined || actor === name) return name
    if (speaksForOthers) return actor
    throw new Forbidden(`${name} cannot act in the name of ${actor}`, 'Leave actor out.', 'actor')
  }

  get request_key(): string | null {
    const key = this.headers['idempotency-key']
    return key === undefined ? null : checkId('idempotency-key', key)
  }

  get headers() {
    return this.#parts.request.headers
  }

  get address(): string {
    return this.#parts.request.ip
  }

  get signal(): AbortSignal {
    const { reply, stopping } = this.#parts
    const gone = new AbortController()
    // The request itself is over when it was read; the connection is what may go.
    reply.raw.once('close', () => gone.abort())
    return AbortSignal.any([gone.signal, stopping])
  }

  get isEnough(): () => boolean {
    const { reply, stopping, server } = this.#parts
    const until = server.clock.now() + LOOKED_FOR_MS
    return () => reply.raw.destroyed || stopping.aborted || server.clock.now() > until
  }

  /** What every answer says, this one says as well. */
  get raw() {
    const { request, reply } = this.#parts
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    return { request: request.raw, response: reply.raw }
  }
}

/** The etag as it was given out: in quotes, as headers have it. */
function etagIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const quoted = /^"([^"]{0,512})"$/.exec(header)
  if (quoted !== null) return quoted[1]
  const next = 'Send the etag of the record as its ETag header has it, in quotes.'
  throw new InvalidInput('if-match', 'If-Match must be one etag in quotes', next)
}
