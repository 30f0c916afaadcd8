// Before anything is decided on an aggregate, what was decided before has to be finished. Nearly always it is; else somebody
// is just about to, or was, and did not live to do it.
//
// A change that is decided and not finished is waited for, for a while; then its lane is taken from whoever has it, so
// that they cannot finish it any more, and it is finished here. A change that locks something and is not decided is waited for
// as well; then the row that would decide it is written as it is, so that it cannot be decided any more.

import type { JobAggregate, RecordKey } from '../../core/aggregate.ts'
import { heldPause } from '../../world/pause.ts'
import { RecentlyUsed } from '../recently-used.ts'
import {
  type AzureCell,
  type CellLock,
  type LastChange,
  type Receipt,
  type RowRef,
  withJobsEtag,
} from './azure-cell.ts'
import { cellOfRows, rewritten } from './cell-rows.ts'
import { type CellStore, keyOfRow } from './cell-store.ts'
import type { Engine } from './engine.ts'
import type { DecidedCell, Finishing, LockedCell } from './finishing.ts'
import { NOTHING_TOLD } from './lane.ts'
import type { Lanes } from './lanes.ts'
import { whole } from './long-columns.ts'
import type { Receipts } from './receipts.ts'
import type { Row } from './service.ts'

/** How long somebody else may take to go on with what they began: about two seconds in all. */
const PAUSES_MS = [5, 10, 20, 40, 80, 160, 320, 640, 640] as const

const MOST_ROUNDS = 1000
const MOST_FREED = 10_000

export interface SettlingParts {
  readonly cells: CellStore
  readonly lanes: Lanes
  readonly finishing: Finishing
  readonly receipts: Receipts
  /** Something of somebody else was finished here. */
  readonly onTakenOver: () => void
}

export class Settling {
  readonly #engine: Engine
  readonly #parts: SettlingParts
  /** Changes that this process is about to decide or finish. */
  readonly #underWay = new Map<string, Promise<unknown>>()
  /** Changes that nothing is locked by any more, as far as is known. */
  readonly #freed = new RecentlyUsed<string, true>(MOST_FREED)

  constructor(engine: Engine, parts: SettlingParts) {
    this.#engine = engine
    this.#parts = parts
  }

  /** Nobody else here meddles with it before it is done. */
  async during<T>(change: string, work: Promise<T>): Promise<T> {
    this.#underWay.set(change, work)
    try {
      return await work
    } finally {
      this.#underWay.delete(change)
    }
  }

  /** Whatever this process has begun by now is done. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#underWay.values())
  }

  /** As it is. What is part of a change that is being decided elsewhere is waited for. */
  async shown(key: RecordKey): Promise<AzureCell> {
    const cell = await this.#parts.cells.read(key)
    return cell.meta.lock === null ? cell : this.settled(key)
  }

  /** The aggregate, with everything finished that was decided on it. */
  async settled(key: RecordKey): Promise<AzureCell> {
    const { cells, receipts } = this.#parts
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const cell = await cells.read(key)
      const { lock, last } = cell.meta
      if (lock !== null) await this.#resolve(cell, lock, round)
      else if (last === null) return cell
      else {
        const receipt = await receipts.find(last)
        if (receipt !== null) {
          await this.#free(last, receipt)
          return { ...withJobsEtag(cell, receipt.jobs?.[cell.ref.pk]), receipt }
        }
        await this.#waitOr(last.id, round, () => this.#takeOver(cell, last))
      }
    }
    throw new Error('what was decided is finished in the end')
  }

  /** What became of a change that something was put in place for. */
  async outcomeOf(change: string, by: RowRef): Promise<'decided' | 'dropped'> {
    const { service } = this.#engine
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const row = await service.get(by.table, by.pk, by.rk)
      if (isDecided(row, change)) return 'decided'
      const isOver = await this.#waitOr(change, round, () => this.#forbid(change, by))
      if (isOver === true) return 'dropped'
    }
    throw new Error('a change is decided or dropped in the end')
  }

  /** Waits for whoever has begun something; after a while it is taken into one's own hands. */
  async #waitOr<T>(change: string, round: number, act: () => Promise<T>): Promise<T | null> {
    const here = this.#underWay.get(change)
    if (here !== undefined) {
      await here.catch(() => {})
      return null
    }
    const ms = PAUSES_MS[round]
    if (ms === undefined) return act()
    await heldPause(this.#engine.timers, ms)
    return null
  }

  async #resolve(cell: AzureCell, lock: CellLock, round: number): Promise<void> {
    const { service } = this.#engine
    const { change, by } = lock
    const row = await service.get(by.table, by.pk, by.rk)
    if (isDecided(row, change)) {
      if (round === 0) return void (await this.#waitOr(change, round, async () => null))
      // Whatever else is owed comes first; it ends with what is locked.
      await this.settled(keyOfRow(by.table, row as Row))
      return
    }
    const isOver = await this.#waitOr(change, round, () => this.#forbid(change, by))
    if (isOver === true) await this.#unlock(cell)
  }

  /** It cannot be decided any more; false when something has happened meanwhile. */
  async #forbid(change: string, { table, pk, rk }: RowRef): Promise<boolean> {
    const { service } = this.#engine
    const row = await service.get(table, pk, rk)
    if (isDecided(row, change)) return false
    if (row === null || row.columns._dead !== undefined) {
      const columns = { _v: 0, _dead: change }
      const write = row === null ? ({ verb: 'insert' } as const) : ({ verb: 'put', etag: row.etag } as const)
      return (await service.write(table, pk, [{ ...write, rk, columns }])).ok
    }
    // As it is, but under another etag: whoever wanted to write it has to read it again.
    const cell = await this.#parts.cells.read(keyOfRow(table, row))
    if (cell.etag !== row.etag) return false
    return (await service.write(table, pk, [{ verb: 'put', ...rewritten(cell, {}), etag: row.etag }])).ok
  }

  /** As it was before. */
  async #unlock(cell: AzureCell): Promise<void> {
    const { ref, etag } = cell
    await this.#engine.service.write(ref.table, ref.pk, [
      { verb: 'put', ...rewritten(cell, { lock: null }), etag: etag as string },
    ])
  }

  /** Whatever was locked by a change that is finished is not any more. */
  async #free({ id, owed }: LastChange, receipt: Receipt): Promise<void> {
    if (owed.others.length === 0 || this.#freed.has(id)) return
    for (const ref of owed.others) {
      const locked = await this.#locked(ref, id)
      if (locked !== null) await this.#parts.finishing.unlock(locked, receipt)
    }
    this.#freed.set(id, true)
  }

  async #takeOver(cell: AzureCell, last: LastChange): Promise<void> {
    const { receipts, finishing } = this.#parts
    await this.#shut(last.lane)
    if ((await receipts.find(last)) !== null) return
    const others = await Promise.all(last.owed.others.map((ref) => this.#locked(ref, last.id)))
    this.#engine.logger.info({ row: cell.ref, change: last.id }, 'Finishing a change that was left half done')
    await this.during(
      last.id,
      finishing.finish({
        change: last,
        lane: null,
        by: { cell, isNew: cell.meta.birth === last.id, wasOpen: false, newRows: openRows(cell) },
        others: others.filter((other) => other !== null),
        isMarked: false,
      }),
    )
    this.#parts.onTakenOver()
  }

  /** Nobody can write to the lane any more who could until now, unless it is this process. */
  async #shut(number: number): Promise<void> {
    const { lanes } = this.#parts
    const isMine = async () => (await lanes.mine()).number === number
    // Whoever slept for too long does not know yet that it was taken from them: only writing to it tells.
    if (await isMine()) await lanes.note(NOTHING_TOLD)
    if (!(await isMine())) await lanes.shut(number)
  }

  /** Something that is locked by the change; null when it is not any more. */
  async #locked(ref: RowRef, change: string): Promise<LockedCell | null> {
    const cell = await this.#parts.cells.readAt(ref)
    return cell?.meta.lock?.change === change ? lockedCell(cell, cell.meta.lock) : null
  }
}

function isDecided(row: Row | null, change: string): boolean {
  if (row === null) return false
  const { _birth, _last } = whole(row.columns)
  return (
    _birth === change || (_last !== undefined && (JSON.parse(_last as string) as LastChange).id === change)
  )
}

/** What is locked, as it is to be when it is not any more. */
function lockedCell(cell: AzureCell, lock: CellLock): LockedCell {
  const { ref, key, version } = cell
  const etag = cell.etag as string
  const isHeld = lock.next.length === 0
  const rows = isHeld ? [rewritten(cell, { lock: null })] : lock.next
  const next = cellOfRows(
    key,
    rows.map(({ rk, columns }) => ({ pk: ref.pk, rk, etag: '', columns })),
  )
  const after = isHeld
    ? { ...cell, meta: next.meta }
    : { ...next, meta: { ...next.meta, recordEtag: etag }, aggregate: withAllSteps(cell, next) }
  const was = rewritten(cell, { lock: null })
  return {
    cell: after,
    etag,
    rows,
    isHeld,
    was,
    isNew: version === 0,
    wasOpen: false,
    newRows: openRows(next),
  }
}

/** Only steps that change have rows among those that are to be written. */
function withAllSteps(
  { aggregate: before }: AzureCell,
  { aggregate: next }: AzureCell,
): AzureCell['aggregate'] {
  if (next === null || 'kind' in next) return next
  const steps = before === null ? [] : (before as JobAggregate).steps.slice()
  for (const step of next.steps) steps[step.step_index] = step
  return { ...next, steps }
}

function openRows({ aggregate }: AzureCell): DecidedCell['newRows'] {
  return aggregate === null || 'kind' in aggregate ? [] : aggregate.outbox
}
