import type { AskedClaim, Change, ClaimKey, SlotChange, SlotKey } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { Stride } from '../../core/job/stride.ts'
import type { WorkView } from '../../core/pick.ts'
import type { JobCells } from './job-cells.ts'
import { Layers } from './layers.ts'
import type { JobCell } from './move.ts'
import { type HeldUntil, type JobsThatHold, SlotHolders, UNTIL_RELEASED } from './slot-holders.ts'
import { compareEntries, type SlotEntry, type StoredWork } from './stored-work.ts'
import { TwoKeys } from './two-keys.ts'

/** Takes back what a change did to the devices. */
export type Undo = () => void

/** Looking through all limits has to be worth it. */
const FORGETS_AFTER = 1000

/** Claims and slots: who owns a key, who holds one of a bounded number. */
export class Devices {
  readonly claims = new Layers<string>()
  readonly #slots = new TwoKeys<SlotHolders>()
  readonly #cells: JobCells | null
  /** Places taken until a time since those whose time is over were last looked for, and after how many that is done. */
  #timed = 0
  #forgetsAfter = FORGETS_AFTER

  constructor(cells: JobCells | null = null) {
    this.#cells = cells
  }

  ownerOf({ tenant_id, key, tail }: AskedClaim): string | undefined {
    return this.claims.get(tenant_id, key, tail)
  }

  /** How far limits are used at a time. */
  useAt(now: number): Omit<WorkView, 'queue'> {
    const of = (tenant_id: string, key: string) => this.#slots.get(tenant_id, key)
    return {
      used: (tenant_id, key) => of(tenant_id, key)?.used(now) ?? 0,
      freeAt: (tenant_id, key) => of(tenant_id, key)?.freeAt(now) ?? null,
      holders: (tenant_id, key) => of(tenant_id, key)?.holding(now) ?? [],
    }
  }

  /** A claim in the change that somebody else owns. */
  takenClaim({ claims }: Change): ClaimKey | undefined {
    for (const claim of claims) {
      const owner = this.ownerOf(claim)
      if (owner !== undefined && owner !== claim.owner) return claim
    }
    return undefined
  }

  /** A slot that the change asks for and cannot have, given what the change itself took and released before. */
  fullSlot(change: Change, now: number): SlotKey | undefined {
    if (change.births !== undefined && this.#hasRoomFor(change.births, now)) return undefined
    const { slots } = change
    if (slots.length === 0) return undefined
    if (this.#timed > this.#forgetsAfter) this.#forget(now)
    // Nearly always.
    if (slots.length === 1) return this.#isFull(slots[0] as SlotChange, now) ? slots[0] : undefined
    const views = new TwoKeys<SlotView>()
    for (const slot of slots) {
      let view = views.get(slot.tenant_id, slot.key)
      if (view === undefined) {
        view = new SlotView(this.#slots.get(slot.tenant_id, slot.key), now)
        views.set(slot.tenant_id, slot.key, view)
      }
      if (!view.change(slot)) return slot
    }
    return undefined
  }

  /** Each takes one more, and all of them of the same: nobody has to be counted. */
  #hasRoomFor(births: readonly Birth[], now: number): boolean {
    const first = births[0] as Birth
    const { slot } = first.form
    const used = this.#slots.get(slot.tenant_id, slot.key)?.used(now) ?? 0
    return (
      slot.verb === 'take' &&
      used + births.length <= slot.max &&
      births.every(({ form }) => form === first.form)
    )
  }

  /** Who holds which slots, as was decided before. */
  store({ slots, limits }: Pick<StoredWork, 'slots' | 'limits'>): void {
    let from = 0
    for (const [tenant_id, key, entries] of limits) {
      const stored = { slots, tenant_id, key, from, entries }
      this.#slots.set(tenant_id, key, new SlotHolders(stored, this.#jobsOf(tenant_id)))
      from += entries
    }
  }

  /** Who holds which slots at a time, sorted. */
  *holders(now: number): Generator<SlotEntry> {
    const slots = [...this.#slots.entries()].sort(compareEntries)
    for (const [tenant_id, key, holders] of slots) {
      for (const [owner, until] of holders.entries()) {
        if (until === UNTIL_RELEASED) yield [tenant_id, key, owner]
        else if (until > now) yield [tenant_id, key, owner, until]
      }
    }
  }

  /** Answers how to take it back; null when there is nothing to take back. */
  apply({ claims, slots }: Change): Undo | null {
    if (claims.length === 0 && slots.length === 0) return null
    let fresh = claims
    for (const claim of claims) {
      if (this.ownerOf(claim) === undefined) this.claims.set(claim.tenant_id, claim.key, claim.owner)
      else fresh = fresh.filter((one) => one !== claim)
    }
    const befores = slots.map((slot) => {
      const until = slot.verb === 'take' ? (slot.until ?? UNTIL_RELEASED) : null
      if (until !== null && until !== UNTIL_RELEASED) this.#timed++
      return this.#change(slot, until)
    })
    return () => {
      for (let index = slots.length - 1; index >= 0; index--) {
        this.#change(slots[index] as SlotChange, befores[index] as HeldUntil | null)
      }
      for (const { tenant_id, key } of fresh) this.claims.delete(tenant_id, key)
    }
  }

  /** The same for a new job: nobody has what is its own, or it would have been answered with that. */
  bear({ form, tenant_id, claim, claimTail, job_id }: Birth, cell: JobCell): void {
    this.claims.addNew(tenant_id, claim, job_id, claimTail)
    cell.holds = this.#holdersOf(form.slot)
    cell.holds.takeSilently()
  }

  /** It will not be. */
  unbear({ form, tenant_id, claim, job_id }: Birth): void {
    this.#change({ ...form.slot, owner: job_id }, null)
    this.claims.delete(tenant_id, claim)
  }

  /** The same for a job that goes on as others did: it gives back what it says itself that it holds, if that is all. */
  stride(stride: Stride, cell: JobCell): Undo | null {
    const { slots } = stride.leg.change
    const slot = slots[0]
    const { holds } = cell
    if (slots.length !== 1 || slot?.verb !== 'release' || holds === null) return this.apply(stride)
    if (holds !== this.#slots.get(slot.tenant_id, slot.key)) return this.apply(stride)
    cell.holds = null
    holds.releaseSilently()
    if (holds.isEmpty) this.#slots.delete(slot.tenant_id, slot.key)
    return () => this.#change({ ...slot, owner: stride.job_id }, UNTIL_RELEASED)
  }

  #isFull(slot: SlotChange, now: number): boolean {
    if (slot.verb === 'release') return false
    const holders = this.#slots.get(slot.tenant_id, slot.key)
    const used = holders?.used(now) ?? 0
    return used >= slot.max && holders?.has(slot.owner) !== true
  }

  /** Whoever is never asked for again would stay for ever: a limit for each customer has as many keys as customers. */
  #forget(now: number): void {
    let left = 0
    for (const [tenant_id, key, holders] of this.#slots.entries()) {
      if (holders.used(now) === 0) this.#slots.delete(tenant_id, key)
      else left++
    }
    this.#timed = 0
    this.#forgetsAfter = Math.max(left, FORGETS_AFTER)
  }

  /** Answers what was there before. */
  #change(
    { tenant_id, key, owner }: SlotKey & { readonly owner: string },
    until: HeldUntil | null,
  ): HeldUntil | null {
    if (until === null && this.#slots.get(tenant_id, key) === undefined) return null
    const holders = this.#holdersOf({ tenant_id, key })
    const before = holders.change(owner, until)
    if (holders.isEmpty) this.#slots.delete(tenant_id, key)
    return before
  }

  #jobsOf(tenant_id: string): JobsThatHold | null {
    return this.#cells === null ? null : new JobsOfTenant(this.#cells, tenant_id)
  }

  #holdersOf({ tenant_id, key }: SlotKey): SlotHolders {
    let holders = this.#slots.get(tenant_id, key)
    if (holders === undefined) {
      holders = new SlotHolders(null, this.#jobsOf(tenant_id))
      this.#slots.set(tenant_id, key, holders)
    }
    return holders
  }
}

/** Jobs of a tenant, which say themselves what they hold. */
class JobsOfTenant implements JobsThatHold {
  readonly #cells: JobCells
  readonly #tenant_id: string

  constructor(cells: JobCells, tenant_id: string) {
    this.#cells = cells
    this.#tenant_id = tenant_id
  }

  has(holders: SlotHolders, job_id: string): boolean {
    return this.#cells.get(this.#tenant_id, job_id)?.holds === holders
  }

  forget(job_id: string): void {
    const cell = this.#cells.get(this.#tenant_id, job_id)
    if (cell !== undefined) cell.holds = null
  }

  *all(holders: SlotHolders): Generator<string> {
    for (const cell of this.#cells.values(this.#tenant_id)) if (cell.holds === holders) yield cell.id
  }
}

/** Who would hold a slot after the changes so far. Whoever holds one keeps it, also when there are fewer now. */
class SlotView {
  readonly #holders: SlotHolders | undefined
  readonly #changed = new Map<string, boolean>()
  #used: number

  constructor(holders: SlotHolders | undefined, now: number) {
    this.#holders = holders
    this.#used = holders?.used(now) ?? 0
  }

  /** False when it asks for one and none is free. */
  change(slot: SlotChange): boolean {
    const takes = slot.verb === 'take'
    const holds = this.#changed.get(slot.owner) ?? this.#holders?.has(slot.owner) === true
    if (holds === takes) return true
    if (takes && this.#used >= slot.max) return false
    this.#changed.set(slot.owner, takes)
    this.#used += takes ? 1 : -1
    return true
  }
}
