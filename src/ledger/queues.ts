import { EVERYBODY, type QueueRecord } from '../core/queue/record.ts'
import { findAll } from '../store/find-all.ts'
import { checkId } from './check-input.ts'
import type { Commands } from './commands.ts'
import type { Committer } from './committer.ts'
import { type QueueLoad, type QueueLoads, queueLoads } from './queue-load.ts'
import type { CallOptions } from './settings.ts'
import type { QueueLimits } from './steering.ts'

/** `ledger.queues`: pause, resume and limit what workers and services are given. */
export class Queues {
  readonly #committer: Committer
  readonly #commands: Commands

  constructor(committer: Committer, commands: Commands) {
    this.#committer = committer
    this.#commands = commands
  }

  /** Nothing new is handed out of it; what runs goes on. */
  async pause(queue: string, options?: CallOptions): Promise<QueueRecord> {
    return this.#committer.run(this.#commands.steerQueue(queue, { state: 'paused' }, options))
  }

  async resume(queue: string, options?: CallOptions): Promise<QueueRecord> {
    return this.#committer.run(this.#commands.steerQueue(queue, { state: 'running' }, options))
  }

  /** How much of it may run at once, or begin within a while; what is absent stays as it is. */
  async limit(queue: string, limits: QueueLimits, options?: CallOptions): Promise<QueueRecord> {
    return this.#committer.run(this.#commands.steerQueue(queue, limits, options))
  }

  /** What somebody decided about it; null when nobody ever did, and it simply runs. */
  async get(queue: string): Promise<QueueRecord | null> {
    return this.#committer.store.get({ kind: 'queue', tenant_id: EVERYBODY, id: queue })
  }

  /**
   * What there is in each queue that somebody steered or that has work, by name. It is found out by looking at open
   * steps, so it takes the longer the more there are; beyond a bound it is said that there is more.
   */
  loads(): Promise<QueueLoads> {
    return queueLoads(this.#committer.store)
  }

  /** The same of one queue; null when it has no work and nobody ever steered it. */
  async load(queue: string): Promise<QueueLoad | null> {
    const { queues } = await queueLoads(this.#committer.store, checkId('queue', queue))
    return queues[0] ?? null
  }

  /** Queues that somebody has steered, by name. */
  list(): AsyncIterable<QueueRecord> {
    return findAll(this.#committer.store, { kind: 'queue' })
  }
}
