// Everybody who follows the history over HTTP. The log is read once for all of them (shared-log.ts), each entry is made
// into bytes once, and whoever wants it is sent those bytes. A client is no more than a place in the log, a filter and a
// connection (event-client.ts); whoever is further behind than what is kept in memory reads the log (catch-up.ts).
//
// Entries are gathered for a moment before they go out, the longer the more clients there are: each is then sent many at
// once, and a thousand of them cost little more than the entries themselves.
import { SECOND_MS } from '../../core/time.ts'
import { ServiceStopping } from '../../errors/message-errors.ts'
import { StreamLimit, TooManyStreams } from '../../errors/stream-errors.ts'
import type { Cursor } from '../../store/query.ts'
import { START } from '../../store/store.ts'
import { pause } from '../../world/pause.ts'
import type { Timer } from '../../world/timers.ts'
import type { World } from '../../world/world.ts'
import { CatchUp, type Located } from './catch-up.ts'
import { EventClient, type Follower, type Gone } from './event-client.ts'
import { followAlone } from './follow-alone.ts'
import type { FollowedLedger } from './follow-log.ts'
import { gapOf } from './frame.ts'
import { type EventFilter, selectionOf } from './selection.ts'
import { SharedLog } from './shared-log.ts'
import type { Sink } from './sink.ts'

export interface EventHubOptions extends Partial<EventLimits> {
  readonly ledger: FollowedLedger
  readonly world: Pick<World, 'timers' | 'logger'>
}

export interface EventLimits {
  readonly mostClients: number
  readonly mostPerPrincipal: number
  /** How many read the log at once to catch up; the others wait. */
  readonly readers: number
  /** How much of the end of the log is kept in memory, and as how many bytes. */
  readonly mostFrames: number
  readonly mostBytes: number
  readonly heartbeatMs: number
  /** Whoever takes nothing for so long is dropped. */
  readonly drainMs: number
}

const DEFAULT_LIMITS: EventLimits = {
  mostClients: 2000,
  mostPerPrincipal: 100,
  readers: 4,
  mostFrames: 8192,
  mostBytes: 8 * 1024 * 1024,
  heartbeatMs: 15 * SECOND_MS,
  drainMs: 30 * SECOND_MS,
}

export interface OpenStream {
  readonly sink: Sink
  readonly principal: Follower
  readonly filter: EventFilter
  /** Everything after it; what happens from now on when absent. */
  readonly after?: Cursor | undefined
  /** Asked at every heartbeat: a token may expire. */
  readonly stillAllowed?: () => boolean
}

export interface EventCounters {
  readonly clients: number
  /** Entries that were sent, to all together. */
  readonly frames_sent: number
  /** Clients that were dropped because they took nothing for too long. */
  readonly clients_dropped: number
  /** How often a client had to be sent what was no longer in memory. */
  readonly catch_ups: number
}

/** Clients that are written to before others have a turn. */
const CLIENTS_AT_ONCE = 100
/** How long entries are gathered: for each client so long, and at most so long. */
const GATHER_MS_PER_CLIENT = 0.1
const LONGEST_GATHER_MS = 100
/** When so many came at once, clients get them before more are read. */
const NEWS_AT_ONCE = 1024
/** The log is followed for so long after the last client has left. */
const IDLE_MS = 60 * SECOND_MS
/** What was written may take so long to get out when everything stops. */
const STOP_MS = 5 * SECOND_MS

export class EventHub {
  readonly #limits: EventLimits
  readonly #ledger: FollowedLedger
  readonly #world: EventHubOptions['world']
  readonly #log: SharedLog
  readonly #catchUp: CatchUp
  readonly #clients = new Set<EventClient>()
  readonly #perPrincipal = new Map<string, number>()
  #framesSent = 0
  #clientsDropped = 0
  #catchUps = 0
  #news = 0
  #flushing: Promise<void> | null = null
  #heartbeat: Timer | null = null
  #idle: Timer | null = null
  #stopped: Promise<void> | null = null
  #onEmpty: () => void = () => {}

  constructor({ ledger, world, ...limits }: EventHubOptions) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#ledger = ledger
    this.#world = world
    this.#log = new SharedLog({
      ledger,
      world,
      ...this.#limits,
      onNews: () => this.#hear(),
      onLost: () => this.#dropAll('log lost'),
      onClosed: () => {
        for (const client of this.#clients) client.end()
      },
    })
    this.#catchUp = new CatchUp({ ledger, world, readers: this.#limits.readers, ring: () => this.#log.ring })
  }

  get counters(): EventCounters {
    return {
      clients: this.#clients.size,
      frames_sent: this.#framesSent,
      clients_dropped: this.#clientsDropped,
      catch_ups: this.#catchUps,
    }
  }

  /**
   * Resolves when the stream has begun, or when the other side is gone already. Whatever is wrong is thrown before
   * anything was written: `BadCursor`, `TooManyStreams`, `StreamLimit`, `ServiceStopping`, and what the ledger throws.
   */
  async open(stream: OpenStream): Promise<void> {
    this.#mustHaveRoomFor(stream.principal)
    const client = this.#welcome(stream)
    const { after } = stream
    try {
      if (this.#ledger.capabilities.order !== 'total') return await this.#openAlone(client, after)
      await this.#log.start()
      const located = await this.#locate(after)
      if (client.isGone) return this.#mustRun()
      client.begin(located.place)
      if (located.gap !== null) client.tell(gapOf(located.gap))
      void this.#bringUp(client)
    } catch (error) {
      const wasGone = client.isGone
      client.end()
      this.#mustRun()
      // Nobody is left to be told.
      if (!wasGone) throw error
    }
  }

  /** Ends the streams of those at once. */
  dropWhere(isConcerned: (principal: Follower) => boolean): void {
    for (const client of this.#clients) if (isConcerned(client.principal)) client.drop('not allowed')
  }

  /** Ends all streams in good order. Resolves when what was written is out, or had the time for it. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onEmpty = resolve
    const timer = this.#world.timers.after(STOP_MS, () => this.#dropAll('stalled'))
    for (const client of this.#clients) client.end()
    if (this.#clients.size > 0) await promise
    timer.cancel()
    this.#heartbeat?.cancel()
    this.#idle?.cancel()
    this.#log.rest()
  }

  #mustRun(): void {
    if (this.#stopped !== null) throw new ServiceStopping()
  }

  #mustHaveRoomFor(principal: Follower): void {
    this.#mustRun()
    const { mostClients, mostPerPrincipal } = this.#limits
    if (this.#clients.size >= mostClients) throw new TooManyStreams(mostClients)
    const own = this.#perPrincipal.get(keyOf(principal)) ?? 0
    if (own >= mostPerPrincipal) throw new StreamLimit(mostPerPrincipal)
  }

  #welcome({ sink, principal, filter, stillAllowed = () => true }: OpenStream): EventClient {
    const key = keyOf(principal)
    this.#perPrincipal.set(key, (this.#perPrincipal.get(key) ?? 0) + 1)
    const client = new EventClient({
      sink,
      principal,
      selection: selectionOf(filter, principal.tenants),
      timers: this.#world.timers,
      drainMs: this.#limits.drainMs,
      stillAllowed,
      onSent: (frames) => {
        this.#framesSent += frames
      },
      onDrained: () => this.#pump(client),
      onGone: (why) => this.#left(client, why),
    })
    this.#clients.add(client)
    this.#idle?.cancel()
    this.#idle = null
    this.#heartbeat ??= this.#beatLater()
    client.listen()
    return client
  }

  #left(client: EventClient, why: Gone): void {
    if (!this.#clients.delete(client)) return
    const key = keyOf(client.principal)
    const own = (this.#perPrincipal.get(key) ?? 0) - 1
    if (own > 0) this.#perPrincipal.set(key, own)
    else this.#perPrincipal.delete(key)
    if (why === 'stalled') this.#clientsDropped++
    if (why !== 'left') {
      this.#world.logger.info({ name: client.principal.name, why }, 'An event stream was cut off')
    }
    if (this.#clients.size > 0) return
    this.#onEmpty()
    this.#heartbeat?.cancel()
    this.#heartbeat = null
    if (this.#stopped === null) this.#idle = this.#world.timers.after(IDLE_MS, () => this.#log.rest())
  }

  async #locate(after: Cursor | undefined): Promise<Located> {
    const { ring } = this.#log
    if (after === undefined) return { place: ring.end, gap: null }
    // Of the beginning only the ledger knows whether it is still there.
    const place = after === START ? undefined : ring.placeOf(after)
    return place === undefined ? this.#catchUp.locate(after) : { place, gap: null }
  }

  async #openAlone(client: EventClient, after: Cursor | undefined): Promise<void> {
    const { audit } = this.#ledger
    if (after !== undefined) await audit.query({ after, limit: 1 })
    if (client.isGone) return this.#mustRun()
    client.begin(null)
    void followAlone(client, { ledger: this.#ledger, world: this.#world, after })
  }

  /** Until it has all that is in the log by now; from then on it gets what comes. */
  async #bringUp(client: EventClient): Promise<void> {
    while (client.isOpen) {
      if (!this.#log.ring.covers(client.place)) {
        this.#catchUps++
        if (!(await this.#catchUp.run(client))) return
      }
      if (client.pump(this.#log.ring)) return
    }
  }

  #pump(client: EventClient): void {
    if (client.isLive && !client.pump(this.#log.ring)) void this.#bringUp(client)
  }

  #hear(): Promise<void> | undefined {
    this.#news++
    this.#flushing ??= this.#flush()
    if (this.#news < NEWS_AT_ONCE) return undefined
    return this.#flushing
  }

  async #flush(): Promise<void> {
    while (this.#news > 0) {
      await this.#gather()
      this.#news = 0
      await this.#forEach((client) => this.#pump(client))
    }
    this.#flushing = null
  }

  #gather(): Promise<void> {
    const { timers } = this.#world
    const ms = Math.min(Math.floor(this.#clients.size * GATHER_MS_PER_CLIENT), LONGEST_GATHER_MS)
    return ms === 0 ? timers.turn() : pause(timers, ms)
  }

  async #forEach(visit: (client: EventClient) => void): Promise<void> {
    let visited = 0
    for (const client of this.#clients) {
      visit(client)
      if (++visited % CLIENTS_AT_ONCE === 0) await this.#world.timers.turn()
    }
  }

  #beatLater(): Timer {
    return this.#world.timers.after(this.#limits.heartbeatMs, () => {
      this.#heartbeat = this.#beatLater()
      void this.#forEach((client) => client.heartbeat())
    })
  }

  #dropAll(why: Gone): void {
    for (const client of this.#clients) client.drop(why)
  }
}

/** Whose streams are counted together. */
function keyOf({ name, token_id }: Follower): string {
  return token_id === null ? `name ${name}` : `token ${token_id}`
}
