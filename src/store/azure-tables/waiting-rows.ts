import type { Signal } from '../../core/decision.ts'
import { Conflict } from '../tables/tables.ts'
import { type AzureCell, type Owed, refOf, sameRow } from './azure-cell.ts'
import { rewritten } from './cell-rows.ts'
import type { CellStore } from './cell-store.ts'
import type { Engine } from './engine.ts'
import type { Plan, PlannedCell, Wait } from './plan.ts'
import type { RowWrite } from './service.ts'
import type { Settling } from './settling.ts'
import { subjectKey, WAITERS, waiterRow, waitersOf } from './waiters.ts'

const MOST_TRIES = 100

/** Puts rows of those who wait beside what they wait for, and tells whom a signal concerns. */
export class Waiting {
  readonly #engine: Engine
  readonly #cells: CellStore
  readonly #settling: Settling

  constructor(engine: Engine, parts: { readonly cells: CellStore; readonly settling: Settling }) {
    this.#engine = engine
    this.#cells = parts.cells
    this.#settling = parts.settling
  }

  /** Before it is decided. What it was decided on has to be as it was, or whoever waits would miss what happened. */
  async begin(plan: Plan): Promise<void> {
    const known = new Map<string, AzureCell>()
    for (const wait of plan.waits) await this.#beginOne(wait, plan, known)
  }

  async #beginOne(wait: Wait, { id, cells, seen }: Plan, known: Map<string, AzureCell>): Promise<void> {
    const { signal, job_id } = wait
    const row = waiterRow(signal, job_id, { change: id, by: (cells[0] as PlannedCell).before.ref })
    const subject = subjectKey(signal)
    if (subject === null) {
      const { table, pk } = waitersOf(signal)
      await this.#engine.service.write(table, pk, [{ verb: 'put', ...row }])
      return
    }
    const ref = refOf(subject)
    const looked = seen.find((cell) => sameRow(cell.ref, ref))
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const cell = known.get(ref.pk) ?? looked ?? (await this.#settling.settled(subject))
      const head = rewritten(cell, { hasWaiters: true })
      const write: RowWrite =
        cell.etag === null ? { verb: 'insert', ...head } : { verb: 'put', ...head, etag: cell.etag }
      const answer = await this.#engine.service.write(ref.table, ref.pk, [write, { verb: 'put', ...row }])
      if (answer.ok) {
        known.set(ref.pk, {
          ...cell,
          etag: answer.etags[0] as string,
          meta: { ...cell.meta, hasWaiters: true, recordEtag: cell.meta.recordEtag ?? cell.etag },
        })
        return
      }
      if (looked !== undefined) throw new Conflict('what it is to wait for has changed')
      known.delete(ref.pk)
    }
    throw new Conflict('what it is to wait for changes all the time')
  }

  /** Signals that concern somebody. */
  async signalsOf({ signals, cells }: Plan): Promise<Owed['signals']> {
    const owed = await Promise.all(
      signals.map(async (signal) => {
        const subject = subjectKey(signal)
        const changed =
          subject === null ? undefined : cells.find(({ before }) => sameRow(before.ref, refOf(subject)))
        const concerns = changed === undefined ? await this.#isAwaited(signal) : changed.meta.hasWaiters
        return concerns ? [{ ...signal, ...waitersOf(signal) }] : []
      }),
    )
    return owed.flat()
  }

  async #isAwaited(signal: Signal): Promise<boolean> {
    const subject = subjectKey(signal)
    if (subject !== null) return (await this.#cells.read(subject)).meta.hasWaiters
    const { table, pk } = waitersOf(signal)
    const { from: rkFrom, before: rkBefore } = WAITERS
    const { rows } = await this.#engine.service.query(table, { pk, rkFrom, rkBefore, limit: 1 })
    return rows.length > 0
  }
}
