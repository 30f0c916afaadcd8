import { type CallbackUrls, callbackUrlsAt } from '../../core/job/callback-urls.ts'
import { type Listening, type ListenOptions, listen } from '../../wire/listen.ts'
import { systemTimers, type Timers } from '../../world/timers.ts'
import { type CallbackJobs, type CallbackOptions, callbackHandler, MAX_BYTES } from './callback-handler.ts'

export interface ServeCallbacksOptions extends CallbackOptions, ListenOptions {
  readonly timers?: Timers | undefined
}

export interface CallbackServer extends Listening {
  /** For the `callback_urls` of a request, when services reach it at the address it listens at. */
  readonly callback_urls: CallbackUrls
}

/** A server that does nothing but take callbacks; on this machine only, unless a host is given. */
export async function serveCallbacks(
  jobs: CallbackJobs,
  options: ServeCallbacksOptions,
): Promise<CallbackServer> {
  const { port, host, maxBytes = MAX_BYTES, timers = systemTimers } = options
  const server = await listen(callbackHandler(jobs, options), { port, host, maxBytes, timers })
  return { ...server, callback_urls: callbackUrlsAt(server.url) }
}
