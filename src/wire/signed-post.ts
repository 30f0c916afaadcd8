import type { Clock } from '../world/clock.ts'
import type { Timers } from '../world/timers.ts'
import { codeOf, DeliveryFailed, givenUp } from './delivery-failed.ts'
import { readStart } from './read-body.ts'
import type { Keys } from './secrets.ts'
import { signatureHeaders, type Unsigned } from './sign.ts'

export interface SignedPost extends Unsigned {
  readonly url: URL
  readonly body: string
  readonly keys: Keys
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Until the whole answer is there. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export interface PostAnswer {
  readonly status: number
  /** At most as much of it as is read. */
  readonly text: string
}

/** More of an answer is never read: what we ask for is short. */
const LONGEST_ANSWER_BYTES = 64 * 1024

const TIMEOUT = Symbol('timeout')

/**
 * Sends a signed body, and comes back with the answer whatever its status. Redirects are not followed: what is signed
 * is for the address it was sent to. Rejects with `DeliveryFailed` when there is no answer.
 */
export async function signedPost(
  post: SignedPost,
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
): Promise<PostAnswer> {
  const stop = new AbortController()
  const timer = timers.after(post.timeoutMs, () => stop.abort(TIMEOUT))
  const onAbort = () => stop.abort()
  post.signal?.addEventListener('abort', onAbort)
  if (post.signal?.aborted) onAbort()
  try {
    const response = await fetch(post.url, {
      method: 'POST',
      redirect: 'manual',
      body: post.body,
      headers: {
        ...post.headers,
        'content-type': 'application/json',
        ...signatureHeaders(post, post.keys, clock.now()),
      },
      signal: stop.signal,
    })
    return { status: response.status, text: await readStart(response, LONGEST_ANSWER_BYTES) }
  } catch (error) {
    throw failureOf(error, post, stop.signal)
  } finally {
    timer.cancel()
    post.signal?.removeEventListener('abort', onAbort)
  }
}

function failureOf(error: unknown, post: SignedPost, stopped: AbortSignal): DeliveryFailed {
  const where = addressOf(post.url)
  if (stopped.reason === TIMEOUT) {
    const message = `${where} did not answer within ${post.timeoutMs} ms`
    return new DeliveryFailed('TIMEOUT', message, 'See whether it is overloaded, or allow it more time.')
  }
  if (stopped.aborted) return givenUp(`The request to ${where}`, post.signal?.reason)
  const code = codeOf(error)
  const { message, cause } = error as Error
  const why = code ?? (cause instanceof Error ? cause.message : message)
  const next = 'See whether it runs there, and whether it can be reached from here.'
  return new DeliveryFailed(code ?? 'NETWORK', `${where} cannot be reached: ${why}`, next, error)
}

/** For people and logs: without what may be secret in an address. */
export function addressOf(url: URL): string {
  return `${url.origin}${url.pathname}`
}
