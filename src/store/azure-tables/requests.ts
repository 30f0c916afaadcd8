import { type Backoff, backoffMs } from '../../core/backoff.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import type { World } from '../../world/world.ts'
import {
  type Failure,
  failureOf,
  isPassing,
  mayBeDone,
  retryAfterMs,
  timedOut,
  translated,
} from './errors.ts'
import { Turnstile } from './turnstile.ts'

/** Before a request is made again. Half of it is left to chance: whoever was turned away together comes back one by one. */
const BACKOFF: Backoff = { kind: 'exponential', baseMs: 100, capMs: 8000, jitter: 0.5 }

/** One that is sent, for whoever counts. */
export interface SentRequest {
  readonly table: string
  readonly verb: 'get' | 'query' | 'write'
  /** How many of them are written. */
  readonly rows: number
}

export interface RequestSettings {
  readonly world: World
  readonly address: string
  readonly requestTimeoutMs: number
  readonly patienceMs: number
  readonly maxRequests: number
  readonly observe?: ((request: SentRequest) => void) | undefined
}

type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

export type Outcome<T> = { readonly ok: true; readonly value: T } | Failed

export interface Failed {
  readonly ok: false
  readonly failure: Failure
  /** An earlier try may have been done. */
  readonly unsure: boolean
}

/** Sends what is to be sent, again and again while it is right to, and never too much at once. */
export class Requests {
  readonly #settings: RequestSettings
  readonly #turnstile: Turnstile
  /** Somebody has answered at this address. */
  #wasThere = false
  #isClosed = false
  readonly #pauses = new Set<() => void>()
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(settings: RequestSettings) {
    this.#settings = settings
    this.#turnstile = new Turnstile(settings.maxRequests)
  }

  async ask<T>(request: SentRequest, send: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    if (this.#isClosed) throw new LedgerClosed()
    const asked = this.#askOn(request, send)
    this.#underWay.add(asked)
    try {
      return await asked
    } finally {
      this.#underWay.delete(asked)
    }
  }

  /** What is under way is waited for; what waits to be tried again is given up. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#pauses) end()
    await Promise.allSettled(this.#underWay)
  }

  async #askOn<T>(request: SentRequest, send: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>> {
    const { world, address, patienceMs } = this.#settings
    const end = world.clock.now() + patienceMs
    let unsure = false
    for (let tries = 1; ; tries++) {
      const tried = await this.#turnstile.through(() => this.#try(request, send))
      if (tried.ok) return tried
      if (!isPassing(tried.failure, this.#wasThere)) return { ...tried, unsure }
      unsure ||= request.rows > 0 && mayBeDone(tried.failure)
      const now = world.clock.now()
      const pauseMs = Math.max(
        backoffMs(BACKOFF, tries, world.random.next()),
        retryAfterMs(tried.failure, now),
      )
      const isOver = now + pauseMs > end
      if (!isOver) await this.#pause(pauseMs)
      if (isOver || this.#isClosed) throw translated(tried.failure, { address, table: request.table, unsure })
    }
  }

  async #try<T>(request: SentRequest, send: (signal: AbortSignal) => Promise<T>): Promise<Tried<T>> {
    const { world, requestTimeoutMs, observe } = this.#settings
    const controller = new AbortController()
    const timer = world.timers.after(requestTimeoutMs, () => controller.abort())
    observe?.(request)
    try {
      const value = await send(controller.signal)
      this.#wasThere = true
      return { ok: true, value }
    } catch (error) {
      const failure = controller.signal.aborted ? timedOut(requestTimeoutMs, error) : failureOf(error)
      if (failure === null) throw error
      if (failure.status !== null) this.#wasThere = true
      return { ok: false, failure }
    } finally {
      timer.cancel()
    }
  }

  /** Somebody waits, and there may be nothing else that keeps the process alive. */
  async #pause(ms: number): Promise<void> {
    if (this.#isClosed) return
    const { timers } = this.#settings.world
    const hold = timers.hold()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = timers.after(ms, resolve)
    this.#pauses.add(resolve)
    await promise
    this.#pauses.delete(resolve)
    timer.cancel()
    hold.cancel()
  }
}
