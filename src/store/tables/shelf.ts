import type { JobAggregate, RecordKey } from '../../core/aggregate.ts'
import type { Ready } from '../../core/job/record.ts'
import type { ReadyHead } from '../../core/pick.ts'
import { TwoKeys } from '../live/two-keys.ts'
import { type ReadyWanted, WorkIndex, WorkPlace } from '../live/work-index.ts'
import type { Cell } from './cell.ts'
import { workOf } from './glance.ts'
import type { ReadySelect } from './tables.ts'
import type { Workspace } from './workspace.ts'

/** More than these are not kept in mind: then the database is asked what comes first. */
const MOST_HEADS = 50_000

/** After so long it is asked all the same: somebody may have let go of work without a word. */
const LOOK_AGAIN_MS = 5000
/** While this process takes work all the time, a look would only be in its way. */
const LOOK_WHILE_BUSY_MS = 30_000

/** A look at the database that is under way: what this process writes meanwhile may be in its answer, or not. */
export interface Looking {
  readonly tick: number
  readonly round: number
}

interface Standing {
  readonly place: WorkPlace
  readonly queue: string
  /** When it was put there. */
  readonly tick: number
}

/**
 * What is ready, where this process knows all of it: a look found all there was, and since then nobody else has written. Then
 * work need not be looked for before it is taken. What is known may be old for a moment all the same: whoever takes it says
 * which version of the job that rests on, as with everything that is remembered.
 */
export class Shelf {
  #index = new WorkIndex()
  #standing = new TwoKeys<Standing>()
  #size = 0
  /** How many there are of each queue. */
  readonly #counts = new Map<string, number>()
  /** Queues of which everything is known; all of them in a ledger that had nothing in it. */
  readonly #known = new Set<string>()
  #knowsAll: boolean
  #lookedAt: number
  #tick = 0
  #round = 0

  constructor(isEmpty: boolean, now: number) {
    this.#knowsAll = isEmpty
    this.#lookedAt = now
  }

  begin(): Looking {
    return { tick: this.#tick, round: this.#round }
  }

  /**
   * What is left of what was taken for a moment, and is ready for whoever comes next. A look is not shown what another one
   * has taken just then, so that one has to say so, whatever else is known by now.
   */
  giveBack(left: readonly ReadyHead[]): void {
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
      if (asked.has(one.queue) && one.tick <= tick) this.#drop(one)
    }
    for (const queue of asked) this.#known.add(queue)
  }

  /** Somebody else may have written, or nobody knows what was. */
  forget(): void {
    this.#round++
    this.#knowsAll = false
    this.#known.clear()
    this.#standing = new TwoKeys()
    this.#size = 0
    this.#counts.clear()
    this.#index = new WorkIndex()
  }

  knows(queues: readonly string[]): boolean {
    return this.#knowsAll || queues.every((queue) => this.#known.has(queue))
  }

  /** Whether it is time to look all the same. Whoever is told so does. */
  isTimeToLook(now: number, isBusy: boolean): boolean {
    if (now - this.#lookedAt < (isBusy ? LOOK_WHILE_BUSY_MS : LOOK_AGAIN_MS)) return false
    this.#lookedAt = now
    return true
  }

  hasAny(queues: readonly string[]): boolean {
    return queues.some((queue) => (this.#counts.get(queue) ?? 0) > 0)
  }

  has(key: RecordKey): boolean {
    return this.#standing.get(key.tenant_id, key.id) !== undefined
  }

  heads(wanted: ReadyWanted): readonly ReadyHead[] {
    return this.#index.heads(wanted)
  }

  /** Somebody is about to take it. */
  take(key: RecordKey): void {
    const one = this.#standing.get(key.tenant_id, key.id)
    if (one !== undefined) this.#drop(one)
  }

  /** What was decided there is durable. */
  wrote(space: Workspace): void {
    this.#tick++
    space.forEachCell((cell) => {
      if (!cell.isChanged || cell.stored.key.kind !== 'job') return
      this.take(cell.stored.key)
      const head = headOf(cell)
      if (head !== null) this.#put(head)
    })
    if (this.#size > MOST_HEADS) this.forget()
  }

  #put({ key, ready }: ReadyHead): void {
    const place = new WorkPlace(key.tenant_id, key.id)
    this.#index.move(place, { ready, due_at: null, waits_for: NOTHING })
    this.#standing.set(key.tenant_id, key.id, { place, queue: ready.queue, tick: this.#tick })
    this.#size++
    this.#counts.set(ready.queue, (this.#counts.get(ready.queue) ?? 0) + 1)
  }

  #drop({ place, queue }: Standing): void {
    const count = (this.#counts.get(queue) as number) - 1
    if (count > 0) this.#counts.set(queue, count)
    else this.#counts.delete(queue)
    this.#index.move(place, { ready: null, due_at: null, waits_for: NOTHING })
    this.#standing.delete(place.tenant_id, place.id)
    this.#size--
  }
}

const NOTHING: readonly string[] = Object.freeze([])

/** A job by what was decided, as it is shown to whoever takes work; null when it is not ready. */
export function headOf({ now, stored }: Cell): ReadyHead | null {
  const ready = readyOf(now)
  return ready === null ? null : { key: stored.key as RecordKey<'job'>, ready }
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
