import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { ClaimKey, Decision, Given } from '../../core/decision.ts'
import { toIso } from '../../core/time.ts'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import { heldPause } from '../../world/pause.ts'
import { changedAt } from '../query.ts'
import type { Outcome } from '../store.ts'
import { type Answer, decideAll } from '../tables/deciding.ts'
import { claimName, Missing } from '../tables/missing.ts'
import { Conflict, type Loaded, NOTHING_WANTED, type Wanted } from '../tables/tables.ts'
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
import { NobodysKeys } from './nobodys-keys.ts'
import { type Plan, planOf, restsOnMemory } from './plan.ts'
import type { RememberedCells } from './remembered-cells.ts'
import { takesUnread } from './slot-plan.ts'
import type { WithoutCells } from './without-cells.ts'

/** Races that may be lost before callers are told; after a few there is a growing pause each time. */
const MOST_CONFLICTS = 200
const CONFLICTS_AT_ONCE = 2
const LONGEST_PAUSE_MS = 100
/** A decision that fails is made so often again, in case that it was shown something that never was. */
const MOST_DOUBTS = 3

export interface TransactingParts extends LoadingParts {
  readonly committing: Committing
  readonly withoutCells: WithoutCells
  readonly memory: RememberedCells
  readonly queues: KnownQueues
  readonly onWritten: OnWritten
}

/** Is told of every change that is written. */
export type OnWritten = (plan: Plan) => void

interface How {
  /** What was read a moment ago. */
  readonly known: readonly AzureCell[]
  readonly isSwept: boolean
}

const NOT_SWEPT: How = { known: [], isSwept: false }

type WriteOptions = CommitOptions & Pick<How, 'known'>

interface Attempt extends How {
  /** How many were in vain. */
  readonly conflicts: number
  readonly learned: Learned
}

/** What attempts in vain have shown. */
interface Learned {
  /** Keys that bear on it, and are somebody's. */
  readonly claims: Map<string, ClaimKey>
  /** All that were asked for. */
  readonly asked: Map<string, ClaimKey>
  /** When what it changes was changed last: nothing is changed before that. */
  notBefore: number
}

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
    const learned: Learned = { claims: new Map(), asked: new Map(), notBefore: 0 }
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
      try {
        return await this.#once(keys, decide, { ...how, conflicts, learned })
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
    attempt: Attempt,
  ): Promise<Outcome<A>> {
    const { known, isSwept, conflicts, learned } = attempt
    const isFirst = conflicts === 0
    const { time, ids } = this.#engine
    const now = Math.max(time.now(), learned.notBefore)
    const loading = new Loading(this.#parts, now)
    const remembered = isFirst ? this.#parts.memory : null
    const space = new Workspace({ now, ids, remembered, assumesRoom: isFirst })
    if (isFirst) for (const cell of known) space.assumeCell(cell)
    const nobodys = new NobodysKeys()
    const load = async (wanted: Wanted) => {
      const loaded = await this.#load(wanted, loading, attempt)
      nobodys.saw(wanted, loaded)
      return loaded
    }
    for (const missing of [claimsOf(learned), keysOf(keys, space)]) {
      if (!missing.isEmpty) space.know(await load(missing), missing)
    }
    const [answer] = (await decideAll(space, [{ decide, keys }], load)) as [Answer]
    if ('error' in answer) {
      // What was read piece by piece may not fit together.
      if (loading.reads > 1 && conflicts < MOST_DOUBTS)
        throw new Conflict('what was read may not be of one moment')
      throw answer.error
    }
    if (!answer.outcome.ok) await this.#mustBeNobodys(nobodys.doubtful, loading, learned)
    await this.#write(space, { rowsOf: loading.rowsOf, isSwept, known }, learned)
    return answer.outcome as Outcome<A>
  }

  /** Who owns a key is asked before anything else that was changed with it is read: else that would be from before. */
  async #load(wanted: Wanted, loading: Loading, { conflicts, learned }: Attempt): Promise<Loaded> {
    const { claims, asked } = learned
    for (const claim of wanted.claims) asked.set(claimName(claim), claim)
    const isLate = loading.reads > 0 || conflicts === 0
    const loaded = await loading.load(wanted)
    const late = loaded.claims.filter((claim) => !claims.has(claimName(claim)))
    for (const claim of late) claims.set(claimName(claim), claim)
    if (isLate && late.length > 0) throw new Conflict('a key was taken while the rest was read')
    return loaded
  }

  /** Nobody is refused for what was made with their own key while it was asked for. */
  async #mustBeNobodys(keys: readonly ClaimKey[], loading: Loading, { claims }: Learned): Promise<void> {
    if (keys.length === 0) return
    const taken = (await loading.load({ ...NOTHING_WANTED, claims: keys })).claims
    for (const claim of taken) claims.set(claimName(claim), claim)
    if (taken.length > 0) throw new Conflict('a key was taken while the rest was read')
  }

  async #write(space: Workspace, { known, ...options }: WriteOptions, learned: Learned): Promise<void> {
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
    learned.notBefore = Math.max(...plan.cells.map(({ before }) => lastChanged(before)), 0)
    const looked = [...plan.cells.map(({ before }) => before), ...plan.seen]
    try {
      const writing = this.#writes.whileWritten(looked)
      if (writing !== null || looked.some((cell) => this.#writes.isOld(cell))) {
        await writing
        throw new Conflict('what it was decided on is just being changed here')
      }
      if (restsOnMemory(space, plan, known))
        throw new Conflict('what is only remembered, and is not written, has to be read')
      if (learned.notBefore > plan.at) throw new Conflict('it was changed later than this was begun')
      if (plan.cells.length === 0) await withoutCells.commit(plan, options.rowsOf)
      else this.#remember(plan, await this.#writes.during(plan.cells, committing.commit(plan, options)))
    } catch (error) {
      for (const claim of plan.claims) learned.claims.set(claimName(claim), claim)
      for (const { before } of plan.cells) memory.forget(before)
      for (const cell of plan.seen) memory.forget(cell)
      throw error
    }
    space.freeze()
    onWritten(plan)
  }

  #remember({ cells }: Plan, { by, others }: Finished): void {
    const { memory, queues } = this.#parts
    for (const { before } of cells) {
      memory.forget(before)
      if (before.key.kind === 'queue') queues.forget(before.key.id)
    }
    for (const cell of [by, ...others]) memory.wrote(cell)
  }
}

/** By somebody else while it was read, or by whose clock is ahead of this one. */
function lastChanged({ aggregate }: AzureCell): number {
  if (aggregate === null) return 0
  if ('kind' in aggregate) return changedAt(aggregate)
  // A heartbeat changes a step alone.
  const { job, steps, outbox } = aggregate
  return Math.max(...[job, ...steps, ...outbox].map(changedAt))
}

function claimsOf({ claims, asked }: Learned): Missing {
  const missing = new Missing()
  missing.addClaims(new Map([...asked, ...claims]).values())
  return missing
}

/** What callers said that it is about. */
function keysOf(keys: readonly RecordKey[], space: Workspace): Missing {
  const missing = new Missing()
  missing.addKeys(keys.filter((key) => !space.isFresh(key) && space.cellOf(key) === undefined))
  return missing
}
