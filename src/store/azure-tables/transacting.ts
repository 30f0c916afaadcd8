import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given } from '../../core/decision.ts'
import { toIso } from '../../core/time.ts'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import { heldPause } from '../../world/pause.ts'
import { changedAt } from '../query.ts'
import type { Outcome } from '../store.ts'
import { type Answer, decideAll } from '../tables/deciding.ts'
import { Missing } from '../tables/missing.ts'
import { Conflict } from '../tables/tables.ts'
import { Workspace } from '../tables/workspace.ts'
import type { AzureCell } from './azure-cell.ts'
import type { CommitOptions, Committing } from './committing.ts'
import type { Engine } from './engine.ts'
import type { Finished } from './finishing.ts'
import { KeyTurns } from './key-turns.ts'
import type { KnownQueues } from './known-queues.ts'
import { LastWrites } from './last-writes.ts'
import { lastPlace } from './line-columns.ts'
import { Loading, type LoadingParts } from './loading.ts'
import { monthKey, monthOf } from './months.ts'
import { type Plan, planOf } from './plan.ts'
import type { RememberedCells } from './remembered-cells.ts'
import { takesUnread } from './slot-plan.ts'
import type { WithoutCells } from './without-cells.ts'

/** Races that may be lost before callers are told; after a few there is a growing pause each time. */
const MOST_CONFLICTS = 200
const CONFLICTS_AT_ONCE = 2
const LONGEST_PAUSE_MS = 100

export interface TransactingParts extends LoadingParts {
  readonly committing: Committing
  readonly withoutCells: WithoutCells
  readonly memory: RememberedCells
  readonly queues: KnownQueues
  readonly onWritten: (plan: Plan) => void
}

interface How {
  /** What was read a moment ago. */
  readonly known: readonly AzureCell[]
  readonly isSwept: boolean
}

const NOT_SWEPT: How = { known: [], isSwept: false }

/** Loads, decides and writes; once more, when somebody else was faster. */
export class Transacting {
  readonly #engine: Engine
  readonly #parts: TransactingParts
  readonly #turns = new KeyTurns()
  readonly #writes = new LastWrites()
  /** The last place that was given out to records that are not changed. */
  #lastOther = 0

  constructor(parts: TransactingParts) {
    this.#engine = parts.engine
    this.#parts = parts
  }

  transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>): Promise<Outcome<A>> {
    return this.#turns.during(keys.map(nameOfKey), () => this.#untilWritten(keys, decide, NOT_SWEPT))
  }

  /** The same for a piece of work that was found, with what is known of it and of what bears on it. */
  decideOn<A>(
    key: RecordKey,
    decide: (given: Given) => Decision<A>,
    known: readonly AzureCell[],
  ): Promise<Outcome<A>> {
    return this.#turns.during([nameOfKey(key)], () =>
      this.#untilWritten([key], decide, { known, isSwept: true }),
    )
  }

  async #untilWritten<A>(
    keys: readonly RecordKey[],
    decide: (given: Given) => Decision<A>,
    how: How,
  ): Promise<Outcome<A>> {
    const { random, timers } = this.#engine
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
      try {
        return await this.#once(keys, decide, { ...how, isFirst: conflicts === 0 })
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
        const ms = Math.min(LONGEST_PAUSE_MS, 5 * conflicts)
        if (conflicts >= CONFLICTS_AT_ONCE) await heldPause(timers, 1 + random.next() * ms)
      }
    }
    throw new LedgerBusy(
      'The ledger',
      `${MOST_CONFLICTS} times in a row what was read had changed before it was written`,
    )
  }

  async #once<A>(
    keys: readonly RecordKey[],
    decide: (given: Given) => Decision<A>,
    { known, isSwept, isFirst }: How & { readonly isFirst: boolean },
  ): Promise<Outcome<A>> {
    const { memory } = this.#parts
    const { time, ids } = this.#engine
    const loading = new Loading(this.#parts)
    const remembered = isFirst ? memory : null
    const space = new Workspace({ now: time.now(), ids, remembered, assumesRoom: isFirst })
    if (isFirst) for (const cell of known) space.assumeCell(cell)
    for (const key of keys) if (key.isFresh === true) space.assumeAbsent(key)
    const missing = new Missing()
    missing.addKeys(keys.filter((key) => space.cellOf(key) === undefined))
    if (!missing.isEmpty) space.know(await loading.load(missing), missing)
    const [answer] = await decideAll(space, [{ decide }], (wanted) => loading.load(wanted))
    if ('error' in (answer as Answer)) throw (answer as { error: unknown }).error
    const { outcome } = answer as { outcome: Outcome<A> }
    await this.#write(space, { rowsOf: loading.rowsOf, isSwept })
    return outcome
  }

  async #write(space: Workspace, options: CommitOptions): Promise<void> {
    const { memory, committing, withoutCells, onWritten } = this.#parts
    const month = monthOf(toIso(space.now))
    const plan = planOf({
      space,
      id: this.#engine.ids.next(),
      jobsPk: (tenant_id) => monthKey(tenant_id, month),
      lastOther: this.#lastOther,
    })
    if (plan === null) return
    if (takesUnread(space, plan)) throw new Conflict('whether there is room for it has to be read')
    const last = plan.others.at(-1)
    if (last !== undefined) this.#lastOther = lastPlace(last)
    const looked = [...plan.cells.map(({ before }) => before), ...plan.seen]
    try {
      const writing = this.#writes.whileWritten(looked)
      if (writing !== null || looked.some((cell) => this.#writes.isOld(cell))) {
        await writing
        throw new Conflict('what it was decided on is just being changed here')
      }
      if (plan.cells.some(({ before }) => isLater(before, plan.at)))
        throw new Conflict('it was changed later than this was begun')
      if (plan.cells.length === 0) await withoutCells.commit(plan, options.rowsOf)
      else this.#remember(await this.#writes.during(plan.cells, committing.commit(plan, options)))
    } catch (error) {
      for (const { before } of plan.cells) memory.forget(before)
      for (const cell of plan.seen) memory.forget(cell)
      throw error
    }
    space.freeze()
    onWritten(plan)
  }

  #remember({ by, others }: Finished): void {
    for (const cell of [by, ...others]) {
      this.#parts.memory.wrote(cell)
      if (cell.key.kind === 'queue') this.#parts.queues.forget(cell.key.id)
    }
  }
}

/** Whether it was changed after this time: by somebody else, while it was read. */
function isLater({ aggregate }: AzureCell, at: number): boolean {
  return aggregate !== null && changedAt('kind' in aggregate ? aggregate : aggregate.job) > at
}
