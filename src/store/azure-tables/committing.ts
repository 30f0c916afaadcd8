// From a plan to what is written, in an order in which it can be cut off anywhere:
//
//   1. something in the lane that leads back to the aggregate, if nothing else does
//   2. keys and places under limits, with the row that is going to decide
//   3. rows of those who begin to wait, with what they wait for
//   4. locks on whatever else is changed, with what it is to be
//   5. the row that decides
//   6. everything that follows (finishing.ts)
//
// Up to 4 nothing has happened, and whoever comes upon what was left finds that out. From 5 on it has, and they finish it.
import type { JobAggregate } from '../../core/aggregate.ts'
import { isAtRest } from '../../core/aggregate.ts'
import { EVERYBODY } from '../../core/queue/record.ts'
import { LedgerClosed } from '../../errors/input-errors.ts'
import { OutcomeUnknown, ServerUnavailable } from '../../errors/postgres-errors.ts'
import { ChangeTooLarge } from '../../errors/size-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import { Conflict } from '../tables/tables.ts'
import type { AzureCell, CellLock, CellMeta, JobMeta, LastChange, Owed, RowRef } from './azure-cell.ts'
import { type NextRow, nextRows, rewritten } from './cell-rows.ts'
import type { CellStore } from './cell-store.ts'
import type { Engine } from './engine.ts'
import {
  type Decided,
  type DecidedCell,
  type Finished,
  type Finishing,
  type LockedCell,
  withEtags,
} from './finishing.ts'
import { type Lane, NOTHING_TOLD } from './lane.ts'
import { dueKey, markerKey, readyKey } from './lane-rows.ts'
import type { LaneTails } from './lane-tails.ts'
import type { Lanes } from './lanes.ts'
import { whole } from './long-columns.ts'
import { owedBy, slotPlaces } from './owing.ts'
import { newRows, type Plan, type PlannedCell } from './plan.ts'
import type { Reservations, Reserved, SlotRows, Wanted } from './reservations.ts'
import { type Columns, MOST_ROWS_AT_ONCE, type RowWrite } from './service.ts'
import type { Settling } from './settling.ts'
import type { Waiting } from './waiting-rows.ts'
import { canBeSent } from './write-groups.ts'

export interface CommittingParts {
  readonly cells: CellStore
  readonly lanes: Lanes
  readonly tails: LaneTails
  readonly reservations: Reservations
  readonly settling: Settling
  readonly finishing: Finishing
  readonly waiting: Waiting
}

/** Everything that is known of a change while it is written. */
interface Draft {
  readonly plan: Plan
  readonly lane: Lane
  readonly signals: Owed['signals']
  readonly wanted: readonly Wanted[]
  readonly rowsOf: SlotRows
  readonly isSwept: boolean
}

export interface CommitOptions {
  /** The rows of limits that were read for it. */
  readonly rowsOf: SlotRows
  /** It was found as work to be done. */
  readonly isSwept: boolean
}

export class Committing {
  readonly #engine: Engine
  readonly #parts: CommittingParts

  constructor(engine: Engine, parts: CommittingParts) {
    this.#engine = engine
    this.#parts = parts
  }

  /** Durable when it resolves; a conflict when somebody else was faster. Records get their etags in place. */
  async commit(plan: Plan, { rowsOf, isSwept }: CommitOptions): Promise<Finished> {
    const { lanes, reservations, settling, waiting } = this.#parts
    const lane = await lanes.mine()
    const signals = await waiting.signalsOf(plan)
    const draft = { plan, lane, signals, rowsOf, isSwept, wanted: await reservations.wanted(plan, rowsOf) }
    let finished: Finished
    try {
      // Whatever is too large is refused before anything is written.
      mustFit(plan, this.#rows(draft, []))
      finished = await settling.during(plan.id, this.#write(draft))
    } catch (error) {
      reservations.forget(draft.wanted)
      throw error
    }
    for (const [n, row] of plan.owed.closed.entries()) row.etag = finished.closedEtags[n] as string
    return finished.receipt === null ? this.#finishedElsewhere(finished) : finished
  }

  /** Somebody could not wait. They may not live to finish it, so that is waited for; then it is as they have left it. */
  async #finishedElsewhere(finished: Finished): Promise<Finished> {
    const { settling } = this.#parts
    const by = await settling.settled(finished.by.key)
    const others = await Promise.all(finished.others.map(({ key }) => settling.settled(key)))
    return { ...finished, receipt: by.receipt, by, others }
  }

  async #write(draft: Draft): Promise<Finished> {
    const { plan, wanted, lane } = draft
    const { reservations, finishing, waiting } = this.#parts
    const by = plan.cells[0] as PlannedCell
    await this.#mustHave(lane)
    const isMarked = await this.#mark(draft, by)
    let reserved: readonly Reserved[] = []
    const locked: LockedCell[] = []
    let decided: Pick<Decided, 'change' | 'by'> | null
    try {
      reserved = await reservations.reserve(plan, wanted, { by: by.before.ref, lane: lane.number })
      await waiting.begin(plan)
      const [first, ...others] = this.#rows(draft, reserved)
      for (const other of others) locked.push(await this.#lock(other, plan, by.before.ref))
      for (const cell of plan.held) locked.push(await this.#hold(cell, plan, by.before.ref))
      await this.#mustHave(lane)
      decided = await this.#decide(first as NextCell)
    } catch (error) {
      await this.#undo(error, reserved, locked)
      throw error
    }
    if (decided === null) return finishedLongAgo(plan)
    try {
      return await finishing.finish({ ...decided, lane, others: locked, isMarked })
    } catch (error) {
      // It is decided, and will be finished by whoever comes upon it: nobody may be told that nothing was written.
      throw error instanceof ServerUnavailable ? new OutcomeUnknown('the tables', error) : error
    }
  }

  /** What leads back to it leads there from the lane: whoever has that by now has looked after it already, and would not again. */
  async #mustHave(lane: Lane): Promise<void> {
    const { lanes } = this.#parts
    // Who slept for too long does not know yet that it was taken from them: only writing to it tells.
    if (lanes.held(lane.number) === null) await lanes.note(NOTHING_TOLD)
    if (lane.isLost || lanes.own !== lane) throw new Conflict('the lane it was to be told in is lost')
  }

  /** What leads back to it is noted first, unless something does: work to be done, or a place that it holds. */
  async #mark({ plan, lane, isSwept }: Draft, by: PlannedCell): Promise<boolean> {
    const { ref, key, meta, aggregate } = by.before
    const index = meta.job?.index
    // Whoever looks for work comes by again; whoever changes what is only ready by its name does not.
    const isFound = index !== undefined && (index.due !== null || (index.ready !== null && isSwept))
    // Places of tenants that the lane has had to do with are looked at, should it be abandoned.
    const isServed = lane.state.counts.has(key.tenant_id)
    const isBorn = aggregate === null && isServed && plan.slots.takes.some(({ job }) => job === by)
    // Those of others are not, and somebody may wait for one.
    const isLed = isServed || plan.slots.takes.every(({ tenant_id }) => tenant_id === EVERYBODY)
    if ((isFound && isLed) || isBorn) return false
    await this.#parts.lanes.note({ ...NOTHING_TOLD, adds: [{ rk: markerKey(ref), columns: { ...ref } }] })
    return true
  }

  /** Nothing has happened; unless nobody knows, and then whoever comes upon it finds out. */
  async #undo(error: unknown, reserved: readonly Reserved[], locked: readonly LockedCell[]): Promise<void> {
    if (error instanceof WaybillError && error.code === 'OUTCOME_UNKNOWN') return
    await this.#parts.reservations.release(reserved)
    await Promise.all(
      locked.map(({ cell, etag, was }) => {
        const { table, pk } = cell.ref
        return this.#engine.service.write(table, pk, [{ verb: 'put', ...was, etag }]).catch(() => {})
      }),
    )
  }

  #rows(draft: Draft, reserved: readonly Reserved[]): readonly NextCell[] {
    const { plan, lane } = draft
    const owed = owedBy({ ...draft, reserved })
    return plan.cells.map((cell, n) => {
      const change = n === 0 ? { id: plan.id, lane: lane.number, from: lane.seq, owed } : null
      const job = cell.meta.job === null ? null : jobMeta(cell, draft, reserved)
      const birth = cell.before.aggregate === null ? plan.id : cell.meta.birth
      const next = nextRows(cell.before, cell.now, cell.version, {
        ...cell.meta,
        job,
        birth,
        last: change,
        line: null,
      })
      return { cell, change, meta: next.meta, rows: [...next.rows, ...cell.waiters] }
    })
  }

  async #lock({ cell, meta, rows }: NextCell, { id, at }: Plan, by: RowRef): Promise<LockedCell> {
    const etag = await this.#putLock(cell.before, { change: id, by, at, next: rows })
    // Its record is known by the etag of the lock: that one is known before everything that tells of it is written.
    const record = 'kind' in cell.now ? cell.now : cell.now.job
    const isPut = meta.recordEtag === null
    if (isPut) record.etag = etag
    const decided = decidedCell(cell, isPut ? { ...meta, recordEtag: etag } : meta, null)
    return { ...decided, etag, rows, isHeld: false, was: rewritten(cell.before, {}) }
  }

  async #hold(cell: AzureCell, { id, at }: Plan, by: RowRef): Promise<LockedCell> {
    const etag = await this.#putLock(cell, { change: id, by, at, next: [] })
    const was = rewritten(cell, {})
    const meta = { ...cell.meta, recordEtag: cell.meta.recordEtag ?? cell.etag }
    const held = { cell: { ...cell, meta }, isNew: false, wasOpen: false, newRows: [] }
    return { ...held, etag, rows: [was], isHeld: true, was }
  }

  async #putLock(cell: AzureCell, lock: CellLock): Promise<string> {
    const { ref, etag } = cell
    const row = rewritten(cell, { lock })
    const write: RowWrite = etag === null ? { verb: 'insert', ...row } : { verb: 'put', ...row, etag }
    const answer = await this.#engine.service.write(ref.table, ref.pk, [write])
    if (answer.ok) return answer.etags[0] as string
    if (answer.unsure) {
      const there = await this.#parts.cells.read(cell.key)
      if (there.meta.lock?.change === lock.change) return there.etag as string
    }
    throw new Conflict('somebody else has changed it, or is about to')
  }

  /**
   * The row that decides, and the rows of its partition that go with it. Null when nothing is left to be done: while the answer was
   * lost somebody has finished it, and then it was changed again.
   */
  async #decide({ cell, change, meta, rows }: NextCell): Promise<Pick<Decided, 'change' | 'by'> | null> {
    const { ref, etag, key } = cell.before
    const writes = rows.map((row, n): RowWrite => {
      if (n > 0) return { verb: 'put', ...row }
      return etag === null ? { verb: 'insert', ...row } : { verb: 'put', ...row, etag }
    })
    const answer = await this.#engine.service.write(ref.table, ref.pk, writes)
    const found = !answer.ok && answer.unsure ? await this.#lookUp({ cell, change, meta, rows }) : null
    const etags = answer.ok ? answer.etags : found?.etags
    if (etags === undefined) throw new Conflict(`somebody else has changed ${key.kind} ${key.id}`)
    const by = decidedCell(cell, meta, null)
    const decided = { change: change as LastChange, by: { ...by, cell: withEtags(by.cell, writes, etags) } }
    return found?.isPast === true ? null : decided
  }

  /** What became of a write whose answer was lost: it decided, or it never will. */
  async #lookUp({ cell, change, rows }: NextCell): Promise<LookedUp | null> {
    const { table, pk } = cell.before.ref
    const { id, lane, from } = change as LastChange
    try {
      const there = await Promise.all(rows.map(({ rk }) => this.#engine.service.get(table, pk, rk)))
      const columns = there[0] == null ? {} : whole(there[0].columns)
      const last: LastChange | null = columns._last === undefined ? null : JSON.parse(columns._last as string)
      if (last?.id === id) {
        const [head = '', ...steps] = there.map((row) => row?.etag ?? '')
        // Somebody who could not wait sees to it by now: what is known is how the row was when it was decided.
        const isMoved = last.lane !== lane || last.from !== from
        return { etags: [isMoved ? String(columns._etag) : head, ...steps], isPast: false }
      }
      const isPast = await this.#isPast(cell, change as LastChange, columns)
      return isPast ? { etags: rows.map(() => UNKNOWN_ETAG), isPast } : null
    } catch (error) {
      // Nothing of it may be undone.
      throw error instanceof LedgerClosed ? error : new OutcomeUnknown('the tables', error)
    }
  }

  /** Whoever changes it again has seen to it that this one is finished: then its line is somewhere in the log. */
  async #isPast({ version }: PlannedCell, { id, owed }: LastChange, row: Columns): Promise<boolean> {
    return ((row._v as number | undefined) ?? 0) > version && this.#parts.tails.tells(id, owed.at)
  }
}

interface LookedUp {
  /** Of its rows. */
  readonly etags: readonly string[]
  /** Others have finished it, and gone on. */
  readonly isPast: boolean
}

/** Of what has changed since: nobody can ask for it to be as it was then. */
const UNKNOWN_ETAG = 'W/"unknown"'

/** By others, and nothing is known of how it was then. */
function finishedLongAgo({ cells, owed }: Plan): Finished {
  const [by] = cells as readonly [PlannedCell]
  return { receipt: null, by: by.before, others: [], closedEtags: owed.closed.map(() => UNKNOWN_ETAG) }
}

/** Aggregates that one change may have: each is locked by itself, and named in the row that decides. */
const MOST_CELLS = 1000

function mustFit({ cells, held }: Plan, next: readonly NextCell[]): void {
  const count = cells.length + held.length
  if (count > MOST_CELLS) throw new ChangeTooLarge('A change, in records,', count, MOST_CELLS)
  for (const { cell, rows } of next) {
    if (canBeSent(rows.map((row) => ({ verb: 'put', ...row })))) continue
    const { kind, id } = cell.before.key
    throw new ChangeTooLarge(`The change of ${kind} ${id}, in rows,`, rows.length, MOST_ROWS_AT_ONCE)
  }
}

/** An aggregate as it is going to be written. */
interface NextCell {
  readonly cell: PlannedCell
  /** Of the one that decides. */
  readonly change: LastChange | null
  readonly meta: CellMeta
  readonly rows: readonly NextRow[]
}

function decidedCell(cell: PlannedCell, meta: CellMeta, etag: string | null): DecidedCell {
  const { before, now, version } = cell
  const { key, ref, aggregate } = before
  const holds = (meta.job?.slots ?? []).map((slot) => slot.key)
  return {
    cell: { key, ref, aggregate: now, version, holds, born: null, etag, meta, receipt: null },
    isNew: aggregate === null,
    wasOpen: key.kind === 'job' && aggregate !== null && !isAtRest((aggregate as JobAggregate).job),
    newRows: newRows(cell),
  }
}

function jobMeta(cell: PlannedCell, { lane, rowsOf, plan }: Draft, reserved: readonly Reserved[]): JobMeta {
  const { job } = cell.now as JobAggregate
  const index = { lane: lane.number, ready: readyKey(job, cell.version), due: dueKey(job, cell.version) }
  return { ...(cell.meta.job as JobMeta), index, slots: slotPlaces(cell, plan, { reserved, rowsOf }) }
}
