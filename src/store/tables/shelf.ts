import type { JobAggregate, RecordKey } from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import type { Ready } from '../../core/job/record.ts'
import type { ReadyHead } from '../../core/pick.ts'
import { TwoKeys } from '../live/two-keys.ts'
import { type ReadyWanted, WorkIndex, WorkPlace } from '../live/work-index.ts'
import type { Cell } from './cell.ts'
import { workOf } from './glance.ts'
import { type Horizon, Horizons } from './horizons.ts'
import { headOfWaiting, type Waiting } from './read-births.ts'
import type { ReadyKey, ReadySelect, WriteSet } from './tables.ts'
import type { Workspace } from './workspace.ts'

/** After so long it is asked all the same: somebody may have let go of work without a word. */
const LOOK_AGAIN_MS = 5000
/** While this process takes work all the time, a look would only be in its way. */
const LOOK_WHILE_BUSY_MS = 30_000
/** And while it reads whatever others write, all that is missing is work that somebody held and let go of. */
const LOOK_WHILE_SURE_MS = 300_000

/** When there are more queues than this, those that are empty are forgotten. */
const MOST_QUEUES = 1000

/** A look at the database that is under way: what this process writes meanwhile may be in its answer, or not. */
export interface Looking {
  readonly tick: number
  readonly round: number
}

/** How many there are of a queue. */
interface Count {
  n: number
}

/** A job that stands on the shelf. Whoever is shown it gets this as its key, and finds it again without looking. */
class Standing extends WorkPlace {
  readonly count: Count
  /** When it was put there, and since what was forgotten last. */
  readonly tick: number
  readonly round: number
  /** As it was read or made, so that it need not be read by whoever takes it; null when that is not known here. */
  waiting: Waiting | null
  isThere = true

  constructor({ key, waiting }: Waits, parts: Pick<Standing, 'count' | 'tick' | 'round'>) {
    super(key.tenant_id, key.id)
    this.waiting = waiting
    this.count = parts.count
    this.tick = parts.tick
    this.round = parts.round
  }

  override get key(): RecordKey<'job'> {
    return this
  }
}

/** Ready work, and the job as far as it is known. */
export interface Waits extends ReadyHead {
  readonly waiting: Waiting | null
}

/**
 * What is ready, where this process knows all of it, or all that comes first: a look has shown that, and since then nobody else has
 * written. Then work need not be looked for before it is taken. What is known may be old for a moment all the same: whoever takes it
 * says which version of the job that rests on, as with everything that is remembered.
 *
 * Of a group of which there is too much the shelf has what comes before a horizon, and what comes behind it is read when it is
 * its turn (ahead.ts).
 */
export class Shelf {
  #index = new WorkIndex()
  #standing = new TwoKeys<Standing>()
  #size = 0
  readonly #most: number
  readonly #counts = new Map<string, Count>()
  /** Queues of which everything is known; all of them in a ledger that had nothing in it. */
  readonly #known = new Set<string>()
  #knowsAll: boolean
  #lookedAt: number
  #tick = 0
  #round = 0
  /** Looks that are under way, and the jobs that something became of meanwhile, with when it did. */
  #looks = 0
  #touched = new TwoKeys<number>()
  readonly #horizons = new Horizons()

  /** @param most more than so many are not kept in mind: what comes behind them is read when it is its turn */
  constructor(isEmpty: boolean, now: number, most = Number.POSITIVE_INFINITY) {
    this.#most = most
    this.#knowsAll = isEmpty
    this.#lookedAt = now
  }

  /** Whoever begins to look says when that is over. */
  begin(): Looking {
    this.#looks++
    return { tick: this.#tick, round: this.#round }
  }

  end(): void {
    this.#looks--
    if (this.#looks === 0) this.#touched = new TwoKeys()
  }

  /**
   * What is left of what was taken for a moment, and is ready for whoever comes next. A look is not shown what another one
   * has taken just then, so that one has to say so, whatever else is known by now.
   */
  giveBack(left: readonly Waits[]): void {
    this.#tick++
    for (const head of left) {
      this.take(head.key)
      this.#put(head)
    }
  }

  /** There was nothing in these queues but what it has shown. */
  sawAll({ tick, round }: Looking, queues: readonly string[]): void {
    if (round !== this.#round) return
    const asked = new Set(queues)
    for (const one of [...this.#standing.values()]) {
      if (asked.has(one.ready?.ready.queue ?? '') && one.tick <= tick) this.#drop(one)
    }
    for (const queue of asked) {
      this.#known.add(queue)
      this.#horizons.deleteOf(queue)
    }
  }

  /** These are the first of each group of the queues; of some groups there is more behind the places given. Nobody holds them. */
  sawFirst(
    looking: Looking,
    queues: readonly string[],
    heads: readonly Waits[],
    ends: readonly ReadyKey[],
  ): void {
    if (looking.round !== this.#round) return
    this.sawAll(looking, queues)
    for (const end of ends) this.#horizons.add(end)
    this.#putUntouched(looking, heads)
  }

  /** These come next in a group, up to a place; null where there is nothing behind them. */
  sawMore(looking: Looking, horizon: Horizon, heads: readonly Waits[], end: ReadyKey | null): void {
    if (looking.round !== this.#round || this.#horizons.of(horizon) !== horizon) return
    const all = end === null ? horizon.end() : null
    if (all !== null) this.#horizons.delete(horizon)
    const came = all ?? horizon.reach(end ?? { ...horizon.place, ...placeOfLast(heads) })
    this.#putUntouched(looking, heads)
    this.#putUntouched(looking, came)
  }

  /** Of some group less is known than whoever takes work wants to see, and there is more. */
  isShort(wanted: ReadyWanted): boolean {
    return this.#horizons.isAny && this.shortOf(wanted, this.seen(wanted)).length > 0
  }

  /** How much of a group such a one wants to see at most. */
  seen({ queues, tenants, perGroup, most = Number.POSITIVE_INFINITY }: ReadyWanted): number {
    let groups = 0
    for (const _ of this.#horizons.some(queues, tenants)) groups++
    return Math.min(perGroup, Math.max(1, Math.ceil(most / Math.max(1, groups))))
  }

  /** Groups of which less than so much is known, and there is more. */
  shortOf({ queues, tenants }: Pick<ReadyWanted, 'queues' | 'tenants'>, few: number): readonly Horizon[] {
    if (!this.#horizons.isAny) return NO_HORIZONS
    const isShort = (one: Horizon) => this.#index.countReady(one.queue, one.tenant_id, one.group) < few
    return [...this.#horizons.some(queues, tenants)].filter(isShort)
  }

  /** Somebody else may have written, or nobody knows what was. */
  forget(): void {
    this.#round++
    this.#knowsAll = false
    this.#known.clear()
    this.#standing = new TwoKeys()
    this.#size = 0
    this.#counts.clear()
    this.#horizons.clear()
    this.#index = new WorkIndex()
  }

  /** Somebody may have changed what stands there. */
  forgetJobs(): void {
    this.#standing.forEach((one) => {
      one.waiting = null
    })
  }

  knows(queues: readonly string[]): boolean {
    return this.#knowsAll || queues.every((queue) => this.#known.has(queue))
  }

  /** Whether it is time to look all the same. Whoever is told so does. */
  isTimeToLook(now: number, isBusy: boolean | 'sure'): boolean {
    const ms = isBusy === 'sure' ? LOOK_WHILE_SURE_MS : isBusy ? LOOK_WHILE_BUSY_MS : LOOK_AGAIN_MS
    if (now - this.#lookedAt < ms) return false
    this.#lookedAt = now
    return true
  }

  hasAny(queues: readonly string[]): boolean {
    return queues.some((queue) => (this.#counts.get(queue)?.n ?? 0) > 0)
  }

  /** Nothing more is kept in mind. */
  get isFull(): boolean {
    return this.#size >= this.#most
  }

  has(key: RecordKey): boolean {
    return this.#standingOf(key) !== undefined
  }

  /** The job as it stands there. */
  waitingOf(tenant_id: string, id: string): Waiting | null {
    return this.#standing.get(tenant_id, id)?.waiting ?? null
  }

  heads(wanted: ReadyWanted): readonly ReadyHead[] {
    return this.#index.heads(wanted)
  }

  /** Somebody is about to take it. Answers the job, as far as it is known here. */
  take(key: RecordKey): Waiting | null {
    const one = this.#standingOf(key)
    if (one === undefined) return null
    this.#drop(one)
    return one.waiting
  }

  #standingOf(key: RecordKey): Standing | undefined {
    if (key instanceof Standing && key.isThere && key.round === this.#round) return key
    return this.#standing.get(key.tenant_id, key.id)
  }

  /** What was decided there is durable. */
  wrote(space: Workspace): void {
    this.#tick++
    if (!this.#isOfUse) return
    for (const birth of space.bornAlone()) {
      const { tenant_id, job_id: id, ready } = birth
      this.#putNew({ key: { kind: 'job', tenant_id, id }, ready, waiting: birth })
    }
    space.forEachCell((cell) => {
      const { key } = cell.stored
      if (!cell.isChanged || key.kind !== 'job') return
      this.#touch(key)
      this.take(key)
      const head = headOf(cell)
      if (head !== null) this.#putNew({ ...head, waiting: waitingIn(cell) })
    })
  }

  /** Others have written it. What was there before and is ready again has to be looked up. */
  othersWrote({ ready: { adds, drops }, jobs }: WriteSet, born: readonly Waiting[]): void {
    this.#tick++
    for (const { tenant_id, job_id } of jobs) {
      const one = this.#standing.get(tenant_id, job_id)
      if (one !== undefined) one.waiting = null
    }
    for (const { tenant_id, job_id: id } of drops) {
      const key = { kind: 'job', tenant_id, id } as const
      this.#touch(key)
      this.take(key)
    }
    const names = new Set<string>()
    for (const waiting of born) {
      const head = headOfWaiting(waiting)
      if (head === null) continue
      names.add(waiting.job_id)
      this.#putNew({ ...head, waiting })
    }
    for (const { queue, job_id } of adds) {
      if (!names.has(job_id)) this.#forgetQueue(queue)
    }
  }

  /** There is more than is known of here. */
  #forgetQueue(queue: string): void {
    this.#knowsAll = false
    this.#known.delete(queue)
    this.#horizons.deleteOf(queue)
  }

  /** Something is known, or is about to be. */
  get #isOfUse(): boolean {
    return this.#knowsAll || this.#known.size + this.#looks > 0
  }

  /** Something became of it that a look which is under way may not have seen. */
  #touch({ tenant_id, id }: RecordKey): void {
    if (this.#looks > 0) this.#touched.set(tenant_id, id, this.#tick)
  }

  #putUntouched({ tick }: Looking, heads: readonly Waits[]): void {
    this.#tick++
    for (const head of heads) {
      const { tenant_id, id } = head.key
      if ((this.#touched.get(tenant_id, id) ?? 0) > tick) continue
      this.take(head.key)
      this.#put(head)
    }
  }

  /** The same of what just became ready: where there is too much, nothing more is known of its group from there on. */
  #putNew(head: Waits): void {
    if (this.isFull) this.#endBefore(head)
    this.#put(head)
  }

  #endBefore({ key: { tenant_id, id }, ready: { queue, group, rank } }: ReadyHead): void {
    if (this.#horizons.of({ queue, tenant_id, group }) !== undefined) return
    const last = this.#index.lastReady(queue, tenant_id, group)
    const isLater =
      last !== null && (last.ready.rank < rank || (last.ready.rank === rank && last.key.id < id))
    if (isLater) this.#horizons.add({ queue, tenant_id, group, rank: last.ready.rank, job_id: last.key.id })
  }

  #put(head: Waits): void {
    if (this.#isBehind(head)) return
    const { key, ready } = head
    const count = this.#countOf(ready.queue)
    const one = new Standing(head, { count, tick: this.#tick, round: this.#round })
    this.#index.move(one, { ready, due_at: null, waits_for: NOTHING })
    this.#standing.set(key.tenant_id, key.id, one)
    this.#size++
    one.count.n++
  }

  /** Behind what is known of its group: it is read when it is its turn. */
  #isBehind(head: Waits): boolean {
    if (!this.#horizons.isAny) return false
    const horizon = this.#horizons.of({ ...head.ready, tenant_id: head.key.tenant_id })
    if (horizon === undefined || horizon.has(head)) return false
    horizon.hide(head)
    return true
  }

  #drop(one: Standing): void {
    one.isThere = false
    one.count.n--
    this.#index.move(one, NOWHERE)
    this.#standing.delete(one.tenant_id, one.id)
    this.#size--
  }

  /** There are few queues, and one that is empty is kept. */
  #countOf(queue: string): Count {
    let count = this.#counts.get(queue)
    if (count === undefined) {
      if (this.#counts.size >= MOST_QUEUES) this.#forgetEmpty()
      count = { n: 0 }
      this.#counts.set(queue, count)
    }
    return count
  }

  #forgetEmpty(): void {
    for (const [queue, { n }] of this.#counts) if (n === 0) this.#counts.delete(queue)
  }
}

const NOTHING: readonly string[] = Object.freeze([])
const NO_HORIZONS: readonly Horizon[] = Object.freeze([])
const NOWHERE = { ready: null, due_at: null, waits_for: NOTHING }

function placeOfLast(heads: readonly ReadyHead[]): Pick<ReadyKey, 'rank' | 'job_id'> | null {
  const last = heads.at(-1)
  return last === undefined ? null : { rank: last.ready.rank, job_id: last.key.id }
}

/** A job by what was decided, as it is shown to whoever takes work; null when it is not ready. */
export function headOf({ now, stored }: Cell): ReadyHead | null {
  const ready = readyOf(now)
  return ready === null ? null : { key: stored.key as RecordKey<'job'>, ready }
}

/** A new job by what was decided, where it is known as what is its own or as its row. */
export function waitingIn({ now, row }: Cell): Waiting | null {
  return now instanceof Birth ? now : row
}

/** It becomes ready by what was decided, and was not before. */
export function becomesReady({ now, stored, isChanged }: Cell): boolean {
  const isJob = isChanged && stored.key.kind === 'job'
  return isJob && readyOf(stored.aggregate) === null && readyOf(now) !== null
}

function readyOf(job: Cell['now']): Ready | null {
  return job === null ? null : workOf(job as JobAggregate).ready
}

/** Whether a look at the database, which shows so many of each group and no more, has shown everything. */
export function isAll({ perGroup, most, tenants }: ReadySelect, heads: readonly ReadyHead[]): boolean {
  if (tenants !== undefined) return false
  const groups = new Map<string, number>()
  for (const { key, ready } of heads) {
    const name = JSON.stringify([ready.queue, key.tenant_id, ready.group])
    groups.set(name, (groups.get(name) ?? 0) + 1)
  }
  const share = most === undefined ? perGroup : Math.floor(most / Math.max(groups.size, 1))
  const each = Math.max(1, Math.min(perGroup, share))
  return groups.values().every((count) => count < each)
}
