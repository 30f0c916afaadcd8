import type { Protocol } from '../core/job/protocol.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Ledger, type Opening } from '../ledger/ledger.ts'
import type { LedgerSettings } from '../ledger/settings.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import type { Dispatcher, DispatcherOptions, Publishers } from './dispatcher.ts'
import type { Handler, Handlers } from './handler.ts'
import { newDispatcher, newRunKeeper, newTimekeeper, newWorker } from './new-services.ts'
import type { RunKeeper } from './run-keeper.ts'
import type { Service } from './service.ts'
import type { Timekeeper } from './timekeeper.ts'
import type { Worker, WorkerOptions } from './worker.ts'

export interface IdleOptions {
  /** What is due within this time is waited for; half a second unless given. */
  readonly withinMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a worker can be given: a pipeline, which knows who does what of it. */
export interface Workable {
  readonly protocol: Protocol
  handlersFor(clock: Clock): Handlers
}

/** Not worth ending for. */
const SOON_MS = 500

function isList(what: Handlers | readonly Workable[]): what is readonly Workable[] {
  return Array.isArray(what)
}

function sharedQueue(queue: string): InvalidInput {
  const next = 'Give the stages queues of their own, or each pipeline a worker of its own.'
  return new InvalidInput('pipelines', `Two pipelines take their work from queue ${queue}`, next)
}

/** A ledger with the services that get its jobs done. */
export class LiveLedger extends Ledger {
  readonly #world: World
  readonly #services = new Set<Service>()
  #timekeeper: Timekeeper | null = null
  #runKeeper: RunKeeper | null = null

  constructor(store: Store, settings: LedgerSettings, world: World, opening?: Opening) {
    super(store, settings, world, opening)
    this.#world = world
  }

  /**
   * Starts a worker: it claims steps of the queues that have a handler, and has the handlers do them. Stop it, or declare
   * it with `await using`.
   *
   * ```ts
   * await using worker = ledger.work({ renderer: async ({ input, signal }) => render(input, signal) })
   * await using worker = ledger.work([pdf, invoices]) // pipelines
   * ```
   */
  work(what: Handlers | readonly Workable[], options: WorkerOptions = {}): Worker {
    const name = options.name ?? `worker-${this.#world.ids.next().slice(-8)}`
    const handlers = isList(what) ? this.#handlersOf(what) : what
    return this.#begin(newWorker(this, this.#world, handlers, { ...options, name }))
  }

  /** Their requests are answered from now on, too. */
  #handlersOf(pipelines: readonly Workable[]): Handlers {
    const all = new Map<string, Handler>()
    for (const pipeline of pipelines) {
      this.jobs.register(pipeline.protocol)
      for (const [queue, handler] of Object.entries(pipeline.handlersFor(this.#world.clock))) {
        if (all.has(queue)) throw sharedQueue(queue)
        all.set(queue, handler)
      }
    }
    return Object.fromEntries(all)
  }

  /** Starts a dispatcher: it publishes the directives of these services. */
  dispatch(publishers: Publishers, options: DispatcherOptions = {}): Dispatcher {
    return this.#begin(newDispatcher(this, this.#world, publishers, options))
  }

  /**
   * Makes time pass: fires timers, delivers signals, submits the jobs of schedules, has runs follow their jobs. Workers and
   * dispatchers start it too.
   */
  keepTime(): Timekeeper {
    if (this.#runKeeper === null || this.#runKeeper.isStopped)
      this.#runKeeper = newRunKeeper(this, this.#world)
    this.#runKeeper.start()
    if (this.#timekeeper === null || this.#timekeeper.isStopped) {
      this.#timekeeper = newTimekeeper(this, this.#world)
    }
    this.#timekeeper.start()
    return this.#timekeeper
  }

  /**
   * Resolves when its services have nothing to do now, nor within so many milliseconds, or when the signal is aborted. What
   * waits longer than that (for a backoff, a limit, somebody elsewhere) is not waited for.
   */
  async idle({ withinMs = SOON_MS, signal }: IdleOptions = {}): Promise<void> {
    const services: readonly Service[] = [this.keepTime(), this.#runKeeper as Service, ...this.#services]
    const isIdle = () =>
      services.every(({ restsUntil: until }) => until === null || until > this.#world.clock.now() + withinMs)
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => {
      if (isIdle()) resolve()
    }
    const ends = services.map((service) => service.onAsleep(look))
    const hold = this.#world.timers.hold()
    const onAbort = () => resolve()
    signal?.addEventListener('abort', onAbort)
    look()
    if (signal?.aborted === true) resolve()
    await promise
    hold.cancel()
    signal?.removeEventListener('abort', onAbort)
    for (const end of ends) end()
  }

  /** Stops the services, then closes the ledger. */
  override async close(): Promise<void> {
    await Promise.all([...this.#services].map((service) => service.stop()))
    await this.#timekeeper?.stop()
    await this.#runKeeper?.stop()
    await super.close()
  }

  override [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #begin<S extends Service>(service: S): S {
    this.keepTime()
    this.#services.add(service)
    service.start()
    return service
  }
}
