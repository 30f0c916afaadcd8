import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import type { z } from 'zod'
import type { CallOptions } from '../ledger/settings.ts'
import type { JobLogs } from '../orchestrator/logs/job-logs.ts'
import type { Adapter } from '../orchestrator/tools/adapter.ts'
import type { ClaimLines } from '../runtime/claim-lines.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import type { Clock } from '../world/clock.ts'
import type { Authenticator } from './auth/authenticator.ts'
import type { Permission, Principal } from './auth/principal.ts'
import type { EventHub } from './events/event-hub.ts'
import type { Looks } from './looks.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One thing that can be asked over HTTP: data, of which come the route itself, its checks, and its part of the OpenAPI
 * document.
 */
export interface Route<Q extends z.ZodObject = z.ZodObject, B extends z.ZodType = z.ZodType> {
  readonly method: Method
  /** `/v1/jobs/{job_id}:cancel`; what is in braces comes decoded. */
  readonly path: string
  /** A name for programs that are generated from the document. */
  readonly operation: string
  readonly summary: string
  /** More of it, for the document. */
  readonly about?: string | undefined
  /** What the caller has to be allowed; `nothing` for everybody. */
  readonly needs: Permission | 'nothing'
  /** It concerns all tenants alike, so the caller has to be for all of them. */
  readonly everybody?: boolean | undefined
  /** `tenant_id=*` asks for the records of all tenants; other routes are about those of one. */
  readonly acrossTenants?: boolean | undefined
  readonly query?: Q | undefined
  /** Absent for a route that takes none. */
  readonly body?: B | undefined
  /** What is behind it checks the body itself, by the same schema; a wrong one is then refused there. */
  readonly isBodyCheckedBehind?: boolean | undefined
  /** A service that signs what it sends needs no token. */
  readonly mayBeSigned?: boolean | undefined
  /** It knows by its `Idempotency-Key` that it was asked before. */
  readonly isKeyed?: boolean | undefined
  /** A route that steers the server: not there when those are switched off. */
  readonly isAdmin?: boolean | undefined
  readonly answers: Answers
  handle(call: Call<z.output<Q>, z.output<B>>): Promise<Reply> | Reply
}

/** By status. Problems that every route may have are not listed. */
interface Answers {
  readonly [status: number]: AnswerAbout
}

export interface AnswerAbout {
  readonly about: string
  readonly schema?: z.ZodType | undefined
  /** JSON when absent. */
  readonly contentType?: string | undefined
}

/** What routes have to work with. */
export interface ServerParts {
  readonly ledger: LiveLedger
  readonly clock: Clock
  /** Where workers wait for work. */
  readonly lines: ClaimLines
  readonly authenticator: Authenticator
  /** Who follows what happens. */
  readonly hub: EventHub
  readonly logs: JobLogs
  /** What takes a look at everything, kept for a while. */
  readonly looks: Looks
  /** Tools beside those that come with Waybill. */
  readonly adapters: readonly Adapter[]
  /** The routes that steer the server are there. */
  readonly hasAdmin: boolean
  /** The address of the page, as people reach it. */
  url(): string
  /** What keeps requests from being served now; null when nothing does. */
  readiness(): Promise<string | null>
  /** Null when nobody wants metrics. */
  readonly registry: Registry | null
}

/** A request that was let in. */
export interface Call<Q = unknown, B = unknown> {
  readonly server: ServerParts
  readonly principal: Principal
  readonly params: { readonly [name: string]: string }
  readonly query: Q
  readonly body: B
  /** Whose records; checked to be the caller's to ask for. `*`, for all of them, where the route is across tenants. */
  readonly tenant_id: string
  /** In whose name: the caller's own, but for those who speak for others. */
  readonly actor: string
  /** Who asks, for whom, why, and what the record is to be like: for every call that changes something. */
  readonly by: Required<Pick<CallOptions, 'tenant_id' | 'actor'>> & CallOptions
  /** So that a change that was asked for twice is made once; null when the caller does not say. */
  readonly request_key: string | null
  readonly headers: IncomingMessage['headers']
  readonly address: string
  /** Aborted when the caller is gone, or the server is about to end. */
  readonly signal: AbortSignal
  /** Looking on is not worth it: the caller is gone, or has waited for two seconds. */
  readonly isEnough: () => boolean
  /** For answers that go on: whoever takes it answers himself, and says so by `HIJACKED`. */
  readonly raw: { readonly request: IncomingMessage; readonly response: ServerResponse }
}

export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string } | undefined
}

/** The answer is on its way already. */
export const HIJACKED: Reply = Object.freeze({ status: 0 })

/** Says of a route what its schemas say; nothing else happens here. */
export function route<Q extends z.ZodObject, B extends z.ZodType>(definition: Route<Q, B>): Route {
  return definition as unknown as Route
}

export function ok(body: unknown, headers?: Reply['headers']): Reply {
  return { status: 200, body, headers }
}

/** For routes about a record that has to be there. */
export const NOT_THERE = {
  404: { about: 'There is none that the caller may know of' },
} as const

/** For routes that take `If-Match`. */
export const STALE = { 412: { about: 'The record changed since it was read' } } as const
