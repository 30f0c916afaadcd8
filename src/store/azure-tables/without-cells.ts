// Changes that change no record: keys and places alone, as when a ledger is copied, and what is told of others.
import { Conflict } from '../tables/tables.ts'
import type { RowRef } from './azure-cell.ts'
import type { Engine } from './engine.ts'
import { key } from './keys.ts'
import { NOTHING_TOLD } from './lane.ts'
import { historyMarkerKey, signalKey } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import { owedBy, restsOn } from './owing.ts'
import type { Plan } from './plan.ts'
import type { Projections } from './projections.ts'
import { groupsOf, type Reservations, type SlotRows, type Wanted } from './reservations.ts'
import type { Settling } from './settling.ts'
import { INDEX } from './table-names.ts'
import type { Waiting } from './waiting-rows.ts'

export interface WithoutCellsParts {
  readonly lanes: Lanes
  readonly projections: Projections
  readonly reservations: Reservations
  readonly settling: Settling
  readonly waiting: Waiting
}

export class WithoutCells {
  readonly #engine: Engine
  readonly #parts: WithoutCellsParts

  constructor(engine: Engine, parts: WithoutCellsParts) {
    this.#engine = engine
    this.#parts = parts
  }

  async commit(plan: Plan, rowsOf: SlotRows): Promise<void> {
    const { claims, slots, others, signals } = plan
    const { takes, gives, handovers } = slots
    if ([claims, takes, gives, handovers].some(({ length }) => length > 0)) await this.#devices(plan, rowsOf)
    if (others.length > 0 || signals.length > 0) await this.#history(plan)
  }

  /** What is in one partition is written at once; else a row decides that is there for nothing else. */
  async #devices(plan: Plan, rowsOf: SlotRows): Promise<void> {
    const { reservations, projections, settling, lanes } = this.#parts
    const lane = await lanes.mine()
    const wanted = await reservations.wanted(plan, rowsOf)
    const { releases, handovers } = owedBy({ plan, lane, signals: [], rowsOf, reserved: [] })
    const isOne = groupsOf(wanted).length + releases.length + handovers.length <= 1
    if (isOne && wanted.length > 0) {
      await reservations.reserve(plan, wanted, null)
      return
    }
    const by = { table: INDEX, pk: key('change', plan.id), rk: 'change' }
    await settling.during(plan.id, this.#decide(plan, { by, lane: lane.number }, wanted))
    await projections.remove(releases)
    await Promise.all(handovers.map((handover) => projections.handOver(handover)))
    await projections.confirm(
      plan.id,
      wanted.map(({ ref }) => ref),
    )
    await projections.remove([{ ...by, etag: null }])
  }

  async #decide(
    plan: Plan,
    decider: { readonly by: RowRef; readonly lane: number },
    wanted: readonly Wanted[],
  ): Promise<void> {
    await this.#parts.reservations.reserve(plan, wanted, decider)
    const { by } = decider
    const columns = { _v: 1, _birth: plan.id }
    const { service } = this.#engine
    const answer = await service.write(by.table, by.pk, [{ verb: 'insert', rk: by.rk, columns }])
    if (answer.ok) return
    // Where an answer was lost the row that is there may be the first try's, or that of somebody who could not wait.
    const row = answer.unsure ? await service.get(by.table, by.pk, by.rk) : null
    if (row?.columns._birth !== plan.id) throw new Conflict('somebody could not wait for it')
  }

  /** The line itself is what decides; that it is put into `Events` as well is noted with it. */
  async #history(plan: Plan): Promise<void> {
    const { lanes, projections, waiting } = this.#parts
    const { id, others, about, owed } = plan
    const signals = await waiting.signalsOf(plan)
    const marker = historyMarkerKey(id)
    const { after, afterAt } = restsOn(about, null)
    this.#engine.time.sawLine(afterAt)
    await lanes.note({
      ...NOTHING_TOLD,
      change: id,
      entries: others,
      after,
      counts: owed.counts,
      adds: [
        ...(others.length === 0 ? [] : [{ rk: marker, columns: { change: id } }]),
        ...signals.map((signal, n) => ({ rk: signalKey(`${id}-${n}`), columns: { ...signal } })),
      ],
    })
    if (others.length === 0) return
    await Promise.all([projections.putEvents(others, id), projections.countRefusals(owed.refusals)])
    // With whatever is written next: nobody waits for it.
    void lanes.note({ ...NOTHING_TOLD, drops: [marker] }).catch(() => {})
  }
}
