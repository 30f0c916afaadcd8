import type { AloneKind, RecordKey } from '../../../core/aggregate.ts'
import type { Clock } from '../../../world/clock.ts'
import type { Timers } from '../../../world/timers.ts'
import { type CountEntry, StateCounts } from '../../live/state-counts.ts'
import { inRows } from '../in-rows.ts'
import type { Chunk, ChunkSelect } from '../log-parts.ts'
import * as T from '../tables.ts'
import { Folding } from './folding.ts'
import { Gate } from './gate.ts'
import type { Basis, KnowingListener } from './knowing.ts'
import { Known, type Since } from './known.ts'
import { loadKnown } from './load-known.ts'
import { formedPart } from './part-forms.ts'
import { SettledReads } from './settled-reads.ts'
import { Awaited, Moved, mayBeAppended, type Part, type TailDriver } from './tail.ts'
import { takenInPlace } from './taken-in-place.ts'

/** After so long without a write it is no longer of use to know what others write. */
const KNOWS_FOR_MS = 10_000

/** Times in a row that somebody else is faster at the end of the log: where all want to write there, it is quicker in place. */
const MOST_MOVES = 8

/** A program that submits one job and ends has no use for a tail. */
const WRITES_IN_PLACE = 3

export interface TailedTablesOptions {
  readonly timers: Timers
  readonly clock: Clock
  readonly writesInPlace?: number | undefined
}

/**
 * Tables of a driver that has a tail. As long as this process knows all that was written lately, its writes are added to the end
 * of the log, and put where they are found later. What others add there it reads, and goes on knowing; once somebody has written
 * in place, it begins anew. While it does not know, it writes in place as well, where versions are looked at row by row.
 */
export class TailedTables extends SettledReads implements T.Tables {
  readonly inbox: T.InboxTable | undefined
  readonly #driver: TailDriver
  readonly #clock: Clock
  readonly #writesInPlace: number
  readonly #gate = new Gate()
  readonly #folding: Folding
  #known: Known | null = null
  #learning: Promise<void> | null = null
  #catching: Promise<void> | null = null
  /** Whoever follows the log has been told that it goes as far as that; not all of it may be known here yet. */
  #end = 0
  #writes = 0
  #wroteAt = Number.NEGATIVE_INFINITY
  #apartUntil = 0
  #hears: () => void = () => {}
  #knowing: KnowingListener = { begins: () => {}, others: () => {} }

  constructor(driver: TailDriver, options: TailedTablesOptions) {
    super(driver, () => this.#folding.looked())
    this.#driver = driver
    this.#clock = options.clock
    this.#writesInPlace = options.writesInPlace ?? WRITES_IN_PLACE
    this.inbox = driver.inbox
    this.#folding = new Folding(driver.tail, options, () => this.#known)
  }

  get knowsAll(): boolean {
    return this.#known !== null
  }

  isChanged(key: RecordKey): boolean {
    return this.#known?.isChanged(key) === true
  }

  get hiddenFrom(): number | null {
    return this.#known?.hasTail === true ? this.#known.firstRank() : null
  }

  async foldSome(): Promise<void> {
    if (this.#known?.hasTail === true) await this.#folding.some()
  }

  since(): Since | Promise<Since | null> | null {
    if (this.#known !== null) return this.#known.since()
    if (this.#writes < this.#writesInPlace || this.#clock.now() < this.#apartUntil) return null
    this.#learning ??= this.#learn().finally(() => {
      this.#learning = null
    })
    return this.#learning.then(() => this.#known?.since() ?? null)
  }

  async write(
    set: T.WriteSet,
    onSeen: T.OnSeen = () => false,
    basis: Basis = { since: null, written: () => ({ cells: [], births: [] }) },
  ): Promise<T.Written> {
    this.#writes++
    this.#wroteAt = this.#clock.now()
    const { since } = basis
    if (since !== null && since.known === this.#known && mayBeAppended(set)) {
      const written = await this.#append(set, onSeen, since, basis.written)
      if (written !== null) return written
    }
    const rows = inRows(set)
    return this.#inPlace(rows, onSeen, (seen) => this.#driver.write(rows, seen))
  }

  async take(work: T.TakeWork, also?: T.Wanted): Promise<T.TakenWork> {
    const leave = await this.#enterToPlace()
    try {
      await this.#foldKnown()
      const taken = await this.#driver.take(work, also)
      return takenInPlace(taken, leave, {
        unheld: (...given) => this.#inPlace(...given),
        held: (...given) => this.#noted(...given),
      })
    } catch (error) {
      leave()
      throw error
    }
  }

  async load(wanted: T.Wanted): Promise<T.Loaded> {
    const known = this.#known
    const found = known === null ? null : await loadKnown(known, this.#driver.tail, wanted)
    return found ?? this.settled(() => this.#driver.load(wanted))
  }

  async current(): Promise<void> {
    const known = this.#known
    if (known !== null && !known.reaches(await this.#driver.tail.end())) await this.#catchUp(known)
  }

  async findRecords(kind: AloneKind, query: T.Find): Promise<readonly T.RecordRow[]> {
    await this.current()
    // Those who keep time and runs ask again and again, and nearly never is there anything new.
    if (this.#known?.hasInTail(kind) === false) return this.#driver.tail.findRecords(kind, query)
    return this.settled(() => this.#driver.findRecords(kind, query))
  }

  async chunks(select: ChunkSelect): Promise<readonly Chunk[]> {
    const { ids, tags, from, before, seq, limit, isDescending } = select
    const isAll = ids === undefined && tags.length === 0 && from === undefined && before === undefined
    const known = this.#known
    const isKnown = known !== null && known.mark.seq >= this.#end
    const found = isKnown && isAll && !isDescending ? known.chunksAfter(seq, limit) : null
    return found ?? this.settled(() => this.#driver.chunks(select))
  }

  async head(): Promise<T.Head> {
    const head = await this.#driver.head()
    this.#end = Math.max(this.#end, head.seq)
    return head
  }

  async counts(): Promise<readonly CountEntry[]> {
    await this.current()
    const inTail = this.#known?.parts()
    if (inTail === undefined) return this.settled(() => this.#driver.counts())
    const { seq, counts } = await this.#driver.tail.counts()
    const all = new StateCounts()
    const add = ({ tenant_id, kind, state, n }: CountEntry) => all.add(tenant_id, kind, state, n)
    counts.forEach(add)
    for (const part of inTail) if (part.seq > seq) part.counts.forEach(add)
    return [...all.entries()]
  }

  async nextDueOrEarlier(): Promise<number | null> {
    const known = this.#known
    if (known === null) return this.nextDue()
    const before = known.earliestDue()
    const there = await this.#driver.tail.nextDue()
    // What was put from the tail where it is found meanwhile was in the tail before.
    const times = [before, there, known.earliestDue()].filter((at) => at !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  maintain(keepFrom: number | null): Promise<number> {
    return this.#gate.alone(async () => {
      await this.#foldKnown()
      return this.#driver.maintain(keepFrom)
    })
  }

  onNews(listener: () => void): void {
    this.#hears = listener
    this.#driver.onNews(() => this.#hear())
  }

  onKnowing(listener: KnowingListener): void {
    this.#knowing = listener
  }

  async close(): Promise<void> {
    const leave = await this.#gate.enterAlone()
    try {
      await this.#folding.close().catch(() => {})
      await this.#driver.close()
    } finally {
      leave()
    }
  }

  // What is known.

  /** When nothing of its own is on its way: what is written from here on is known. */
  #learn(): Promise<void> {
    return this.#gate.alone(async () => {
      const { tail } = this.#driver
      const mark = await tail.mark()
      const parts = await tail.since(mark)
      const isAwaited = await tail.isAwaited()
      // Somebody is writing in place.
      if (parts === null) return
      this.#knowing.begins()
      const known = new Known(mark, isAwaited)
      this.#known = known
      for (const part of parts) known.heard(part)
      if (parts.length > 0) this.#knowing.others(parts)
    })
  }

  #lose(known: Known): void {
    if (this.#known !== known) return
    this.#known = null
    this.#stayApart()
    this.#hears()
  }

  #stayApart(): void {
    this.#apartUntil = this.#clock.now() + this.#driver.tail.apartMs
  }

  /** Somebody else has written. */
  #hear(): void {
    const known = this.#known
    if (known !== null && this.#clock.now() - this.#wroteAt <= KNOWS_FOR_MS) {
      void this.#catchUp(known).catch(() => {})
      return
    }
    // Whoever does not write any more need not know all that others do.
    this.#known = null
    this.#stayApart()
    this.#hears()
  }

  #catchUp(known: Known): Promise<void> {
    this.#catching ??= this.#gate
      .alone(() => this.#hearOthers(known))
      .finally(() => {
        this.#catching = null
      })
    return this.#catching
  }

  async #hearOthers(known: Known): Promise<void> {
    if (known !== this.#known) return
    const parts = await this.#since(known)
    if (parts === null) {
      this.#lose(known)
      return
    }
    for (const part of parts) known.heard(part)
    if (parts.length > 0) this.#knowing.others(parts)
  }

  async #since(known: Known): Promise<readonly Part[] | null> {
    try {
      return await this.#driver.tail.since(known.mark)
    } catch (error) {
      this.#lose(known)
      throw error
    }
  }

  // Writing at the end.

  /** Null when it has to be written in place. */
  async #append(
    set: T.WriteSet,
    onSeen: T.OnSeen,
    since: Since,
    made: Basis['written'],
  ): Promise<T.Written | null> {
    for (let moves = 0; ; moves++) {
      const written = await this.#gate.beside(() => this.#appendOnce(set, onSeen, since, made))
      if (written !== 'moved') return written
      await this.#catchUp(since.known)
      if (moves >= MOST_MOVES) this.#lose(since.known)
      if (since.known !== this.#known) throw new T.Conflict('others have written')
    }
  }

  async #appendOnce(
    set: T.WriteSet,
    onSeen: T.OnSeen,
    since: Since,
    made: Basis['written'],
  ): Promise<T.Written | 'moved' | null> {
    const { known } = since
    const { tail } = this.#driver
    if (known.isBroken) await known.drained()
    const room = this.#folding.room()
    if (room !== null) await room
    const unread = known.unread(set.slots)
    if (unread.length > 0) {
      const { slots } = await this.load({ ...T.NOTHING_WANTED, slots: unread })
      known.knowLimits(unread, slots)
    }
    const formed = formedPart(set)
    if (formed !== null && !known.forms.has(formed.form.id)) {
      await tail.keepForm(formed.form)
      known.forms.add(formed.form.id)
    }
    if (known !== this.#known) return null
    known.check(set, since)
    const sent = known.send(set)
    const seen = once(onSeen)
    const sending = this.#folding.sending()
    try {
      const { isAwaited, isAlone } = known
      const written = await tail.append(set, sent.after, { onSeen: seen, isAwaited, isAlone, formed })
      const turn = known.turnOf(sent)
      if (turn !== null) await turn
      seen()
      this.#folding.appended(known.arrived(sent, written, made()), sending)
      return written
    } catch (error) {
      known.failed(sent)
      if (error instanceof Moved) return 'moved'
      if (error instanceof Awaited) return null
      if (!(error instanceof T.Conflict)) this.#lose(known)
      throw error
    } finally {
      known.gone(sent)
    }
  }

  // Writing in place.

  async #inPlace(
    set: T.WriteSet,
    onSeen: T.OnSeen,
    write: (onSeen: T.OnSeen) => Promise<T.Written>,
  ): Promise<T.Written> {
    const leave = await this.#enterToPlace()
    try {
      await this.#foldKnown()
      return await this.#noted(set, onSeen, write)
    } finally {
      leave()
    }
  }

  /** Whoever knows has nothing on its way to the end of the log meanwhile: it would not end where it is to. */
  async #enterToPlace(): Promise<() => void> {
    for (;;) {
      const known = this.#known
      const leave = await (known === null ? this.#gate.enterBeside() : this.#gate.enterAlone())
      if ((known === null) === (this.#known === null)) return leave
      leave()
    }
  }

  async #noted(
    set: T.WriteSet,
    onSeen: T.OnSeen,
    write: (onSeen: T.OnSeen) => Promise<T.Written>,
  ): Promise<T.Written> {
    const seen = once(onSeen)
    const before = this.#known
    try {
      const written = await write(seen)
      seen()
      this.#wrote(set, written)
      return written
    } catch (error) {
      if (before !== null && !(error instanceof T.Conflict)) this.#lose(before)
      throw error
    }
  }

  #wrote(set: T.WriteSet, written: T.Written): void {
    const known = this.#known
    if (known === null || (written.turn ?? 0) <= known.mark.turn) return
    if (!known.placed(set, written)) this.#lose(known)
  }

  async #foldKnown(): Promise<void> {
    if (this.#known?.hasTail === true) await this.#folding.all()
  }
}

/** However often it is called. */
function once(onSeen: T.OnSeen): T.OnSeen {
  let isSeen = false
  return () => {
    if (isSeen) return false
    isSeen = true
    return onSeen()
  }
}
