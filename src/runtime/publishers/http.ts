import { SECOND_MS } from '../../core/time.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { DeliveryFailed } from '../../wire/delivery-failed.ts'
import { keysOf, type Secrets } from '../../wire/secrets.ts'
import { addressOf, type PostAnswer, signedPost } from '../../wire/signed-post.ts'
import { type Clock, systemClock } from '../../world/clock.ts'
import { systemTimers, type Timers } from '../../world/timers.ts'
import type { Message, Publisher } from './publisher.ts'

export interface HttpPublisherOptions {
  /** Where directives are posted to: one address for all, or one for each. */
  readonly url: string | URL | ((message: Message) => string | URL)
  /** What they are signed with; several while they are exchanged. */
  readonly secret: Secrets
  /** Until the whole answer is there; 10 seconds when absent. */
  readonly timeoutMs?: number | undefined
  /** Sent along with each, such as an authorization of your gateway. */
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly world?: { readonly clock?: Clock | undefined; readonly timers?: Timers | undefined } | undefined
}

const TIMEOUT_MS = 10 * SECOND_MS

/** So much of what a service answered is worth keeping. */
const KEPT_OF_ANSWER = 300

/** Posts directives, signed as Standard Webhooks are. Any 2xx means that the service has it. */
export function httpPublisher(options: HttpPublisherOptions): Publisher {
  const { url, headers, timeoutMs = TIMEOUT_MS, world = {} } = options
  const keys = keysOf(options.secret, 'secret')
  const outside = { clock: world.clock ?? systemClock, timers: world.timers ?? systemTimers }
  const fixed = typeof url === 'function' ? null : httpUrl(url)
  return {
    async publish(message, signal) {
      const to = fixed ?? httpUrl((url as (message: Message) => string | URL)(message))
      const body = JSON.stringify(message.directive)
      const post = { url: to, id: message.outbox_id, body, keys, headers, timeoutMs, signal }
      const answer = await signedPost(post, outside)
      if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, to)
    },
  }
}

function httpUrl(given: string | URL): URL {
  const url = URL.parse(String(given))
  if (url !== null && /^https?:$/.test(url.protocol)) {
    if (url.username === '' && url.password === '') return url
    const next = 'Put them into headers: { authorization: … }.'
    throw new InvalidInput('url', 'url must not have credentials in it', next)
  }
  throw new InvalidInput(
    'url',
    'url must be an address of HTTP',
    'Give one such as http://127.0.0.1:8080/ocr.',
  )
}

function refusalOf({ status, text }: PostAnswer, url: URL): DeliveryFailed {
  const said = text.trim().slice(0, KEPT_OF_ANSWER)
  const message = `${addressOf(url)} answered ${status}${said === '' ? '' : `: ${said}`}`
  return new DeliveryFailed(`HTTP_${status}`, message, nextOf(status))
}

function nextOf(status: number): string {
  if (status < 400) return 'Redirects are not followed: give the address it redirects to.'
  if (status === 401 || status === 403) return 'See that both sides have the same secret and the same time.'
  if (status < 500) return 'See what the service says about it: it will hardly take the same directive later.'
  return 'See how the service is; the directive is published again.'
}
