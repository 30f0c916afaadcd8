import type { SlotChange, SlotKey } from '../../core/decision.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { Named, SlotRow, SlotWrite } from './tables.ts'

/**
 * How far limits are used, as a group of decisions sees it. Places that a job takes for itself are held by its row, and
 * only counted here: there are as many of them as open jobs. Others are named, with the time until which they hold one.
 *
 * What is known of a limit may be old. That it is not full is then a guess, which the write checks (`most`); that it is
 * full is looked up before anybody is refused for it.
 */
export class SlotBook {
  readonly #states = new TwoKeys<SlotState>()

  /** What was decided already stands: its write will tell whether it was right. */
  know(row: SlotRow, isFresh: boolean): void {
    const { tenant_id, key } = row
    const before = this.#states.get(tenant_id, key)
    this.#states.set(tenant_id, key, before?.readAgain(row, isFresh) ?? new SlotState(row, isFresh))
  }

  stateOf({ tenant_id, key }: SlotKey): SlotState | undefined {
    return this.#states.get(tenant_id, key)
  }

  writes(now: number): readonly SlotWrite[] {
    const writes: SlotWrite[] = []
    this.#states.forEach((state) => {
      const write = state.write(now)
      if (write !== null) writes.push(write)
    })
    return writes
  }

  /** As they are when all of it is written: those that it changes. */
  changedRows(now: number): readonly SlotRow[] {
    const rows: SlotRow[] = []
    this.#states.forEach((state) => {
      if (state.isChanged) rows.push(state.row(now))
    })
    return rows
  }

  keys(): readonly SlotKey[] {
    return [...this.#states.values()].map(({ stored }) => stored)
  }
}

/** Until when; null until it is given back. */
type Until = number | null

const NOBODY: ReadonlyMap<string, Until> = new Map()

/** More than any count of places: no need to check it. */
const ENDLESS = 2 ** 52

export class SlotState {
  readonly stored: SlotRow
  readonly isFresh: boolean
  #named: Map<string, Until> | null = null
  #add = 0
  #most = Number.POSITIVE_INFINITY

  constructor(stored: SlotRow, isFresh: boolean) {
    this.stored = stored
    this.isFresh = isFresh
  }

  get add(): number {
    return this.#add
  }

  get isChanged(): boolean {
    return this.#add !== 0 || this.#named !== null || this.#most !== Number.POSITIVE_INFINITY
  }

  named(): ReadonlyMap<string, Until> {
    if (this.#named !== null) return this.#named
    return this.stored.named.length === 0 ? NOBODY : new Map(this.stored.named)
  }

  /** The same with what is there by now. Others who were named since make a conflict of what was decided about names. */
  readAgain(row: SlotRow, isFresh: boolean): SlotState {
    const { version, named } = this.stored
    const again = new SlotState(this.#named === null ? row : { ...row, version, named }, isFresh)
    again.#add = this.#add
    again.#most = this.#most
    again.#named = this.#named
    return again
  }

  change(add: number, most: number, named: ReadonlyMap<string, Until> | null): void {
    this.#add += add
    this.#most = Math.min(this.#most, most)
    if (named !== null) this.#named = new Map(named)
  }

  write(now: number): SlotWrite | null {
    if (!this.isChanged) return null
    const { tenant_id, key, version } = this.stored
    return {
      tenant_id,
      key,
      add: this.#add,
      most: this.#most < ENDLESS ? this.#most : null,
      named: this.#named === null ? null : active(this.#named, now),
      from: version,
    }
  }

  row(now: number): SlotRow {
    const { tenant_id, key, version, counted, named } = this.stored
    return {
      tenant_id,
      key,
      version: this.#named === null ? version : version + 1,
      counted: counted + this.#add,
      named: this.#named === null ? named : active(this.#named, now),
    }
  }
}

function active(named: ReadonlyMap<string, Until>, now: number): readonly Named[] {
  return [...named].filter(([, until]) => until === null || until > now)
}

/** What a change would make of the limits. */
export class SlotTrial {
  /** Limits that have to be read first. */
  readonly missing: SlotKey[] = []
  /** Which limits each job of the change holds a place under afterwards, if that changes. */
  holds: TwoKeys<Set<string>> | null = null
  readonly #book: SlotBook
  readonly #owners: SlotOwners
  readonly #now: number
  /** The first limit, and nearly always the only one. */
  #only: Tried | null = null
  #tried: TwoKeys<Tried> | null = null

  constructor(book: SlotBook, owners: SlotOwners, now: number) {
    this.#book = book
    this.#owners = owners
    this.#now = now
  }

  /** The first that it asks for and cannot have, given what it took and released before. */
  run(slots: readonly SlotChange[]): SlotKey | undefined {
    for (const slot of slots) {
      const tried = this.#triedOf(slot)
      if (tried === null) continue
      if (this.#change(slot, tried)) continue
      if (tried.state.isFresh) return slot
      // Refused on what may be old: it is read first.
      this.missing.push(slot)
    }
    return undefined
  }

  /** It is going to be so. */
  settle(): void {
    this.#only?.state.change(this.#only.add, this.#only.most, this.#only.named)
    this.#tried?.forEach(({ state, add, most, named }) => {
      state.change(add, most, named)
    })
  }

  #triedOf(slot: SlotKey): Tried | null {
    const { tenant_id, key } = slot
    const first = this.#only?.state.stored
    if (first?.key === key && first.tenant_id === tenant_id) return this.#only
    const known = this.#tried?.get(tenant_id, key)
    if (known !== undefined) return known
    const state = this.#book.stateOf(slot)
    if (state === undefined) {
      this.missing.push(slot)
      return null
    }
    const tried = { state, add: 0, most: Number.POSITIVE_INFINITY, named: null }
    if (this.#only === null) this.#only = tried
    else {
      this.#tried ??= new TwoKeys()
      this.#tried.set(tenant_id, key, tried)
    }
    return tried
  }

  /** False when it asks for one and none is free. */
  #change(slot: SlotChange, tried: Tried): boolean {
    const held = this.#owners.holdsOf(slot.tenant_id, slot.owner)
    return held === null ? this.#changeNamed(slot, tried) : this.#changeHeld(slot, tried, held)
  }

  #changeHeld(slot: SlotChange, tried: Tried, before: readonly string[]): boolean {
    const held = this.holds?.get(slot.tenant_id, slot.owner)
    const takes = slot.verb === 'take'
    const holds = held === undefined ? before.includes(slot.key) : held.has(slot.key)
    if (holds === takes) return true
    if (takes && !this.#take(slot.max, tried)) return false
    const after = held ?? new Set(before)
    if (takes) after.add(slot.key)
    else after.delete(slot.key)
    if (held === undefined) {
      this.holds ??= new TwoKeys()
      this.holds.set(slot.tenant_id, slot.owner, after)
    }
    tried.add += takes ? 1 : -1
    return true
  }

  #changeNamed(slot: SlotChange, tried: Tried): boolean {
    const named = tried.named ?? new Map(tried.state.named())
    const until = named.get(slot.owner)
    const holds = until !== undefined && (until === null || until > this.#now)
    if (slot.verb === 'release') {
      if (!holds) return true
      named.delete(slot.owner)
    } else {
      if (!holds && !this.#take(slot.max, tried)) return false
      named.set(slot.owner, slot.until ?? null)
    }
    tried.named = named
    return true
  }

  #take(max: number, tried: Tried): boolean {
    const { state } = tried
    const others = state.add + tried.add + countActive(tried.named ?? state.named(), this.#now)
    if (state.stored.counted + others >= max) return false
    tried.most = Math.min(tried.most, max - 1 - others)
    return true
  }
}

interface Tried {
  readonly state: SlotState
  add: number
  most: number
  named: Map<string, Until> | null
}

/** Tells which owners are jobs of the change, and what each of them held before; null for all others. */
export interface SlotOwners {
  holdsOf(tenant_id: string, owner: string): readonly string[] | null
}

export function countActive(named: ReadonlyMap<string, Until>, now: number): number {
  let count = 0
  for (const until of named.values()) if (until === null || until > now) count++
  return count
}
