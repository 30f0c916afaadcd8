import { EVERYBODY, type QueueRecord } from '../core/queue/record.ts'
import { findAll } from '../store/find-all.ts'
import type { Commands } from './commands.ts'
import type { Committer } from './committer.ts'
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

  /** Queues that somebody has steered, by name. */
  list(): AsyncIterable<QueueRecord> {
    return findAll(this.#committer.store, { kind: 'queue' })
  }
}
