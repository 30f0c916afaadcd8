import { isJsonObject, type Json } from '../core/json.ts'
import { SECOND_MS } from '../core/time.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { MethodNotAllowed, NoHandler, ServiceBusy, ServiceStopping } from '../errors/message-errors.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import { type Listening, type ListenOptions, listen } from '../wire/listen.ts'
import { parseJson } from '../wire/parse-json.ts'
import { problemResponse } from '../wire/problem.ts'
import { readBody } from '../wire/read-body.ts'
import { type Keys, keysOf, type Secrets } from '../wire/secrets.ts'
import { Turns } from '../wire/turns.ts'
import { verifySignature } from '../wire/verify-signature.ts'
import { Attempt } from './attempt.ts'
import { Callbacks } from './callbacks.ts'
import { type CallbackPlaces, callbackUrlsOf, type Directive, keyOf, parseDirective } from './directive.ts'
import { RecentKeys } from './recent-keys.ts'
import { type ServiceWorld, serviceWorld } from './service-world.ts'
import type { StepHandler } from './step-handler.ts'
import { wait } from './wait.ts'

export interface ServiceOptions extends CallbackPlaces {
  /** What directives are signed with; several while they are exchanged. */
  readonly secrets: Secrets
  /** What callbacks are signed with; the same when absent. */
  readonly callbackSecret?: Secrets | undefined
  /** Who does what, by `step_type`. */
  readonly handlers: { readonly [step_type: string]: StepHandler }
  /** Handlers at work at once; 10 when absent. */
  readonly concurrency?: number | undefined
  /** Directives taken that wait for their turn; 100 when absent. What comes then is answered with 503. */
  readonly maxWaiting?: number | undefined
  /** Between heartbeats; a third of the lease when absent, and at most a minute. */
  readonly heartbeatMs?: number | undefined
  /** Longest directive that is read; 1 MiB when absent. */
  readonly maxBytes?: number | undefined
  /** How far the time of a signature may be off, to either side; 5 minutes when absent. */
  readonly windowMs?: number | undefined
  readonly world?: Partial<ServiceWorld> | undefined
}

export interface StopOptions {
  /** Handlers at work may take so long to finish; 30 seconds when absent. */
  readonly graceMs?: number | undefined
}

/** Taken now, or before: each attempt is executed once, however often its directive comes. */
export type Taking = 'accepted' | 'duplicate'

const CONCURRENCY = 10
const MAX_WAITING = 100
const MAX_BYTES = 1024 * 1024
/** Attempts that are over and still known: a repetition comes within minutes, if it comes. */
const MOST_REMEMBERED = 10_000
const GRACE_MS = 30 * SECOND_MS
/** Handlers that were told to stop have so long to do so. */
const ABORTED_MS = 5 * SECOND_MS
const BUSY_SECONDS = 5

/** The receiving side: takes directives, has them done, and tells the ledger how it went. */
export class Service implements AsyncDisposable {
  readonly world: ServiceWorld
  readonly #options: ServiceOptions
  readonly #keys: Keys
  readonly #callbackKeys: Keys
  readonly #turns: Turns
  readonly #most: number
  readonly #underWay = new Map<string, { readonly attempt: Attempt; readonly over: Promise<void> }>()
  readonly #done = new RecentKeys(MOST_REMEMBERED)
  readonly #listening = new Set<Listening>()
  readonly #sources = new Set<() => Promise<void>>()
  readonly #ending = new AbortController()
  #stopped: Promise<void> | null = null

  constructor(options: ServiceOptions) {
    const { secrets, callbackSecret = secrets, handlers } = options
    if (Object.keys(handlers).length === 0) {
      throw new InvalidInput(
        'handlers',
        'handlers must not be empty',
        'Give one for each step_type: { OCR: … }.',
      )
    }
    const concurrency = countOf('concurrency', options.concurrency ?? CONCURRENCY, 1)
    this.#most = concurrency + countOf('maxWaiting', options.maxWaiting ?? MAX_WAITING, 0)
    this.#options = options
    this.#keys = keysOf(secrets)
    this.#callbackKeys = keysOf(callbackSecret, 'callbackSecret')
    this.world = serviceWorld(options.world)
    this.#turns = new Turns(concurrency)
  }

  /** A web-standard handler for directives, at whatever path it is mounted. Never throws. */
  readonly handle = async (request: Request): Promise<Response> => {
    const { maxBytes = MAX_BYTES, windowMs } = this.#options
    try {
      if (request.method !== 'POST') throw new MethodNotAllowed('POST')
      const body = await readBody(request, maxBytes)
      const now = this.world.clock.now()
      verifySignature({ headers: request.headers, body, secrets: this.#keys, now, windowMs })
      return Response.json({ status: this.take(parseJson(body)) }, { status: 202 })
    } catch (error) {
      const isOurs = !(error instanceof WaybillError)
      this.world.logger[isOurs ? 'error' : 'warn']({ err: error }, 'A directive was not taken')
      return problemResponse(error)
    }
  }

  /** Takes a directive that is known to be the ledger's. Throws when it cannot; comes back before anything is done. */
  take(json: Json): Taking {
    const directive = parseDirective(json)
    const key = keyOf(directive)
    if (this.#underWay.has(key) || this.#done.has(key)) return 'duplicate'
    if (this.#stopped !== null) throw new ServiceStopping()
    const attempt = this.#attemptAt(directive)
    if (this.#underWay.size >= this.#most) throw new ServiceBusy(BUSY_SECONDS)
    this.#underWay.set(key, { attempt, over: this.#follow(key, attempt) })
    return 'accepted'
  }

  /** Whether there is a handler for it: on a bus, others read the same directives. */
  does(json: Json): boolean {
    return isJsonObject(json) && Object.hasOwn(this.#options.handlers, String(json.step_type))
  }

  /** Takes directives at an address; on this machine only, unless a host is given. */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    const { maxBytes = MAX_BYTES } = this.#options
    const server = await listen(this.handle, { ...options, maxBytes, timers: this.world.timers })
    this.#listening.add(server)
    return server
  }

  /** Something else that brings directives, and how it is told that no more are wanted. */
  addSource(stop: () => Promise<void>): void {
    this.#sources.add(stop)
  }

  /**
   * Takes nothing more. What has not begun goes back to the ledger at once, what has begun may finish; then it is told to
   * stop, reported as failed with another try to come, and not waited for any longer.
   */
  stop({ graceMs = GRACE_MS }: StopOptions = {}): Promise<void> {
    this.#stopped ??= this.#end(graceMs)
    return this.#stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #attemptAt(directive: Directive): Attempt {
    const { handlers, heartbeatMs } = this.#options
    const handler = Object.hasOwn(handlers, directive.step_type) ? handlers[directive.step_type] : undefined
    if (handler === undefined) throw new NoHandler(directive.step_type, Object.keys(handlers))
    const world = this.world
    const urls = callbackUrlsOf(directive, this.#options)
    const ending = this.#ending.signal
    const callbacks = new Callbacks({ directive, urls, keys: this.#callbackKeys, world, ending })
    return new Attempt({ directive, callbacks, handler, turns: this.#turns, heartbeatMs, world })
  }

  async #follow(key: string, attempt: Attempt): Promise<void> {
    try {
      if (await attempt.live()) this.#done.add(key)
    } catch (error) {
      this.world.logger.error({ err: error }, 'An attempt ended in a way that nobody foresaw')
    } finally {
      this.#underWay.delete(key)
    }
  }

  async #end(graceMs: number): Promise<void> {
    await Promise.all([...this.#sources].map((stop) => stop()))
    for (const { attempt } of this.#underWay.values()) if (!attempt.isWorking) attempt.abort('STOPPED')
    await this.#over(graceMs)
    for (const { attempt } of this.#underWay.values()) attempt.abort('STOPPED')
    await this.#over(ABORTED_MS)
    for (const { attempt } of this.#underWay.values()) attempt.abandon()
    // Whatever is being said is said to its end, but not once more.
    this.#ending.abort()
    await Promise.all([...this.#underWay.values()].map(({ over }) => over))
    await Promise.all([...this.#listening].map((server) => server.close()))
  }

  /** Everything under way is over, or the time is. */
  async #over(ms: number): Promise<void> {
    const all = Promise.all([...this.#underWay.values()].map(({ over }) => over))
    const enough = new AbortController()
    await Promise.race([all, wait(this.world.timers, ms, enough.signal)])
    enough.abort()
  }
}

function countOf(field: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new InvalidInput(
    field,
    `${field} must be a whole number, ${least} or more`,
    'Leave it out for the default.',
  )
}
