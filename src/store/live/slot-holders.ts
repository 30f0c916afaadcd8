import { IdMap } from '../../core/id-map.ts'
import { beginningWith, type SlotEntry, type SortedList } from './stored-work.ts'

/** Those of a list that hold a place under one limit. */
export interface StoredHolders {
  readonly slots: SortedList<SlotEntry>
  readonly tenant_id: string
  readonly key: string
  /** Where in the list they begin, and how many they are. */
  readonly from: number
  readonly entries: number
}

/** Jobs that hold a place, and say so themselves. */
export interface JobsThatHold {
  /** Whether this one does. */
  has(holders: SlotHolders, job_id: string): boolean
  /** It is known here by name from now on. */
  forget(job_id: string): void
  all(holders: SlotHolders): Iterable<string>
}

/** Until when somebody holds a place: epoch milliseconds, or for as long as nobody gives it back. */
export type HeldUntil = number

export const UNTIL_RELEASED: HeldUntil = Number.POSITIVE_INFINITY

/**
 * Who holds one of a bounded number of places: whoever was stored as holding one, and what changed since. Places that
 * are held until a time are free from then on, though they are forgotten only when somebody looks. Of jobs that are alike only the
 * number is kept, since there may be very many and nearly nobody ever asks which they are: each knows that it holds one.
 */
export class SlotHolders {
  readonly #stored: StoredHolders | null
  readonly #jobs: JobsThatHold | null
  /** How many jobs say so themselves. */
  #silent = 0
  /** Null: it was given back. */
  readonly #changed = new IdMap<HeldUntil | null>()
  #size: number
  /** The first time at which one that is held is free again, as far as is known. */
  #nextFree: HeldUntil = UNTIL_RELEASED

  constructor(stored: StoredHolders | null, jobs: JobsThatHold | null) {
    this.#stored = stored
    this.#jobs = jobs
    this.#size = stored?.entries ?? 0
    // Few limits are kept by time, and those have few holders: all of one limit are of one sort.
    const first = stored === null || stored.entries === 0 ? undefined : stored.slots.at(stored.from)[3]
    if (first !== undefined) this.#nextFree = Number.NEGATIVE_INFINITY
  }

  /** How many places are taken at a time. */
  used(now: number): number {
    if (this.#nextFree <= now) this.#forget(now)
    return this.#size
  }

  /** When the first of those that are held until a time is free; null when none is. */
  freeAt(now: number): number | null {
    if (this.#nextFree <= now) this.#forget(now)
    return this.#nextFree === UNTIL_RELEASED ? null : this.#nextFree
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  has(owner: string): boolean {
    return this.untilOf(owner) !== null
  }

  /** Until when it is held; null when it is not. */
  untilOf(owner: string): HeldUntil | null {
    const changed = this.#changed.get(owner)
    if (changed !== undefined) return changed
    return this.#isSilent(owner) ? UNTIL_RELEASED : this.#storedUntil(owner)
  }

  #isSilent(owner: string): boolean {
    return this.#silent > 0 && this.#jobs?.has(this, owner) === true
  }

  /** Null gives it back. Answers what was there before. */
  change(owner: string, until: HeldUntil | null): HeldUntil | null {
    const before = this.untilOf(owner)
    if (before === until) return before
    if (this.#isSilent(owner)) this.name(owner)
    if (this.#storedUntil(owner) === until) this.#changed.delete(owner)
    else this.#changed.set(owner, until)
    this.#size += (until === null ? 0 : 1) - (before === null ? 0 : 1)
    // The first one is another now: whoever looks next finds out which.
    if (before === this.#nextFree && before !== UNTIL_RELEASED) this.#nextFree = Number.NEGATIVE_INFINITY
    else if (until !== null && until < this.#nextFree) this.#nextFree = until
    return before
  }

  /** A job that was never heard of takes one, until it gives it back, and knows that itself. */
  takeSilently(): void {
    this.#silent++
    this.#size++
  }

  /** One that says so itself gives it back. */
  releaseSilently(): void {
    this.#silent--
    this.#size--
  }

  /** One that says so itself may not be there to say it any more. */
  name(owner: string): void {
    this.#jobs?.forget(owner)
    this.#silent--
    this.#changed.set(owner, UNTIL_RELEASED)
  }

  /** Who has one at a time. */
  holding(now: number): readonly string[] {
    return this.entries().flatMap(([owner, until]) => (until > now ? [owner] : []))
  }

  /** Sorted by owner. */
  entries(): readonly (readonly [owner: string, until: HeldUntil])[] {
    const entries: (readonly [string, HeldUntil])[] = []
    for (const [owner, until] of this.#changed.entries()) if (until !== null) entries.push([owner, until])
    if (this.#silent > 0)
      for (const owner of this.#jobs?.all(this) ?? []) entries.push([owner, UNTIL_RELEASED])
    if (this.#stored !== null) {
      const { slots, from, entries: count } = this.#stored
      for (let index = from; index < from + count; index++) {
        const [, , owner, until = UNTIL_RELEASED] = slots.at(index)
        if (this.#changed.get(owner) === undefined) entries.push([owner, until])
      }
    }
    return entries.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  #forget(now: number): void {
    this.#nextFree = UNTIL_RELEASED
    for (const [owner, until] of this.entries()) {
      if (until <= now) this.change(owner, null)
      else if (until < this.#nextFree) this.#nextFree = until
    }
  }

  #storedUntil(owner: string): HeldUntil | null {
    if (this.#stored === null) return null
    const { slots, tenant_id, key } = this.#stored
    for (const [, , , until = UNTIL_RELEASED] of beginningWith(slots, [tenant_id, key, owner])) return until
    return null
  }
}
