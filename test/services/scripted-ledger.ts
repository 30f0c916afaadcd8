// The ledger's side of the callbacks, saying what a test wants it to say. It listens for real.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createService,
  type Service,
  type ServiceOptions,
  type StepContext,
  type StepHandler,
} from 'waybill/service'
import { virtualWorld } from 'waybill/testing'
import type { CallbackName } from '../../src/core/job/callback-urls.ts'
import { verifySignature } from '../../src/wire/verify-signature.ts'

export const SECRET = 'a secret that both sides have'

export const LEASE_MS = 15 * 60_000

export interface Said {
  readonly name: CallbackName
  readonly id: string
  readonly body: { readonly [field: string]: unknown }
}

/** A status with a body, or `cut` for a connection that breaks. */
export type Script = { readonly status: number; readonly body: object } | 'cut'

export const ACCEPTED: Script = {
  status: 200,
  body: { status: 'accepted', cancel: false, lease_expires_at: null, lease_ms: LEASE_MS },
}
export const IGNORED: Script = { status: 200, body: { status: 'ignored', cancel: false } }
export const CANCEL: Script = { status: 200, body: { status: 'accepted', cancel: true, lease_ms: LEASE_MS } }
export const LOST: Script = { status: 409, body: { code: 'LEASE_MISMATCH', detail: 'not yours' } }
export const BUSY: Script = { status: 503, body: {} }

export async function scriptedLedger() {
  const world = virtualWorld()
  const services: Service[] = []
  const said: Said[] = []
  const scripts = new Map<CallbackName, Script[]>()
  const waiting: { readonly name: CallbackName; readonly count: number; resolve(said: Said): void }[] = []
  const server = createServer(async (request, response) => {
    const name = request.url?.split('/').at(-1) as CallbackName
    const body = await text(request)
    const headers = new Headers(request.headers as Record<string, string>)
    const id = verifySignature({ headers, body: Buffer.from(body), secrets: SECRET, now: world.clock.now() })
    const one = { name, id, body: JSON.parse(body) as Said['body'] }
    said.push(one)
    const script = scripts.get(name)?.shift() ?? ACCEPTED
    if (script === 'cut') request.socket.destroy()
    else response.writeHead(script.status).end(JSON.stringify(script.body))
    const count = said.filter((other) => other.name === name).length
    for (const waiter of waiting) if (waiter.name === name && waiter.count === count) waiter.resolve(one)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    world,
    said,
    names: () => said.map(({ name }) => name),
    /** What is answered to the next ones; `accepted` when there is nothing more. */
    answer: (name: CallbackName, ...next: Script[]) => scripts.set(name, next),
    /** The nth message of a name, as soon as it is there. */
    nth(name: CallbackName, count = 1): Promise<Said> {
      const there = said.filter((one) => one.name === name)[count - 1]
      if (there !== undefined) return Promise.resolve(there)
      return new Promise((resolve) => waiting.push({ name, count, resolve }))
    },
    /** A service that calls back here, and stops when this closes. */
    serve(OCR: StepHandler, options: Partial<ServiceOptions> = {}): Service {
      const service = createService({
        secrets: SECRET,
        handlers: { OCR },
        callbackUrl: url,
        world,
        ...options,
      })
      services.push(service)
      return service
    },
    /** Resolves when the next timer is so far away: requests under way have nearer ones. */
    async timerIn(least: number, most = least): Promise<number> {
      for (;;) {
        const left = (world.clock.nextTimer ?? Number.POSITIVE_INFINITY) - world.clock.now()
        if (left >= least && left <= most) return left
        await new Promise(setImmediate)
      }
    },
    async close() {
      await Promise.all(services.map((service) => service.stop({ graceMs: 0 })))
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type ScriptedLedger = Awaited<ReturnType<typeof scriptedLedger>>

export function directive(fields: object = {}) {
  return {
    jobId: 'j-1',
    tenant_id: 't1',
    stepId: 'ocr',
    protocol_id: 'atomic-ocr.v1',
    step_type: 'OCR',
    attempt_no: 1,
    lease_id: 'lease-1',
    input_ref: 'in',
    workspace_ref: null,
    output_ref: 'out',
    payload: { language_hint: 'de' },
    callback_urls: null,
    mode: 'DEFAULT',
    lane: 3,
    routing_key_used: 't1',
    correlation_id: null,
    traceparent: null,
    ...fields,
  }
}

/** A handler that a test takes by the hand; it stops when it is told to. */
export function held() {
  const begun = Promise.withResolvers<StepContext>()
  const end = Promise.withResolvers<unknown>()
  const handler: StepHandler = (step) => {
    begun.resolve(step)
    step.signal.addEventListener('abort', () => end.reject(step.signal.reason))
    return end.promise
  }
  return { handler, begun: begun.promise, end: end.resolve }
}

/** One that does what it began, whatever it is told. */
export function stubborn() {
  const begun = Promise.withResolvers<StepContext>()
  const end = Promise.withResolvers<unknown>()
  const handler: StepHandler = (step) => {
    begun.resolve(step)
    return end.promise
  }
  return { handler, begun: begun.promise, end: end.resolve }
}
