import { Outputs } from '../../src/ledger/outputs.ts'
import { DEFAULT_SETTINGS, type LedgerSettings } from '../../src/ledger/settings.ts'
import type { Handlers } from '../../src/runtime/handler.ts'
import { LiveLedger } from '../../src/runtime/live-ledger.ts'
import type { Publisher } from '../../src/runtime/publishers/publisher.ts'
import type { Worker } from '../../src/runtime/worker.ts'
import type { Store } from '../../src/store/store.ts'
import type { Disk } from '../../src/world/disk.ts'
import type { World } from '../../src/world/world.ts'
import { withJobs } from './faults/decorated.ts'
import type { Planted } from './faults/fault.ts'
import { DISPATCHER } from './laws/sending.ts'
import { MortalStore } from './mortal-store.ts'
import type { MortalTimers } from './mortal-timers.ts'
import { PROTOCOLS, SERVICES, STAGED } from './protocols.ts'
import type { Scene } from './scene.ts'

/** Outputs above this go to files. */
export const OUTPUT_LIMIT_BYTES = 300

const OUTPUT_FOLDER = '/outputs'

/** The process is not there, or died before it answered. */
export class Unanswered extends Error {}

export interface LifeParts {
  readonly nth: number
  readonly store: Store
  readonly disk: Disk
  readonly timers: MortalTimers
  readonly planted: Planted
  readonly publisher: (life: Life) => Publisher
  readonly handlers: (life: Life, worker: string) => Handlers
}

/** One process with the ledger open and its services running, up to its end, whichever that is. */
export class Life {
  readonly nth: number
  readonly ledger: LiveLedger
  readonly timers: MortalTimers
  readonly #scene: Scene
  readonly #parts: LifeParts
  readonly #store: MortalStore
  readonly #died = Promise.withResolvers<never>()
  #isAlive = true
  #isClosing = false
  #awake: PromiseWithResolvers<void> | null = null
  #workers: Worker[] = []
  #started = 0

  constructor(scene: Scene, parts: LifeParts) {
    this.#scene = scene
    this.#parts = parts
    this.nth = parts.nth
    this.timers = parts.timers
    this.#died.promise.catch(() => {})
    this.#store = new MortalStore(parts.planted.store?.(parts.store) ?? parts.store)
    const settings: LedgerSettings = { ...DEFAULT_SETTINGS, inFlightLimit: scene.inFlightLimit }
    const outputs = new Outputs(parts.disk, OUTPUT_FOLDER, OUTPUT_LIMIT_BYTES)
    this.ledger = new LiveLedger(this.#store, settings, this.#world(), { outputs })
    if (parts.planted.jobs !== undefined) withJobs(this.ledger, parts.planted.jobs)
    this.ledger.jobs.register(...PROTOCOLS, ...STAGED)
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  get isHalted(): boolean {
    return this.#awake !== null
  }

  /** Whether it is the name of a worker here. */
  isOwn(worker: string | null): boolean {
    return worker?.startsWith(`worker-${this.nth}-`) === true
  }

  start(): void {
    const publisher = this.#parts.publisher(this)
    const planted = this.#parts.planted.publisher?.(publisher, this.ledger.jobs) ?? publisher
    const publishers = Object.fromEntries(SERVICES.map((service) => [service, planted]))
    this.ledger.dispatch(publishers, { name: DISPATCHER, concurrency: 4 })
    for (let n = this.#scene.dice.between(1, 2); n > 0; n--) this.#work()
  }

  /** Asks something of it, as from outside: over a wire that is cut when it dies. */
  async ask<T>(what: (ledger: LiveLedger) => Promise<T>): Promise<T> {
    if (!this.#isAlive) throw new Unanswered()
    if (this.#awake !== null) await this.#awake.promise
    if (!this.#isAlive) throw new Unanswered()
    return Promise.race([what(this.ledger), this.#died.promise])
  }

  /** A worker ends in good order, and another begins. */
  async changeWorker(): Promise<void> {
    const [worker, ...others] = this.#workers
    if (worker === undefined) return
    this.#workers = others
    await this.ask(() => worker.stop())
    if (!this.#isClosing) this.#work()
  }

  /** Ends in good order. */
  close(): Promise<void> {
    this.#isClosing = true
    return this.ask((ledger) => ledger.close())
  }

  /** Nothing happens in it for a while, and it does not know. */
  halt(): void {
    this.#awake ??= Promise.withResolvers()
    this.timers.halt()
  }

  goOn(): void {
    this.timers.goOn()
    this.#awake?.resolve()
    this.#awake = null
  }

  die(): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    this.timers.die()
    this.#store.die()
    this.#awake?.resolve()
    this.#died.reject(new Unanswered())
  }

  #work(): void {
    const name = `worker-${this.nth}-${++this.#started}`
    const handlers = this.#parts.handlers(this, name)
    const grace = this.#scene.dice.oneOf([0, 2000])
    this.#workers.push(this.ledger.work(handlers, { name, concurrency: CONCURRENCY, grace }))
  }

  #world(): World {
    const { world, trace } = this.#scene
    const loud = (level: string) => (_: object, message: string) => {
      if (this.#isAlive) trace.add(`${level}: ${message}`)
    }
    const logger = { debug: () => {}, info: () => {}, warn: loud('warn'), error: loud('error') }
    return { ...world, disk: this.#parts.disk, timers: this.timers, logger }
  }
}

/** Handlers of a worker at once. */
const CONCURRENCY = 3
