import {
  type AggregateKind,
  type AggregateOf,
  type AloneRecord,
  applyToJob,
  isJobPart,
  isOpenRow,
  type JobAggregate,
  type JobPart,
  type LedgerRecord,
  type RecordKey,
} from '../../core/aggregate.ts'
import type { AuditEntry } from '../../core/audit.ts'
import {
  type AskedClaim,
  type Change,
  type Claim,
  type ClaimKey,
  change,
  type Decision,
  type Given,
  isNothing,
  type Signal,
  type SlotChange,
  type SlotKey,
} from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import { Stride } from '../../core/job/stride.ts'
import { must } from '../../core/must.ts'
import { decideOn } from '../live/live-given.ts'
import { StateCounts } from '../live/state-counts.ts'
import type { Outcome } from '../store.ts'
import { Asking } from './asking.ts'
import { Bearing } from './bearing.ts'
import { absentCell, type Cell, cellOfRecord, partOf, type StoredCell } from './cell.ts'
import { CellBook, keyOfEntry, ownerOf, type ReadBy } from './cell-book.ts'
import { ClaimBook } from './claim-book.ts'
import type { Told } from './entry-codec.ts'
import { FreshIds } from './fresh-ids.ts'
import { Look } from './look.ts'
import type { Missing } from './missing.ts'
import { OneHolder } from './one-holder.ts'
import { OwnersIn } from './owners-in.ts'
import { RefusalBook } from './refusal-book.ts'
import { RowBook } from './row-book.ts'
import { SlotBook, type SlotOwners, SlotTrial } from './slot-book.ts'
import type { JobRow, Loaded, Wanted } from './tables.ts'
import type { MadeOf } from './tail/knowing.ts'
import type { Since } from './tail/known.ts'
import type { Remembered, WorkspaceOptions } from './workspace-options.ts'

/**
 * Where a group of decisions is made before all of it is written at once. Each decision sees what the ones before it made
 * of the rows that were read; what it asks for and is not here is read first, and then it is made again.
 */
export class Workspace {
  readonly now: number
  /** Since when it is known what was written. */
  readonly since: Since | null
  readonly slots = new SlotBook()
  readonly #cells: CellBook
  /** In order. */
  readonly told: Told[] = []
  /** Jobs that are alike. What is told of them comes before all else: they rest on nothing. */
  readonly births: Birth[] = []
  readonly signals: Signal[] = []
  readonly rows = new RowBook()
  readonly refusals = new RefusalBook()
  /** What was asked of limits, in order. */
  readonly slotChanges: SlotChange[] = []
  /** What decisions rest on, though they did not change it: each as it was when a decision saw it. */
  readonly seen = new Set<Cell>()
  isNews = false
  readonly #ids: FreshIds
  readonly #remembered: Remembered | null
  readonly #claims = new ClaimBook()
  readonly #puts: LedgerRecord[] = []
  readonly #assumesRoom: boolean
  readonly #bears: boolean
  readonly #counts = new StateCounts()
  /** What is not counted yet: of a single job nobody asks. */
  readonly #uncounted: Bearing[] = []
  readonly #asking: Asking
  #look = new Look()

  constructor({ now, ids, remembered, since = null, assumesRoom = false, bears = false }: WorkspaceOptions) {
    this.now = now
    this.since = since
    this.#assumesRoom = assumesRoom
    this.#bears = bears && remembered !== null
    this.#ids = new FreshIds(ids)
    this.#remembered = remembered
    this.#cells = new CellBook(remembered)
    this.#asking = new Asking({
      cells: this.#cells,
      rows: this.rows,
      refusals: this.refusals,
      ids: this.#ids,
      remembers: remembered !== null,
    })
  }

  /** Somebody made up the id of a key just now: there is nothing of that name, unless the write says otherwise. */
  isFresh(key: RecordKey): boolean {
    return key.isFresh === true && this.#remembered !== null
  }

  /** By how many there are more, or fewer, of each kind in each state. */
  get counts(): StateCounts {
    for (const bearing of this.#uncounted.splice(0)) bearing.count(this.#counts)
    return this.#counts
  }

  /** What is told, each by itself. */
  get entries(): readonly AuditEntry[] {
    return this.told.flatMap((told) => (told instanceof Stride ? told.audit : [told]))
  }

  /** But for those that jobs are born with. */
  get claims(): readonly Claim[] {
    return this.#claims.taken
  }

  /** What was asked for is here, as far as it exists. */
  know(loaded: Loaded, wanted: Wanted): void {
    for (const key of wanted.jobs) this.#cells.read(absentCell(key))
    for (const key of wanted.records) this.#cells.read(absentCell(key))
    this.knowJobs(loaded.jobs)
    for (const row of loaded.records) this.#cells.read(cellOfRecord(row))
    for (const cell of loaded.cells ?? []) this.#cells.read(cell)
    for (const claim of wanted.claims) this.#claims.know(claim, null)
    for (const claim of loaded.claims) this.#claims.know(claim, claim.owner)
    for (const slot of wanted.slots) this.slots.know({ ...slot, version: 0, counted: 0, named: [] }, true)
    for (const row of loaded.slots) this.slots.know(row, true)
    this.rows.know(wanted.rows, loaded.rows)
    this.refusals.know(wanted.refusals, loaded.refusals)
  }

  /** It was read a moment ago, and is taken to be so. */
  assumeCell(cell: StoredCell): void {
    this.#cells.assume(cell)
  }

  knowJobs(rows: readonly JobRow[], by: ReadBy | null = null): void {
    for (const row of rows) this.#cells.readJob(row, by)
  }

  /** What it comes to; or what has to be read before it can be made again. */
  try<A>(decide: (given: Given) => Decision<A>, keys: readonly RecordKey[] = NO_KEYS): Outcome<A> | Missing {
    this.#look = new Look()
    this.#ids.forget()
    const decision = decideOn(this, this.now, this.#ids, decide)
    if (decision.kind === 'change' && decision.change instanceof Stride && this.#release(decision.change)) {
      this.#stride(decision.change)
      return { ok: true, answer: decision.answer }
    }
    // Whoever asked for what nobody has heard of knows by now.
    if (this.#look.bearing === null && this.#assumeFresh(keys) && decision.kind === 'need')
      return this.try(decide, keys)
    const missing = this.#asking.missingFor(decision, this.#look)
    if (missing !== null && !missing.isEmpty) return missing
    must(decision.kind !== 'need', 'a decision does not ask for what it has')
    if (decision.kind === 'refusal') {
      if (decision.audit !== null) this.#commit(NOTHING, [decision.audit])
      return { ok: false, refusal: decision.refusal }
    }
    const { bearing } = this.#look
    const { change } = decision
    if (change instanceof Stride) this.#stride(change)
    else if (bearing === null) this.#commit(change, change.audit)
    else this.#bear(bearing)
    return { ok: true, answer: decision.answer }
  }

  /** Answers whether that was not known. */
  #assumeFresh(keys: readonly RecordKey[]): boolean {
    let isNew = false
    for (const key of keys) if (this.isFresh(key) && this.#cells.assumeAbsent(key)) isNew = true
    return isNew
  }

  /** What was decided stays as it is. Not before it is written as JSON: that is several times slower afterwards. */
  freeze(): void {
    for (const put of this.#puts) Object.freeze(put)
  }

  // What decisions see.

  aggregate<K extends AggregateKind>(
    kind: K,
    tenant_id: string,
    id: string,
  ): AggregateOf[K] | null | undefined {
    const cell = this.#cells.find(kind, tenant_id, id)
    if (cell === undefined) return undefined
    if (!this.#look.reads.includes(cell)) this.#look.reads.push(cell)
    return cell.now as AggregateOf[K] | null
  }

  ownerOf(claim: AskedClaim): string | undefined {
    const owner = this.#claims.ownerOf(claim)
    if (owner === undefined) this.#look.assumed.push(claim)
    return owner ?? undefined
  }

  readonly devices = {
    takenClaim: ({ claims }: Change): ClaimKey | undefined =>
      claims.find((claim) => this.#claims.isOthers(claim)),
    fullSlot: (decided: Change, now: number): SlotKey | undefined => {
      if (decided.births !== undefined && this.#bears) {
        this.#look.bearing = this.#bearing(decided.births, now)
        if (this.#look.bearing !== null) return undefined
      }
      if (decided.slots.length === 0) return undefined
      const owners = new OwnersIn(this.#cells, decided.puts)
      const full = this.#trySlots(decided.slots, owners, now)
      if (full !== undefined) {
        this.#look.sawFull = true
        // Of several that are full the first is the one at fault: those that are only taken to have room are read.
        this.#look.unread.push(...decided.slots.filter((slot) => this.slots.stateOf(slot)?.isFresh !== true))
      }
      return full
    },
  }

  cellOf({ kind, tenant_id, id }: RecordKey): Cell | undefined {
    return this.#cells.find(kind, tenant_id, id)
  }

  /** Somebody has asked for it here. */
  knows({ kind, tenant_id, id }: RecordKey): boolean {
    return this.#cells.here(kind as AggregateKind, tenant_id, id) !== undefined
  }

  /** Something was decided on it here. */
  hasChanged({ kind, tenant_id, id }: RecordKey): boolean {
    return this.#cells.here(kind, tenant_id, id)?.isChanged === true
  }

  /** But for jobs that were born here, and that nobody looked at since. */
  forEachCell(callback: (cell: Cell) => void): void {
    this.#cells.forEach(callback)
  }

  /** These. */
  bornAlone(): readonly Birth[] {
    return this.#cells.bornAlone()
  }

  /** What was changed here, as it is when it is written. */
  written(): MadeOf {
    const cells: StoredCell[] = []
    this.#cells.forEach((cell) => {
      if (cell.isChanged) cells.push(cell.written())
    })
    return { cells, births: this.bornAlone() }
  }

  /** What has to be as it was when somebody looked. What was written since says so itself. */
  verify(): readonly Cell[] {
    return [...this.seen].filter((cell) => !cell.isChanged)
  }

  #bearing(births: readonly Birth[], now: number): Bearing | null {
    if (this.#look.sawFull) return null
    this.#rememberSlot((births[0] as Birth).form.slot, null)
    return Bearing.of(births, this.slots, now)
  }

  /** The first limit that there is no place under; what it would make of them is known from now on. */
  #trySlots(slots: readonly SlotChange[], owners: SlotOwners, now: number): SlotKey | undefined {
    for (const slot of slots) this.#rememberSlot(slot, owners)
    const trial = new SlotTrial(this.slots, owners, now)
    this.#look.trial = trial
    return trial.run(slots)
  }

  /** Whoever gives back what it has is not asked whether there is room. False when more has to be known, or looked at. */
  #release(stride: Stride): boolean {
    const { slots } = stride.leg.change
    const [slot] = slots
    if (slot === undefined) return true
    const cell = this.#jobOf(stride)
    this.#rememberSlot(slot, null)
    const state = slots.length === 1 && slot.verb === 'release' ? this.slots.stateOf(slot) : undefined
    if (state !== undefined) {
      if (cell.letGo(slot.key)) state.change(-1, Number.POSITIVE_INFINITY, null)
      return true
    }
    if (!stride.takes) this.#trySlots(stride.slots, new OneHolder(stride.job_id, cell.holds), this.now)
    return false
  }

  #jobOf({ tenant_id, job_id }: Stride): Cell {
    return this.#cells.find('job', tenant_id, job_id) as Cell
  }

  #rememberSlot({ tenant_id, key, owner }: SlotChange, owners: SlotOwners | null): void {
    const slot = { tenant_id, key }
    if (this.slots.stateOf(slot) !== undefined) return
    const row = this.#remembered?.slot(slot)
    if (row !== undefined) this.slots.know(row, false)
    else if (this.#assumesRoom && owners !== null && owners.holdsOf(tenant_id, owner) !== null)
      this.slots.know({ ...slot, version: 0, counted: 0, named: [] }, false)
  }

  #commit(decided: Change, audit: readonly AuditEntry[]): void {
    const { trial, reads } = this.#look
    const { puts, claims, signals } = decided
    this.#write(puts)
    if (!isNothing(decided)) {
      this.isNews = true
      for (const cell of reads) if (!cell.isChanged) this.seen.add(cell)
    }
    if (trial !== null && decided.slots.length > 0) {
      this.#settleSlots(trial)
      this.slotChanges.push(...decided.slots)
    }
    for (const claim of claims) this.#claims.take(claim)
    this.signals.push(...signals)
    for (const entry of audit) this.#tell(entry)
  }

  /** A job that goes on as others did: nobody makes its records. */
  #stride(stride: Stride): void {
    const { leg, tenant_id } = stride
    const { trial, reads } = this.#look
    const cell = this.#jobOf(stride)
    cell.version++
    stride.written(String(cell.version))
    cell.now = stride
    cell.isTold = true
    for (const { kind, from, to } of leg.moved) {
      this.#counts.add(tenant_id, kind, from, -1)
      this.#counts.add(tenant_id, kind, to, 1)
    }
    if (trial !== null) this.#settleSlots(trial)
    if (leg.change.signals.length > 0) this.signals.push(...stride.signals)
    this.told.push(stride)
    this.isNews = true
    for (const cell of reads) if (!cell.isChanged) this.seen.add(cell)
  }

  #bear(bearing: Bearing): void {
    bearing.settle()
    this.#uncounted.push(bearing)
    this.#cells.bear(bearing.births)
    for (const birth of bearing.births) {
      this.births.push(birth)
      this.#claims.takenBy(birth)
    }
    this.isNews = true
    for (const cell of this.#look.reads) if (!cell.isChanged) this.seen.add(cell)
  }

  #settleSlots(trial: SlotTrial): void {
    trial.settle()
    trial.holds?.forEachEntry((holds, tenant_id, id) => {
      const cell = this.#cells.find('job', tenant_id, id)
      if (cell !== undefined) cell.holds = [...holds]
    })
  }

  /** The cells that changed, each under its next version. */
  #write(puts: readonly LedgerRecord[]): void {
    for (const [cell, some] of this.#cells.byCell(puts)) this.#writeCell(cell, some)
  }

  #writeCell(cell: Cell, puts: readonly LedgerRecord[]): void {
    cell.version++
    const etag = String(cell.version)
    for (const put of puts) {
      put.etag = etag
      this.#counts.replace(partOf(cell, put) ?? (put.kind === 'outbox' ? this.rows.get(put) : null), put)
      this.#puts.push(put)
    }
    if (isJobPart(puts[0] as LedgerRecord)) this.#writeJob(cell, puts as readonly JobPart[])
    else cell.now = puts.at(-1) as AloneRecord
  }

  #writeJob(cell: Cell, parts: readonly JobPart[]): void {
    cell.now = applyToJob(cell.now as JobAggregate | null, parts)
    for (const part of parts) {
      if (part.kind === 'outbox' && !isOpenRow(part)) this.rows.close(part)
    }
  }

  #tell(entry: AuditEntry): void {
    const cell = this.#cells.toldBy(entry)
    const isWritten = cell?.isChanged === true
    if (entry.event !== 'moved' || !isWritten) {
      const key = entry.event === 'moved' ? ownerOf(entry) : keyOfEntry(entry)
      if (!this.refusals.tell(key, entry)) return
    }
    if (isWritten) cell.isTold = true
    this.told.push(entry)
    this.isNews = true
  }
}

const { change: NOTHING } = change(null, {})
const NO_KEYS: readonly RecordKey[] = Object.freeze([])
