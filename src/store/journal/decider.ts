import { type AggregateKind, type AggregateOf, nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import { type AuditEntry, hopsOf, isQuiet, REFUSALS_KEPT_PER_RECORD } from '../../core/audit.ts'
import type { AskedClaim, IdSource } from '../../core/decision.ts'
import {
  type Change,
  type ClaimKey,
  change,
  type Decision,
  type Given,
  isNothing,
  type Refused,
  type Signal,
} from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import { Stride } from '../../core/job/stride.ts'
import type { Clock } from '../../world/clock.ts'
import type { Followers } from '../followers.ts'
import type { Devices, Undo } from '../live/devices.ts'
import { type DecisionView, decideOn } from '../live/live-given.ts'
import type { LiveState } from '../live/live-state.ts'
import type { Move } from '../live/move.ts'
import type { Pending } from '../live/pending.ts'
import type { Decided, Outcome } from '../store.ts'
import type { GroupCommit } from './group-commit.ts'
import { type Image, lookAgain } from './image.ts'
import { encodeCommit, type Nths } from './lines/encode.ts'
import { encodeBirths } from './lines/encode-births.ts'
import { encodeStride } from './lines/encode-strides.ts'
import { refusalName } from './lines/line.ts'
import { type Found, Looked, nameOfClaim } from './looked.ts'

/** More look-ups than any decision needs: it asks for what it does not have, and has it then. */
const MOST_LOOKUPS = 1000

/** What a try came to, or what has to be looked up first. */
type Tried<A> = Decided<A> | Missing

class Missing {
  readonly keys: readonly RecordKey[]
  readonly claims: readonly ClaimKey[]
  readonly refusals: readonly RecordName[]

  constructor(parts: Partial<Missing>) {
    this.keys = parts.keys ?? []
    this.claims = parts.claims ?? []
    this.refusals = parts.refusals ?? []
  }
}

interface RecordName {
  readonly tenant_id: string
  readonly name: string
}

/**
 * Takes decisions on the image and commits them. What is in memory is decided on at once, in the order of the
 * calls; a decision that needs something from the snapshot waits for it and is then taken on what is there by then.
 */
export class Decider {
  readonly #image: Image
  readonly #group: GroupCommit
  readonly #clock: Clock
  readonly #ids: IdSource
  readonly #view: View
  /** Who takes work, also before it is durable. */
  readonly #takers: Followers
  readonly #waiting = new Set<Promise<unknown>>()
  #now: number

  constructor(
    image: Image,
    group: GroupCommit,
    world: { readonly clock: Clock; readonly ids: IdSource },
    now: number,
    takers: Followers,
  ) {
    this.#image = image
    this.#group = group
    this.#clock = world.clock
    this.#ids = world.ids
    this.#takers = takers
    this.#now = now
    this.#view = new View(image)
  }

  /** Never goes back, whatever the clock does. */
  time(): number {
    this.#now = Math.max(this.#now, this.#clock.now())
    return this.#now
  }

  transact<A>(decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    try {
      if (this.#group.room() !== null) return this.#track(this.#later(decide, null))
      const tried = this.#try(decide, null)
      return tried instanceof Missing ? this.#track(this.#later(decide, tried)) : whenDurable(tried)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** The same at once; null when that cannot be, and nothing was done. */
  now<A>(decide: (given: Given) => Decision<A>): Decided<A> | null {
    if (this.#group.room() !== null) return null
    const tried = this.#try(decide, null)
    return tried instanceof Missing ? null : tried
  }

  /** Resolves when no decision waits for the disk or for room any more. */
  async idle(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.allSettled(this.#waiting)
  }

  #track<A>(outcome: Promise<A>): Promise<A> {
    const done = outcome.finally(() => this.#waiting.delete(done))
    this.#waiting.add(done)
    return done
  }

  async #later<A>(decide: (given: Given) => Decision<A>, first: Missing | null): Promise<Outcome<A>> {
    let wanted = first
    let looked = new Looked()
    for (let round = 0; round < MOST_LOOKUPS; round++) {
      const missing = wanted
      if (missing !== null) await lookAgain(() => looked.lookUp(this.#image, missing))
      await this.#group.room()
      // The snapshot was replaced meanwhile, and what was read from the old one may have changed since.
      if (!looked.isCurrent(this.#image)) looked = new Looked()
      const tried = this.#try(decide, looked)
      if (!(tried instanceof Missing)) return whenDurable(tried)
      wanted = tried
    }
    throw new Error('a decision comes to an end')
  }

  #try<A>(decide: (given: Given) => Decision<A>, looked: Looked | null): Tried<A> {
    if (this.#group.failure !== null) throw this.#group.failure
    const view = this.#view.with(looked)
    const decision = decideOn(view, this.time(), this.#ids, decide)
    if (decision.kind === 'need') return new Missing({ keys: decision.keys })
    if (view.unknownClaims.length > 0) return new Missing({ claims: view.unknownClaims })
    if (decision.kind === 'refusal') return this.#refuse(decision, looked)
    const { change, answer } = decision
    const outcome = { ok: true, answer } as const
    // Whatever was looked up for them was not there.
    if (change.births !== undefined) return { outcome, durable: this.#commitBirths(change.births) }
    if (change instanceof Stride && !this.#image.live.isAwaited(change))
      return { outcome, durable: this.#commitStride(change) }
    return this.#commit(change, change.audit, outcome, looked)
  }

  /** New jobs that are alike: they are written, and kept, without their records. */
  #commitBirths(births: readonly Birth[]): Promise<void> {
    const first = this.#group.nextSeq
    const { buffer } = this.#group
    const { lines } = buffer
    const etag = String(first)
    for (const birth of births) birth.written(etag)
    let places = 0
    try {
      places = encodeBirths(births, first, buffer)
    } catch (error) {
      buffer.cutTo(lines)
      throw error
    }
    const pending = this.#image.live.alike.bear(births)
    const durable = this.#group.add(places, pending)
    // If there are many, the disk is busy with them by now.
    pending.decide()
    if (this.#takers.hasListeners && pending.foresee()) this.#takers.wake()
    return durable
  }

  /** The same of a job that goes on as others did, when nobody waits for it. */
  #commitStride(stride: Stride): Promise<void> {
    const first = this.#group.nextSeq
    const { buffer } = this.#group
    const { lines } = buffer
    stride.written(String(first))
    try {
      encodeStride(stride, first, buffer)
    } catch (error) {
      buffer.cutTo(lines)
      throw error
    }
    const pending = this.#image.live.alike.stride(stride)
    const durable = this.#group.add(stride.leg.places, pending)
    if (this.#takers.hasListeners && pending.foresee()) this.#takers.wake()
    return durable
  }

  #refuse<A>({ refusal, audit }: Refused, looked: Looked | null): Tried<A> {
    const outcome = { ok: false, refusal } as const
    return audit === null ? this.#answer(outcome) : this.#commit(NOTHING, [audit], outcome, looked)
  }

  #commit<A>(
    decided: Change,
    audit: readonly AuditEntry[],
    outcome: Outcome<A>,
    looked: Looked | null,
  ): Tried<A> {
    let kept = audit
    let nths: Nths | undefined
    if (hasQuietEntry(audit)) {
      const capped = this.#cap(audit, looked)
      if (capped instanceof Missing) return capped
      kept = capped.kept
      nths = capped.nths
    }
    if (isNothing(decided) && kept.length === 0) return this.#answer(outcome)
    const first = this.#group.nextSeq
    const etag = String(first)
    for (const put of decided.puts) put.etag = etag
    const { live } = this.#image
    if (looked !== null) this.#admit(decided, looked)
    const moves = live.decide(decided)
    // Nobody waits for most signals, and they would be written all the same.
    const signals = live.awaited(decided.signals)
    const { puts, claims, slots } = decided
    const change =
      signals.length === decided.signals.length
        ? decided
        : { puts, audit: decided.audit, claims, slots, signals }
    const places = this.#encode(change, kept, first, moves, nths)
    // Nothing can go wrong from here on, so memory and disk will say the same.
    const undo = both(live.devices.apply(change), nths === undefined ? null : this.#countRefusals(nths))
    for (const put of change.puts) Object.freeze(put)
    let records = 0
    for (const entry of kept) records += hopsOf(entry)
    const pending = new PendingChange(live, moves, change.signals, undo)
    const durable = this.#group.add(places, pending, records)
    if (this.#takers.hasListeners && live.foresee(moves)) this.#takers.wake()
    return { outcome, durable }
  }

  #encode(
    change: Change,
    audit: readonly AuditEntry[],
    first: number,
    moves: readonly Move[],
    nths: Nths | undefined,
  ): number {
    const { buffer } = this.#group
    const { lines } = buffer
    try {
      return encodeCommit({ change, audit, first, moves, nths }, buffer)
    } catch (error) {
      buffer.cutTo(lines)
      this.#image.live.takeBack(moves)
      throw error
    }
  }

  /** An answer may rest on what is not durable yet, so it waits until that is. */
  #answer<A>(outcome: Outcome<A>): Decided<A> {
    return { outcome, durable: this.#group.durable() }
  }

  /** A client in a loop must not fill the log: entries of what came to nothing are kept up to a number. */
  #cap(
    audit: readonly AuditEntry[],
    looked: Looked | null,
  ): { readonly kept: readonly AuditEntry[]; readonly nths: Nths } | Missing {
    const nths = new Map<AuditEntry, number>()
    const counted = new Map<string, number>()
    const kept: AuditEntry[] = []
    for (const entry of audit) {
      if (!isQuiet(entry.event)) {
        kept.push(entry)
        continue
      }
      const { tenant_id } = entry
      const name = refusalName(entry.kind, entry.id)
      const known = `${tenant_id}\n${name}`
      const count =
        counted.get(known) ?? this.#image.refusalsOf(tenant_id, name) ?? looked?.refusalsOf(tenant_id, name)
      if (count === undefined) return new Missing({ refusals: [{ tenant_id, name }] })
      if (count >= REFUSALS_KEPT_PER_RECORD) continue
      counted.set(known, count + 1)
      nths.set(entry, count + 1)
      kept.push(entry)
    }
    return { kept, nths }
  }

  #countRefusals(nths: Nths): Undo {
    const { refusals } = this.#image
    for (const [{ tenant_id, kind, id }, nth] of nths) refusals.set(tenant_id, refusalName(kind, id), nth)
    return () => {
      // One less than this is what there was, in memory or in the snapshot.
      for (const [{ tenant_id, kind, id }, nth] of nths) {
        const name = refusalName(kind, id)
        refusals.set(tenant_id, name, Math.min(nth - 1, refusals.get(tenant_id, name) ?? nth - 1))
      }
    }
  }

  /** What is about to change has to be in memory: it was only in the snapshot until now. */
  #admit(change: Change, looked: Looked): void {
    for (const put of change.puts) {
      const found = looked.aggregateOf(put)
      if (found === null) continue
      const { kind, tenant_id, id } = found.key
      if (this.#image.live.decided(kind, tenant_id, id) === null) this.#image.live.admit(found.aggregate)
    }
  }
}

class PendingChange implements Pending {
  readonly #live: LiveState
  readonly #moves: readonly Move[]
  readonly #signals: readonly Signal[]
  readonly #undo: Undo | null

  constructor(live: LiveState, moves: readonly Move[], signals: readonly Signal[], undo: Undo | null) {
    this.#live = live
    this.#moves = moves
    this.#signals = signals
    this.#undo = undo
  }

  settle(): void {
    this.#live.settle(this.#moves, this.#signals)
  }

  takeBack(): void {
    this.#live.takeBack(this.#moves)
    this.#undo?.()
  }
}

function whenDurable<A>({ outcome, durable }: Decided<A>): Promise<Outcome<A>> {
  return durable === null ? Promise.resolve(outcome) : durable.then(() => outcome)
}

const { change: NOTHING } = change(null, {})

/** One that moved nothing. */
function hasQuietEntry(audit: readonly AuditEntry[]): boolean {
  for (const { event } of audit) if (isQuiet(event)) return true
  return false
}

function both(a: Undo | null, b: Undo | null): Undo | null {
  if (a === null || b === null) return a ?? b
  return () => {
    b()
    a()
  }
}

/** What a decision sees: what was decided so far, and what was looked up for it. */
class View implements DecisionView {
  readonly devices: Devices
  /** Claims that were asked for and have to be looked up before the answer counts. */
  unknownClaims: ClaimKey[] = []
  readonly #image: Image
  #looked: Looked | null = null

  constructor(image: Image) {
    this.#image = image
    this.devices = image.live.devices
  }

  with(looked: Looked | null): this {
    this.#looked = looked
    if (this.unknownClaims.length > 0) this.unknownClaims = []
    return this
  }

  aggregate<K extends AggregateKind>(kind: K, tenant_id: string, id: string): Found<AggregateOf[K]> {
    const known = this.#image.aggregate(kind, tenant_id, id)
    if (known !== undefined || this.#looked === null) return known
    return this.#looked.aggregate(nameOfKey({ kind, tenant_id, id })) as Found<AggregateOf[K]>
  }

  ownerOf(claim: AskedClaim): string | undefined {
    const known = this.#image.ownerOf(claim)
    const owner = known === undefined ? this.#looked?.ownerOf(nameOfClaim(claim)) : known
    if (owner === undefined) this.unknownClaims.push(claim)
    return owner ?? undefined
  }
}
