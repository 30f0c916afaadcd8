// One who follows the history: a place in it, what is to be shown, and where it is written to.
//
// - opening: nothing is written yet, and it can still be refused.
// - behind: what comes next is older than what is kept in memory, and is read from the log (catch-up.ts).
// - live: what comes next is in the ring of frames, or has not happened yet.
// - ending: nothing more is written; what was written still gets out.
// - gone: for good.
//
// Whoever does not take what was written is stalled: it is given nothing more, so it costs nothing more, and after a
// while it is dropped. It comes back to the last place that it saw.
import type { Timer, Timers } from '../../world/timers.ts'
import { heartbeatOf, helloOf, type Place } from './frame.ts'
import type { FrameRing } from './frame-ring.ts'
import type { Selection } from './selection.ts'
import type { Sink } from './sink.ts'

/** Who follows; a principal of the server is one. */
export interface Follower {
  readonly name: string
  /** Null for all of them. */
  readonly tenants: ReadonlySet<string> | null
  readonly token_id: string | null
}

export interface ClientOptions {
  readonly sink: Sink
  readonly principal: Follower
  readonly selection: Selection
  readonly timers: Timers
  /** How long it may be stalled. */
  readonly drainMs: number
  readonly stillAllowed: () => boolean
  /** Was told so many entries. */
  readonly onSent: (frames: number) => void
  /** It takes more again. */
  readonly onDrained: () => void
  readonly onGone: (why: Gone) => void
}

/** `left`: the other side closed it, or it ended in good order. */
export type Gone = 'left' | 'stalled' | 'not allowed' | 'log lost'

/** Where one stands who has seen nothing, and follows a log that has no one order. */
const NOWHERE = { cursor: null, seq: 0 }

export class EventClient {
  readonly principal: Follower
  readonly selection: Selection
  readonly #options: ClientOptions
  readonly #sink: Sink
  #mode: 'opening' | 'behind' | 'live' | 'ending' | 'gone' = 'opening'
  #place: Place | typeof NOWHERE = NOWHERE
  /** The last place that it was told. */
  #toldCursor: string | null = null
  #stalled: Timer | null = null
  #waiting: (() => void)[] = []
  #gone: AbortController | null = null

  constructor(options: ClientOptions) {
    this.#options = options
    this.principal = options.principal
    this.selection = options.selection
    this.#sink = options.sink
  }

  /** It may be gone when this returns. */
  listen(): void {
    this.#sink.listen({
      drained: () => {
        this.#release()
        this.#options.onDrained()
      },
      closed: () => this.#goneBecause('left'),
    })
  }

  get isGone(): boolean {
    return this.#mode === 'gone'
  }

  /** Whether more may be written to it some time. */
  get isOpen(): boolean {
    return this.#mode === 'behind' || this.#mode === 'live'
  }

  get #isOver(): boolean {
    return this.#mode === 'gone' || this.#mode === 'ending'
  }

  get isStalled(): boolean {
    return this.#stalled !== null
  }

  /** Everything up to here it was told, or was nothing for it. */
  get place(): Place {
    return this.#place as Place
  }

  /** Aborts when it ends. Made for those who ask: most never need one. */
  get ended(): AbortSignal {
    this.#gone ??= new AbortController()
    if (this.#isOver) this.#gone.abort()
    return this.#gone.signal
  }

  begin(place: Place | null): void {
    this.#place = place ?? NOWHERE
    this.#toldCursor = this.#place.cursor
    this.#mode = 'behind'
    this.#sink.begin()
    this.#write(helloOf(this.#place.cursor))
  }

  /** Frames that lead up to a place. */
  send(bytes: Uint8Array, { frames, place }: { readonly frames: number; readonly place: Place }): void {
    this.#place = place
    this.#toldCursor = place.cursor
    this.#options.onSent(frames)
    this.#write(bytes)
  }

  /** Something that is no entry. */
  tell(bytes: Uint8Array): void {
    this.#write(bytes)
  }

  /** Nothing for it up to here. */
  passOver(place: Place): void {
    this.#place = place
  }

  /** Writes all that the ring has for it. False when it has to be read from the log. */
  pump(ring: FrameRing): boolean {
    this.#mode = 'live'
    while (!this.isStalled && this.#mode === 'live') {
      if (!ring.covers(this.place)) {
        this.#mode = 'behind'
        return false
      }
      const batch = ring.batchAfter(this.place, this.selection)
      if (batch === null) return true
      if (batch.bytes === null) this.passOver(batch.place)
      else this.send(batch.bytes, batch)
    }
    return true
  }

  get isLive(): boolean {
    return this.#mode === 'live'
  }

  heartbeat(): void {
    if (this.isOpen && !this.#options.stillAllowed()) this.drop('not allowed')
    if (!this.isOpen || this.isStalled) return
    const { cursor } = this.#place
    this.#write(heartbeatOf(cursor === this.#toldCursor ? null : cursor))
    this.#toldCursor = cursor
  }

  /** Resolves when it takes more or is gone; with a time, false when it did neither within that. */
  async drained(withinMs?: number): Promise<boolean> {
    if (!this.isStalled) return true
    const { timers } = this.#options
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = withinMs === undefined ? null : timers.after(withinMs, () => resolve(false))
    this.#waiting.push(() => resolve(true))
    const isDrained = await promise
    timer?.cancel()
    return isDrained
  }

  /** In good order: what was written gets out, whole. */
  end(): void {
    // Whoever was not let in yet can be told why not.
    if (this.#mode === 'opening') this.#goneBecause('left')
    if (!this.isOpen) return
    this.#mode = 'ending'
    this.#release()
    this.#sink.end()
  }

  /** At once. */
  drop(why: Gone): void {
    if (this.#mode === 'gone') return
    this.#goneBecause(why)
    this.#sink.destroy()
  }

  #write(bytes: Uint8Array): void {
    if (!this.isOpen || this.#sink.write(bytes)) return
    const { timers, drainMs } = this.#options
    this.#stalled ??= timers.after(drainMs, () => this.drop('stalled'))
  }

  #goneBecause(why: Gone): void {
    if (this.#mode === 'gone') return
    this.#mode = 'gone'
    this.#release()
    this.#options.onGone(why)
  }

  #release(): void {
    this.#stalled?.cancel()
    this.#stalled = null
    if (this.#isOver) this.#gone?.abort()
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }
}
