// What a service says to the ledger about an attempt, and what it makes of the answers:
//
//   200 accepted   go on
//   200 ignored    it was known already
//   409, 404       somebody else has the step, or nobody: stop working on it
//   other 4xx      the message itself is wrong, and will be so the next time
//   everything else, and silence: say it again, a little later, so many times
import { backoffMs } from '../core/backoff.ts'
import type { CallbackName } from '../core/job/callback-urls.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { fromIso, SECOND_MS } from '../core/time.ts'
import type { DeliveryFailed } from '../wire/delivery-failed.ts'
import type { Keys } from '../wire/secrets.ts'
import { type PostAnswer, signedPost } from '../wire/signed-post.ts'
import type { Directive } from './directive.ts'
import type { ServiceWorld } from './service-world.ts'
import { wait } from './wait.ts'

export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: 'accepted' | 'ignored'
      readonly cancel: boolean
      /** From when the message was sent; null when the answer does not say. */
      readonly leaseMs: number | null
      readonly tries: number
    }
  | { readonly kind: 'lost' | 'refused' | 'unanswered'; readonly code: string; readonly message: string }

export interface Saying {
  readonly tries: number
  readonly timeoutMs: number
}

const BACKOFF = { kind: 'exponential', baseMs: 500, capMs: 30 * SECOND_MS, jitter: 0.5 } as const

/** 401 too: secrets are exchanged on one side first, and clocks are put right. */
const WORTH_ANOTHER_TRY = new Set([401, 403, 408, 425, 429])

export interface CallbacksOptions {
  readonly directive: Directive
  readonly urls: { readonly [name in CallbackName]: URL }
  readonly keys: Keys
  readonly world: ServiceWorld
  /** Nothing is said again once this is aborted: the service ends. */
  readonly ending: AbortSignal
}

export class Callbacks {
  readonly #options: CallbacksOptions

  constructor(options: CallbacksOptions) {
    this.#options = options
  }

  async say(name: CallbackName, more: object, { tries, timeoutMs }: Saying): Promise<Reply> {
    const { directive, urls, keys, world, ending } = this.#options
    const { tenant_id, jobId, stepId, attempt_no, lease_id } = directive
    const body = JSON.stringify({ tenant_id, jobId, stepId, attempt_no, lease_id, ...more })
    // One message, however often it is sent.
    const post = { url: urls[name], id: world.ids.next(), body, keys, timeoutMs }
    for (let tried = 1; ; tried++) {
      const reply = await signedPost(post, world).then(
        (answer) => replyOf(answer, tried, world.clock.now()),
        ({ code, message }: DeliveryFailed): Reply => ({ kind: 'unanswered', code, message }),
      )
      if (reply.kind !== 'unanswered' || tried >= tries || ending.aborted) return reply
      await wait(world.timers, backoffMs(BACKOFF, tried, world.random.next()), ending)
    }
  }
}

function replyOf({ status, text }: PostAnswer, tries: number, now: number): Reply {
  const body = objectIn(text)
  const code = typeof body.code === 'string' ? body.code : `HTTP_${status}`
  const message = typeof body.detail === 'string' ? body.detail : `The ledger answered ${status}`
  if (status === 409 || status === 404) return { kind: 'lost', code, message }
  if (status === 200 && (body.status === 'accepted' || body.status === 'ignored')) {
    const { status: said, cancel } = body
    return { kind: 'answered', status: said, cancel: cancel === true, leaseMs: leaseMsOf(body, now), tries }
  }
  const isWrong = status >= 400 && status < 500 && !WORTH_ANOTHER_TRY.has(status)
  return { kind: isWrong ? 'refused' : 'unanswered', code, message }
}

function leaseMsOf({ lease_ms, lease_expires_at }: { readonly [field: string]: Json }, now: number) {
  if (typeof lease_ms === 'number' && lease_ms > 0) return lease_ms
  const until = typeof lease_expires_at === 'string' ? fromIso(lease_expires_at) : Number.NaN
  return Number.isNaN(until) ? null : Math.max(until - now, 1)
}

/** Whatever stands between may answer in its own words. */
function objectIn(text: string): { readonly [field: string]: Json } {
  try {
    const json = JSON.parse(text) as Json
    return isJsonObject(json) ? json : {}
  } catch {
    return {}
  }
}
