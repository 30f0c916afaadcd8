// The log as it grows, read once for everybody who follows it. Nothing is read before somebody comes, nor for long after
// the last one has left.
import type { AuditRecord } from '../../core/audit.ts'
import { must } from '../../core/must.ts'
import { LARGEST_PAGE } from '../../store/query.ts'
import { START } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import { type FollowedLedger, followLog } from './follow-log.ts'
import { FrameRing, type RingSize } from './frame-ring.ts'
import { gapAfter } from './gap.ts'

export interface SharedLogOptions extends RingSize {
  readonly ledger: FollowedLedger
  readonly world: Pick<World, 'timers' | 'logger'>
  /** There is more; whoever reads the log may be asked to wait until others have seen it. */
  readonly onNews: () => Promise<void> | undefined
  /** What clients have seen is not in the log any more, or not all that comes after it. */
  readonly onLost: () => void
  readonly onClosed: () => void
}

export class SharedLog {
  readonly #options: SharedLogOptions
  #ring: FrameRing | null = null
  #starting: Promise<void> | null = null
  #stop = new AbortController()

  constructor(options: SharedLogOptions) {
    this.#options = options
  }

  get ring(): FrameRing {
    must(this.#ring !== null, 'the log is followed while there are clients')
    return this.#ring
  }

  /** Resolves when everything that happens from now on will be in the ring. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  /** Until it is started again. */
  rest(): void {
    this.#stop.abort()
    this.#starting = null
    this.#ring = null
  }

  async #start(): Promise<void> {
    const { ledger } = this.#options
    // With some of what happened before: after a restart everybody comes back, and most have not missed much.
    const { items } = await ledger.audit.query({ direction: 'desc', limit: LARGEST_PAGE })
    const [floor = { cursor: START, seq: 0 }, ...recent] = items.toReversed()
    this.#ring = new FrameRing(floor, this.#options)
    for (const record of recent) this.#ring.push(record)
    this.#stop = new AbortController()
    void this.#follow(this.#ring, this.#stop.signal)
  }

  async #follow(begun: FrameRing, signal: AbortSignal): Promise<void> {
    const { ledger, world, onLost, onClosed } = this.#options
    const after = () => (this.#ring ?? begun).end.cursor
    const end = await followLog({
      ledger,
      world,
      signal,
      after,
      take: (record) => this.#take(record, signal),
    })
    if (end === 'aborted') return
    this.rest()
    if (end === 'lost') onLost()
    else onClosed()
  }

  #take(record: AuditRecord, signal: AbortSignal): Promise<void> | undefined {
    const { end } = this.ring
    // The first entry of an empty log may have any place.
    if (record.seq > end.seq + 1 && end.cursor !== START) return this.#takeAfterHole(record, signal)
    this.ring.push(record)
    return this.#options.onNews()
  }

  async #takeAfterHole(record: AuditRecord, signal: AbortSignal): Promise<void> {
    const gap = await gapAfter(this.#options.ledger, this.ring.end)
    if (signal.aborted) return
    if (gap === null) this.ring.push(record)
    else {
      // Everybody comes back, and is told what is missing. This entry is not in the ring, so they read it from the log.
      this.#ring = new FrameRing(record, this.#options)
      this.#options.onLost()
    }
    await this.#options.onNews()
  }
}
