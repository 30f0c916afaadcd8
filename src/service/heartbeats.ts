import { MINUTE_MS, SECOND_MS } from '../core/time.ts'
import type { Timer } from '../world/timers.ts'
import type { Reply, Saying } from './callbacks.ts'
import type { ServiceWorld } from './service-world.ts'

/** Two may get lost before the lease ends. */
const BEATS_PER_LEASE = 3
const LONGEST_WAIT_MS = MINUTE_MS
const SHORTEST_WAIT_MS = 100
const LONGEST_TIMEOUT_MS = 10 * SECOND_MS
const SHORTEST_TIMEOUT_MS = SECOND_MS

export interface HeartbeatOptions {
  readonly say: (saying: Saying) => Promise<Reply>
  readonly world: Pick<ServiceWorld, 'clock' | 'timers'>
  /** In place of a third of the lease. */
  readonly everyMs: number | undefined
  readonly onCancel: () => void
  /** The ledger says that the step is another's. */
  readonly onLost: () => void
  /** Nothing was heard from the ledger until the lease was over. */
  readonly onExpired: () => void
}

/** Says again and again that an attempt is still worked on, from `start` to `stop`. */
export class Heartbeats {
  readonly #options: HeartbeatOptions
  #everyMs = LONGEST_WAIT_MS
  #leaseEndsAt = Number.POSITIVE_INFINITY
  #timer: Timer | null = null
  #beat: Promise<void> | null = null
  #isStopped = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
  }

  start(leaseMs: number | null): void {
    this.#renew(leaseMs, this.#options.world.clock.now())
    this.#schedule()
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  /** One now, out of turn. Joins the one that is under way. */
  beat(): Promise<void> {
    this.#timer?.cancel()
    this.#beat ??= this.#once().finally(() => {
      this.#beat = null
      this.#schedule()
    })
    return this.#beat
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.world.timers.after(this.#everyMs, () => void this.beat())
  }

  async #once(): Promise<void> {
    const { say, world, onCancel, onLost, onExpired } = this.#options
    const began = world.clock.now()
    const timeoutMs = Math.min(Math.max(this.#everyMs, SHORTEST_TIMEOUT_MS), LONGEST_TIMEOUT_MS)
    const reply = await say({ tries: 1, timeoutMs })
    if (this.#isStopped) return
    if (reply.kind === 'lost') {
      this.stop()
      onLost()
    } else if (reply.kind === 'answered') {
      if (reply.status === 'accepted') this.#renew(reply.leaseMs, began)
      if (reply.cancel) onCancel()
    } else if (world.clock.now() >= this.#leaseEndsAt) {
      onExpired()
    }
  }

  /** Counted from when it was asked for: the ledger counted from no earlier. */
  #renew(leaseMs: number | null, from: number): void {
    if (leaseMs !== null) this.#leaseEndsAt = from + leaseMs
    const share = (leaseMs ?? LONGEST_WAIT_MS * BEATS_PER_LEASE) / BEATS_PER_LEASE
    this.#everyMs = this.#options.everyMs ?? Math.min(Math.max(share, SHORTEST_WAIT_MS), LONGEST_WAIT_MS)
  }
}
