import type { AggregateKind, AloneKind, RecordKey } from '../../../core/aggregate.ts'
import type { ClaimKey, SlotKey } from '../../../core/decision.ts'
import { TwoKeys } from '../../live/two-keys.ts'
import { cellOfBirth, type StoredCell } from '../cell.ts'
import { FirstOut } from '../first-out.ts'
import type { Chunk } from '../log-parts.ts'
import { Conflict, type SlotRow, type SlotWrite, type WriteSet, type Written } from '../tables.ts'
import { BirthsInTail } from './births-in-tail.ts'
import { ClaimsInTail, claims, keysOf } from './claims-in-tail.ts'
import { firstRank, type InTail, inTail, WrittenInTail } from './in-tail.ts'
import type { MadeOf } from './knowing.ts'
import { Sent } from './sent.ts'
import type { Mark, Part } from './tail.ts'
import { WrittenLately } from './written-lately.ts'

/** Characters of the log that are kept in mind. */
const MOST_TOLD = 4 * 1024 * 1024

/** From when on a decision was made. */
export interface Since {
  readonly known: Known
  /** How many writes were known of. */
  readonly nth: number
}

/**
 * What a process knows from the moment on when everything was where it is found: all that was written since, by itself and, where it
 * reads that, by others. So a write can be checked here, against what was written and what is being written, and need only be added
 * where the log ends: should somebody have been faster, it does not end there.
 */
export class Known {
  /** As far as it is durable. */
  #mark: Mark
  /** With all that is on its way. */
  #end: number
  #nth = 0
  readonly #sent: Sent[] = []
  /** Those that were written, and heard of before others that were sent before them. */
  readonly #turns = new Map<Sent, () => void>()
  #drained: PromiseWithResolvers<void> | null = null
  readonly #lately = new WrittenLately()
  readonly #claims = new ClaimsInTail()
  readonly #limits = new TwoKeys<SlotRow>()
  /** Limits that somebody else counted at, of which nothing else is known: by the place in the log. */
  readonly #others = new TwoKeys<number>()
  #tail: InTail[] = []
  #characters = 0
  /** The first so many are where they are found, though that may not last. */
  #leaving = 0
  #leavingCharacters = 0
  /** Those whose entries are kept. */
  readonly #told = new FirstOut<WrittenInTail>()
  #toldCharacters = 0
  #folded: number
  /** The last places that records of a kind were written at, and closed outbox rows. */
  readonly #kinds = new Map<AloneKind | 'row', number>()
  readonly #births = new BirthsInTail()
  /** Somebody may wait for a signal. */
  isAwaited: boolean
  /** Forms of parts that are in the database, and stay there until somebody writes in place. */
  readonly forms = new Set<number>()

  constructor(mark: Mark, isAwaited: boolean) {
    this.#mark = mark
    this.#end = mark.seq
    this.#folded = mark.seq
    this.isAwaited = isAwaited
  }

  get mark(): Mark {
    return this.#mark
  }

  /** Characters in the tail, more or less, without those that are about to leave it. */
  get characters(): number {
    return this.#characters - this.#leavingCharacters
  }

  get hasTail(): boolean {
    return this.#tail.length > 0
  }

  /** One failed: what was sent after it fails as well, as the log does not end where it was to. */
  isBroken = false

  since(): Since {
    return { known: this, nth: this.#nth }
  }

  /** Nobody else has written when the log ends there. */
  reaches({ turn, seq }: Mark): boolean {
    return turn === this.#mark.turn && seq <= this.#end
  }

  /** One write at most is on its way. */
  get isAlone(): boolean {
    return this.#sent.length <= 1
  }

  /** Resolves when nothing is on its way. */
  async drained(): Promise<void> {
    if (this.#sent.length === 0) return
    this.#drained ??= Promise.withResolvers()
    await this.#drained.promise
  }

  // What there is.

  /** As it stands in the tail; null when it does, and nobody here knows how; undefined when it does not. */
  cell({ kind, tenant_id, id }: RecordKey): StoredCell | null | undefined {
    const lately = this.#lately.get(kind as AggregateKind, tenant_id, id)
    if (lately !== undefined) return lately.seq <= this.#folded ? undefined : lately.cell
    if (kind !== 'job') return undefined
    const birth = this.#births.get(tenant_id, id)
    if (birth !== undefined) return cellOfBirth(birth)
    return this.#births.hides ? null : undefined
  }

  /** It was changed by something in the tail. */
  isChanged({ kind, tenant_id, id }: RecordKey): boolean {
    const lately = this.#lately.get(kind as AggregateKind, tenant_id, id)
    return lately !== undefined && lately.seq > this.#folded
  }

  /** What is on its way is nobody's yet. */
  ownerOf(claim: ClaimKey): string | undefined {
    const owner = this.#claims.ownerOf(claim)
    return owner !== undefined && this.#sent.some(({ set }) => claims(set, claim)) ? undefined : owner
  }

  limit({ tenant_id, key }: SlotKey): SlotRow | undefined {
    return this.#limits.get(tenant_id, key)
  }

  /** In the tail, and known to nobody here. */
  isOthersLimit({ tenant_id, key }: SlotKey): boolean {
    return (this.#others.get(tenant_id, key) ?? 0) > this.#folded
  }

  hasInTail(what: AloneKind | 'row'): boolean {
    return (this.#kinds.get(what) ?? 0) > this.#folded
  }

  /** What comes after a place, where all of it is in the tail. */
  chunksAfter(seq: number, limit: number): readonly Chunk[] | null {
    const [first] = this.#tail
    if (first === undefined) return seq >= this.#mark.seq ? [] : null
    if (seq < first.first_seq - 1) return null
    let low = 0
    for (let high = this.#tail.length; low < high; ) {
      const middle = (low + high) >>> 1
      if ((this.#tail[middle] as InTail).seq <= seq) low = middle + 1
      else high = middle
    }
    const some = this.#tail.slice(low, low + limit)
    if (!this.#isWhole(seq, some)) return null
    const chunks = some.flatMap(({ first_seq, entries }) =>
      entries === null ? [] : [{ first_seq, entries }],
    )
    return chunks.length === some.length ? chunks : null
  }

  /** All writes in the tail, in order. */
  parts(): readonly InTail[] {
    return [...this.#tail]
  }

  earliestDue(): number | null {
    let earliest: number | null = null
    for (const { due } of this.#tail)
      if (due !== null && (earliest === null || due < earliest)) earliest = due
    return earliest
  }

  /** Whatever is ready in the tail, or on its way there, has this rank or a later one; infinite when nothing is. */
  firstRank(): number {
    let first = Math.min(...this.#sent.map(({ set }) => firstRank(set)))
    for (let at = this.#leaving; at < this.#tail.length; at++)
      first = Math.min(first, (this.#tail[at] as InTail).rank)
    return first
  }

  /** Of two that were sent after each other the second may be heard of first, when the connection was lost meanwhile. */
  #isWhole(seq: number, parts: readonly InTail[]): boolean {
    let last = seq
    for (const { first_seq, seq: next } of parts) {
      if (first_seq > last + 1) return false
      last = next
    }
    return true
  }

  // What is about to be.

  /** Limits that have to be read before it can be checked. */
  unread(slots: readonly SlotWrite[]): readonly SlotKey[] {
    return slots.filter((slot) => this.limit(slot) === undefined)
  }

  /** As they were read. What somebody has counted at meanwhile is known better. */
  knowLimits(asked: readonly SlotKey[], rows: readonly SlotRow[]): void {
    for (const slot of asked) {
      if (this.limit(slot) !== undefined) continue
      const { tenant_id, key } = slot
      const row = rows.find((one) => one.key === key && one.tenant_id === tenant_id)
      this.#limits.set(tenant_id, key, row ?? { tenant_id, key, version: 0, counted: 0, named: [] })
    }
  }

  /** Throws `Conflict` when it does not go with what was written since, or is being written. */
  check(set: WriteSet, { nth }: Since): void {
    for (const slot of set.slots) this.#mayHave(slot)
    this.#lately.mustReach(nth)
    // Nobody has heard of it.
    if (set.lone !== undefined) return
    for (const { tenant_id, job_id } of set.newJobs) this.#mustBe('job', tenant_id, job_id, 0)
    for (const { tenant_id, job_id, from } of set.jobs) this.#mustBe('job', tenant_id, job_id, from)
    for (const { strides, columns } of set.strides) {
      for (const { job_id } of strides) this.#mustBe('job', columns.tenant_id, job_id, columns.from)
    }
    for (const { kind, tenant_id, id, from } of set.records) this.#mustBe(kind, tenant_id, id, from)
    for (const { kind, tenant_id, id, version } of set.verify) this.#mustBe(kind, tenant_id, id, version)
  }

  /** Throws `Conflict` when somebody owns one of its claims. */
  send(set: WriteSet): Sent {
    this.#claims.addNew(set)
    const { turn } = this.#mark
    const sent = new Sent(set, ++this.#nth, { turn, seq: this.#end })
    this.#end += set.chunk?.places ?? 0
    this.#sent.push(sent)
    return sent
  }

  /** Resolves when those that were sent before it are not on their way any more; null when they are not. */
  turnOf(sent: Sent): Promise<void> | null {
    if (this.#sent[0] === sent) return null
    const turn = Promise.withResolvers<void>()
    this.#turns.set(sent, turn.resolve)
    return turn.promise
  }

  /** In the order in which they were sent: what was written later is what there is. Answers how many characters it added. */
  arrived({ set, nth }: Sent, { head: { seq } }: Written, { cells, births }: MadeOf): number {
    for (const cell of cells) this.#lately.add(cell.key, { version: cell.version, nth, seq, cell })
    if (births.length > 0) this.#births.add(seq, births)
    return this.#keep(set, seq)
  }

  failed(sent: Sent): void {
    this.isBroken = true
    this.#claims.drop(keysOf(sent.set))
  }

  /** It is not on its way any more. */
  gone(sent: Sent): void {
    this.#sent.splice(this.#sent.indexOf(sent), 1)
    const [first] = this.#sent
    if (first !== undefined) {
      this.#turns.get(first)?.()
      this.#turns.delete(first)
      return
    }
    this.isBroken = false
    this.#end = this.#mark.seq
    this.#drained?.resolve()
    this.#drained = null
  }

  /** Somebody else has written it. */
  heard({ first_seq, set }: Part): void {
    const nth = ++this.#nth
    const seq = first_seq + (set.chunk?.places ?? 0) - 1
    this.#claims.add(set)
    for (const { tenant_id, key } of set.slots) {
      if (this.#limits.get(tenant_id, key) === undefined) this.#others.set(tenant_id, key, seq)
    }
    this.#keepVersions(set, nth, seq)
    this.#keep(set, seq)
    this.#end = seq
  }

  /** It was written in place, after everything else was put there. False when somebody else has written before it. */
  placed(set: WriteSet, written: Written): boolean {
    const { turn, seq } = this.#mark
    const places = set.chunk?.places ?? 0
    if (written.turn !== turn + 1 || written.head.seq !== seq + places) return false
    const nth = ++this.#nth
    this.#mark = { turn: turn + 1, seq: written.head.seq }
    this.#end = written.head.seq
    this.folded(this.#end)
    this.#keepVersions(set, nth, this.#end)
    for (const { tenant_id, key } of set.slots) this.#limits.delete(tenant_id, key)
    if (set.waits.adds.length > 0) this.isAwaited = true
    return true
  }

  /** Up to there everything is where it is found; until that is durable, it is known as what is in the tail. */
  leaves(seq: number): void {
    for (let at = this.#leaving; at < this.#tail.length; at++) {
      const { seq: last, characters } = this.#tail[at] as InTail
      if (last > seq) break
      this.#leaving++
      this.#leavingCharacters += characters
    }
  }

  /** Up to there everything is where it is found. */
  folded(seq: number): void {
    this.leaves(seq)
    let count = 0
    for (const { seq: last, claimed, characters } of this.#tail) {
      if (last > seq) break
      count++
      this.#characters -= characters
      this.#leavingCharacters -= characters
      this.#claims.drop(claimed)
    }
    this.#leaving -= count
    if (count > 0) this.#tail = this.#tail.slice(count)
    this.#folded = Math.max(this.#folded, Math.min(seq, this.#mark.seq))
    this.#lately.folded(this.#folded)
    this.#births.folded(this.#folded)
  }

  #keep(set: WriteSet, seq: number): number {
    const { slots, records, rows } = set
    this.#mark = { turn: this.#mark.turn, seq: Math.max(this.#mark.seq, seq) }
    for (const slot of slots) this.#count(slot)
    for (const { kind } of records) this.#kinds.set(kind, seq)
    if (rows.length > 0) this.#kinds.set('row', seq)
    const one = inTail(set, seq)
    this.#characters += one.characters
    this.#tail.push(one)
    if (one instanceof WrittenInTail) this.#remember(one)
    return one.characters
  }

  /** Whoever follows the log is mostly close behind its end. */
  #remember(one: WrittenInTail): void {
    this.#told.push(one)
    this.#toldCharacters += one.entries?.length ?? 0
    while (this.#toldCharacters > MOST_TOLD) {
      const oldest = this.#told.shift() as WrittenInTail
      this.#toldCharacters -= oldest.entries?.length ?? 0
      oldest.entries = null
    }
  }

  #keepVersions({ newJobs, jobs, records }: WriteSet, nth: number, seq: number): void {
    const cell = null
    for (const { tenant_id, job_id: id, version } of newJobs)
      this.#lately.add({ kind: 'job', tenant_id, id }, { version, nth, seq, cell })
    for (const { tenant_id, job_id: id, version } of jobs)
      this.#lately.add({ kind: 'job', tenant_id, id }, { version, nth, seq, cell })
    for (const record of records) this.#lately.add(record, { version: record.version, nth, seq, cell })
  }

  #count({ tenant_id, key, add, named }: SlotWrite): void {
    const row = this.#limits.get(tenant_id, key)
    if (row === undefined) return
    const counted = row.counted + add
    this.#limits.set(
      tenant_id,
      key,
      named === null ? { ...row, counted } : { ...row, counted, named, version: row.version + 1 },
    )
  }

  /** As a database looks at it, with what is on its way. */
  #mayHave({ tenant_id, key, most, named, from }: SlotWrite): void {
    const row = this.#limits.get(tenant_id, key) as SlotRow
    let { counted, version } = row
    for (const { set } of this.#sent) {
      for (const slot of set.slots) {
        if (slot.key !== key || slot.tenant_id !== tenant_id) continue
        counted += slot.add
        if (slot.named !== null) version++
      }
    }
    if (most !== null && counted > most) throw new Conflict(`the limit ${key}`)
    if (named !== null && version !== from) throw new Conflict(`who holds the limit ${key}`)
  }

  /** What is on its way comes after what is there. */
  #mustBe(kind: AggregateKind, tenant_id: string, id: string, version: number): void {
    let there = this.#lately.get(kind, tenant_id, id)?.version
    for (const sent of this.#sent) there = sent.versionOf(kind, tenant_id, id) ?? there
    if (there !== undefined && there !== version) throw new Conflict(`${kind} ${id} was written meanwhile`)
  }
}
