// The lanes of the log. A process has one of its own as soon as it writes: one that somebody has left, or whose owner has
// not been heard of for a while, or a new one. That it is not taken from somebody who still writes is a matter of
// courtesy alone: whoever takes a lane writes its row, and then nobody else can.
import { MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { Timer } from '../../world/timers.ts'
import type { Engine } from './engine.ts'
import { Lane, type LaneEntry, LaneLost } from './lane.ts'
import {
  type LaneLease,
  LEDGER,
  leaseColumns,
  leaseKey,
  leaseOfRow,
  REGISTERED_LANES,
} from './ledger-rows.ts'
import type { Line } from './line-columns.ts'
import { INDEX } from './table-names.ts'

/** How long a lane is somebody's who says nothing, and how often they say something. */
const LEASE_MS = MINUTE_MS
const RENEW_MS = 20 * SECOND_MS
const MOST_TRIES = 100
/** How long a new lane may go unnoticed. */
const FRESH_MS = SECOND_MS

export interface LanesOptions {
  readonly engine: Engine
  readonly onLine: (line: Line) => void
  /** A lane is this process's from now on. Others may have written to it what was not heard of. */
  readonly onTaken: (number: number) => void
  /** A lane was left by somebody who did not say so: what they had begun is to be looked after. */
  readonly onAbandoned: (lease: LaneLease) => void
}

export class Lanes {
  readonly #options: LanesOptions
  readonly #engine: Engine
  /** Every lane there is, as far as is known. */
  #known = new Map<number, LaneLease>()
  /** What this process has signed while the registry was being read: the answer may be older. */
  readonly #readings = new Set<Map<number, LaneLease>>()
  #own: Lane | null = null
  #taking: Promise<Lane> | null = null
  #lease: LaneLease | null = null
  #renewal: Timer | null = null
  #isClosed = false
  #isFresh = false

  constructor(options: LanesOptions) {
    this.#options = options
    this.#engine = options.engine
  }

  know(leases: readonly LaneLease[]): void {
    this.#known = new Map(leases.map((lease) => [lease.number, lease]))
    for (const { at } of leases) this.#engine.time.saw(at)
  }

  /** All of them; there may be more by now. */
  get numbers(): readonly number[] {
    return [...this.#known.keys()]
  }

  get leases(): readonly LaneLease[] {
    return [...this.#known.values()]
  }

  /** The one that this process writes to; null before it has written anything. */
  get own(): Lane | null {
    return this.#own?.isLost === true ? null : this.#own
  }

  /**
   * The lane if it is this process's own, and nobody else can have written to it, as far as one can tell: whoever slept for
   * too long does not know yet that it was taken from them.
   */
  held(number: number): Lane | null {
    const { own } = this
    const isHeld = own?.number === number && (this.#lease?.until ?? 0) > this.#engine.time.now()
    return isHeld ? own : null
  }

  /** What was read of them a moment ago will do. */
  async refreshNowAndThen(): Promise<void> {
    if (this.#isFresh) return
    await this.refresh()
  }

  async refresh(): Promise<void> {
    this.#isFresh = true
    this.#engine.timers.after(FRESH_MS, () => {
      this.#isFresh = false
    })
    const { from: rkFrom, before: rkBefore } = REGISTERED_LANES
    const signed = new Map<number, LaneLease>()
    this.#readings.add(signed)
    try {
      const { rows } = await this.#engine.service.query(INDEX, { pk: LEDGER, rkFrom, rkBefore })
      this.know([...rows.map(leaseOfRow), ...signed.values()])
    } finally {
      this.#readings.delete(signed)
    }
  }

  /** Knows of a lane that others speak of. */
  async mustKnow(number: number): Promise<boolean> {
    if (!this.#known.has(number)) await this.refresh()
    return this.#known.has(number)
  }

  async mine(): Promise<Lane> {
    const { own } = this
    if (own !== null) return own
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null
    })
    return this.#taking
  }

  /** Those that somebody has left without saying so; this process, too, may have lost one, or not come to an end with one. */
  abandoned(): readonly LaneLease[] {
    const now = this.#engine.time.now()
    const own = this.own?.number
    return this.leases.filter(({ number, owner, until }) => owner !== null && number !== own && until <= now)
  }

  /** Nobody else writes to it from now on; null when somebody else was faster. */
  async adopt(lease: LaneLease): Promise<Lane | null> {
    const { process, time } = this.#engine
    const until = time.now() + LEASE_MS
    if ((await this.#sign({ ...lease, owner: process, until })) === null) return null
    return this.shut(lease.number)
  }

  /** Nobody can write to a lane who has not taken it since, whoever it is lent to. */
  shut(number: number): Promise<Lane> {
    return this.#takeRow(number, () => {})
  }

  /** In good order. */
  async leave(number: number): Promise<void> {
    const lease = this.#known.get(number)
    const at = this.#engine.time.now()
    if (lease !== undefined) await this.#sign({ ...lease, owner: null, until: at, at })
  }

  /** Puts something into this process's own lane, whichever that is by then. */
  async note(entry: LaneEntry): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      try {
        await (await this.mine()).write(entry)
        return
      } catch (error) {
        if (!(error instanceof LaneLost)) throw error
      }
    }
    throw new LaneLost('every lane is fought over')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#renewal?.cancel()
    const lane = this.#own
    if (lane === null || this.#lease === null) return
    await lane.idle()
    this.#known.set(lane.number, this.#lease)
    await this.leave(lane.number)
  }

  async #take(): Promise<Lane> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lent = await this.#lend()
      if (lent === null) {
        await this.refresh()
        continue
      }
      const { lease } = lent
      const { number } = lease
      const lane = await this.#takeRow(number, this.#options.onLine)
      this.#own = lane
      this.#lease = lease
      this.#renewLater()
      this.#options.onTaken(number)
      if (lent.abandoned !== null) this.#options.onAbandoned(lent.abandoned)
      return lane
    }
    throw new LaneLost('every lane is fought over')
  }

  async #takeRow(number: number, onLine: LanesOptions['onLine']): Promise<Lane> {
    const { service, process: owner, time, ids } = this.#engine
    const lane = await Lane.take({
      service,
      number,
      owner,
      id: ids.next(),
      time: () => time.line(),
      onLine,
    })
    // What is written elsewhere from now on comes after whatever is there.
    time.sawLine(lane.state.at)
    return lane
  }

  /** The registry says that it is this process's; null when somebody else was faster. */
  async #lend(): Promise<{ readonly lease: LaneLease; readonly abandoned: LaneLease | null } | null> {
    const now = this.#engine.time.now()
    const free = this.leases.find(({ owner, until }) => owner === null || until <= now)
    const signed = await this.#sign({
      number: free?.number ?? this.#known.size,
      owner: this.#engine.process,
      until: now + LEASE_MS,
      at: free?.at ?? now,
      etag: free?.etag ?? '',
    })
    if (signed === null) return null
    return { lease: signed, abandoned: free !== undefined && free.owner !== null ? free : null }
  }

  async #sign(lease: LaneLease): Promise<LaneLease | null> {
    const rk = leaseKey(lease.number)
    const columns = leaseColumns(lease)
    const { etag } = lease
    const answer = await this.#engine.service.write(INDEX, LEDGER, [
      etag === '' ? { verb: 'insert', rk, columns } : { verb: 'put', rk, columns, etag },
    ])
    if (!answer.ok) return null
    const signed = { ...lease, etag: answer.etags[0] as string }
    this.#known.set(lease.number, signed)
    for (const reading of this.#readings) reading.set(lease.number, signed)
    return signed
  }

  #renewLater(): void {
    this.#renewal?.cancel()
    if (this.#isClosed) return
    this.#renewal = this.#engine.timers.after(RENEW_MS, () => {
      this.#renew()
        .catch(() => {})
        .finally(() => this.own === null || this.#renewLater())
    })
  }

  async #renew(): Promise<void> {
    const { own } = this
    const lease = this.#lease
    if (lease === null || own === null) return
    const now = this.#engine.time.now()
    const signed = await this.#sign({ ...lease, until: now + LEASE_MS, at: now })
    if (this.#own !== own) return
    if (signed !== null) this.#lease = signed
    else await this.#mustBeOwn(own)
  }

  /** Somebody has taken it, and what they write to it is to be heard of; unless only an answer was lost. */
  async #mustBeOwn(own: Lane): Promise<void> {
    await this.refresh()
    const lease = this.#known.get(own.number)
    if (this.#own !== own) return
    if (lease?.owner === this.#engine.process) this.#lease = lease
    else this.#own = null
  }
}
