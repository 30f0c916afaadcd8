import { CALLBACKS, type CallbackUrls, callbackUrlsAt } from '../core/job/callback-urls.ts'
import type { Ref } from '../core/job/record.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { BadMessage } from '../errors/message-errors.ts'

/** What a service is told to do: one attempt at one step. */
export interface Directive {
  readonly jobId: string
  readonly tenant_id: string
  readonly stepId: string
  readonly protocol_id: string
  readonly step_type: string
  readonly attempt_no: number
  /** The attempt's own: whoever has another no longer holds the step. */
  readonly lease_id: string
  readonly input_ref: Ref
  readonly workspace_ref: Ref | null
  readonly output_ref: Ref
  readonly payload: Json
  readonly callback_urls: Partial<CallbackUrls> | null
  readonly mode: string
  readonly lane: number
  readonly routing_key_used: string
  readonly correlation_id: string | null
  readonly traceparent: string | null
}

const TEXTS = ['jobId', 'tenant_id', 'stepId', 'step_type', 'lease_id'] as const

/** Checks what a service cannot do without; the rest is as the ledger wrote it. */
export function parseDirective(json: Json): Directive {
  if (!isJsonObject(json)) throw bad(undefined, 'A directive is a JSON object')
  for (const field of TEXTS) {
    const value = json[field]
    if (typeof value !== 'string' || value === '') throw bad(field, `${field} must be text`)
  }
  if (!Number.isSafeInteger(json.attempt_no)) throw bad('attempt_no', 'attempt_no must be a whole number')
  const urls = json.callback_urls ?? null
  if (urls !== null && !isJsonObject(urls)) throw bad('callback_urls', 'callback_urls must be an object')
  return json as unknown as Directive
}

/** One and the same for every delivery of an attempt, and for no other. */
export function keyOf({ tenant_id, jobId, stepId, attempt_no, lease_id }: Directive): string {
  return JSON.stringify([tenant_id, jobId, stepId, attempt_no, lease_id])
}

export interface CallbackPlaces {
  /** For directives that do not say: `/ack`, `/heartbeat` and `/result` are put behind it. */
  readonly callbackUrl?: string | URL | undefined
  /** When given, directives that want to be called back elsewhere are refused. */
  readonly callbackHosts?: readonly string[] | undefined
}

export function callbackUrlsOf(
  directive: Directive,
  { callbackUrl, callbackHosts }: CallbackPlaces,
): { readonly [name in keyof CallbackUrls]: URL } {
  const fallback: Partial<CallbackUrls> = callbackUrl === undefined ? {} : callbackUrlsAt(callbackUrl)
  const [ack, heartbeat, result] = CALLBACKS.map((name) => {
    const field = `callback_urls.${name}`
    const url = URL.parse(directive.callback_urls?.[name] ?? fallback[name] ?? '')
    if (url === null || !/^https?:$/.test(url.protocol))
      throw bad(field, `${field} must be an address of HTTP`)
    if (callbackHosts?.includes(url.host) === false)
      throw bad(field, `${url.host} is not called back from here`)
    return url
  }) as [URL, URL, URL]
  return { ack, heartbeat, result }
}

const NEXT: JsonObject = {
  callback_urls:
    'Submit the job with callback_urls that this service may call, or give the service a callbackUrl.',
}

function bad(field: string | undefined, message: string): BadMessage {
  const next = String(NEXT[field?.split('.')[0] ?? ''] ?? 'Send the directive as the ledger wrote it.')
  return new BadMessage({ field, message, next })
}
