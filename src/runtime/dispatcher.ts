import type { OutboxRecord } from '../core/job/record.ts'
import type { Held } from '../core/pick.ts'
import { fromIso } from '../core/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { stepErrorOf } from '../ledger/step-error.ts'
import type { World } from '../world/world.ts'
import { nextFree, TenantLoad } from './load.ts'
import { messageOf, type Publisher } from './publishers/publisher.ts'
import { BUSY, type Service } from './service.ts'
import { WakefulLoop } from './wakeful-loop.ts'

/** Who publishes what: by the name of the service, or of its queue where that has another. */
export type Publishers = { readonly [service: string]: Publisher }

export interface DispatcherOptions {
  /** Shown in the history. */
  readonly name?: string | undefined
  /** Most directives that are being published at once. */
  readonly concurrency?: number | undefined
}

const DEFAULT_CONCURRENCY = 64

/** Taken from the outbox at once. */
const MOST_AT_ONCE = 100

/**
 * Publishes what the outbox holds and writes down how that went, each directive by itself: one that fails holds up no
 * other. What is published may have to be published again when we cannot say that it was, so it may arrive twice.
 */
export class Dispatcher implements Service {
  readonly name: string
  readonly #ledger: Ledger
  readonly #world: World
  readonly #publishers: ReadonlyMap<string, Publisher>
  readonly #concurrency: number
  readonly #loop: WakefulLoop
  readonly #load = new TenantLoad()
  readonly #publishing = new Set<Promise<void>>()
  #turns = 0

  constructor(ledger: Ledger, world: World, publishers: Publishers, options: DispatcherOptions = {}) {
    this.#ledger = ledger
    this.#world = world
    this.#publishers = new Map(Object.entries(publishers))
    this.name = options.name ?? 'dispatcher'
    this.#concurrency = options.concurrency ?? DEFAULT_CONCURRENCY
    this.#loop = new WakefulLoop(this.name, world, () => this.#turn())
  }

  start(): void {
    this.#loop.start((wake) => this.#ledger.onNews(wake))
  }

  /** What is being published is waited for: each publish has a time after which it is given up. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    await Promise.all(this.#publishing)
  }

  get restsUntil(): number | null {
    return this.#publishing.size > 0 ? BUSY : this.#loop.restsUntil
  }

  onAsleep(listener: () => void): () => void {
    return this.#loop.onAsleep(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #turn(): Promise<number | null> {
    let next: number | null = null
    const services = [...this.#publishers]
    // Each has its turn to be first: one with much to publish would leave no room for the others.
    const first = this.#turns++ % Math.max(services.length, 1)
    for (const [service, publisher] of [...services.slice(first), ...services.slice(0, first)]) {
      const limit = Math.min(this.#concurrency - this.#publishing.size, MOST_AT_ONCE)
      if (limit <= 0) return null
      let held: readonly Held[] = []
      const rows = await this.#ledger.jobs.takeDirectives({
        services: [service],
        dispatcher: this.name,
        limit,
        running: this.#load.byTenant,
        onHeld: (all) => {
          held = all
        },
      })
      for (const row of rows) this.#begin(row, service, publisher)
      // There may be more: it was not all looked at.
      if (rows.length > 0) this.#loop.wake()
      next = nextFree(held, next)
    }
    return next
  }

  #begin(row: OutboxRecord, service: string, publisher: Publisher): void {
    this.#load.add(row.tenant_id)
    const done = this.#publish(row, service, publisher)
      .catch((error: unknown) => {
        // The row is open still: when its time is up it is published again.
        const { outbox_id, job_id } = row
        this.#world.logger.error(
          { error, outbox_id, job_id },
          `What became of directive ${outbox_id} is not written`,
        )
      })
      .finally(() => {
        this.#load.remove(row.tenant_id)
        this.#publishing.delete(done)
        this.#loop.wake()
      })
    this.#publishing.add(done)
  }

  async #publish(row: OutboxRecord, service: string, publisher: Publisher): Promise<void> {
    const { jobs } = this.#ledger
    const by = { actor: this.name, tenant_id: row.tenant_id }
    const abort = new AbortController()
    // As long as it was taken for, by the ledger's time: the clock may have been set back since, or before.
    const mayTake = fromIso(row.taken_until as string) - fromIso(row.updated_at)
    const timeout = this.#world.timers.after(mayTake, () =>
      abort.abort(Object.assign(new Error('The publish took too long'), { code: 'PUBLISH_TIMEOUT' })),
    )
    try {
      await publisher.publish(messageOf(row, service), abort.signal)
    } catch (error) {
      await jobs.publishFailed(row, stepErrorOf(error, 'PUBLISH_FAILED'), by)
      return
    } finally {
      timeout.cancel()
    }
    await jobs.sent(row, by)
  }
}
