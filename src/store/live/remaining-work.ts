import type { RecordKey } from '../../core/aggregate.ts'
import type { ReadyHead } from '../../core/pick.ts'
import {
  beginningWith,
  type DueEntry,
  type ReadyEntry,
  type SortedList,
  type StoredWork,
  type WaitingEntry,
} from './stored-work.ts'

/** Whether a job is in memory: what is stored of it does not count any more, and never will again. */
export type IsTaken = (tenant_id: string, job_id: string) => boolean

/** Something with its place in an order, ties by name. */
export interface Ordered<T> {
  readonly order: number
  readonly tie: string
  readonly value: T
}

/** The part of the stored work that nobody has taken into memory. */
export class RemainingWork {
  readonly #isTaken: IsTaken
  readonly #due: Remaining<DueEntry>
  readonly #queues = new Map<string, Map<string, Remaining<ReadyEntry>>>()
  readonly #waiting: SortedList<WaitingEntry>

  constructor(stored: StoredWork, isTaken: IsTaken) {
    this.#isTaken = isTaken
    this.#waiting = stored.waiting
    this.#due = new Remaining(stored.due, 0, stored.due.length, ([, tenant_id, id]) => isTaken(tenant_id, id))
    let from = 0
    for (const [queue, tenant_id, group, entries] of stored.groups) {
      const isGone = (entry: ReadyEntry) => isTaken(tenant_id, entry[4])
      const remaining = new Remaining(stored.ready, from, from + entries, isGone)
      from += entries
      let groups = this.#queues.get(queue)
      if (groups === undefined) {
        groups = new Map()
        this.#queues.set(queue, groups)
      }
      groups.set(groupName(tenant_id, group), remaining)
    }
  }

  nextDue(): number | null {
    for (const [at] of this.#due.entries()) return at
    return null
  }

  due(now: number, limit: number, skips?: (key: RecordKey) => boolean): readonly Ordered<RecordKey>[] {
    const found: Ordered<RecordKey>[] = []
    if (limit <= 0) return found
    for (const [at, tenant_id, id] of this.#due.entries()) {
      if (at > now) break
      const key = { kind: 'job', tenant_id, id } as const
      if (skips?.(key) === true) continue
      found.push({ order: at, tie: id, value: key })
      if (found.length === limit) break
    }
    return found
  }

  /** The names of the groups of a queue that have something left, as far as that is known. */
  groups(queue: string): Iterable<string> {
    return this.#queues.get(queue)?.keys() ?? []
  }

  heads(
    queue: string,
    name: string,
    limit: number,
    skips?: (key: RecordKey) => boolean,
  ): readonly Ordered<ReadyHead>[] {
    const found: Ordered<ReadyHead>[] = []
    const groups = this.#queues.get(queue)
    const remaining = groups?.get(name)
    if (remaining === undefined || limit <= 0) return found
    for (const [, tenant_id, group, rank, id, limits, unlimited] of remaining.entries()) {
      const key = { kind: 'job', tenant_id, id } as const
      if (skips?.(key) === true) continue
      const ready = { queue, group, rank, limits, ...(unlimited === true ? { unlimited } : null) }
      found.push({ order: rank, tie: id, value: { key, ready } })
      if (found.length === limit) break
    }
    // A group of which all has been taken is not looked at again.
    if (remaining.isEmpty) groups?.delete(name)
    return found
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  *waiting(tenant_id: string, topic: string): Generator<RecordKey> {
    for (const [, , id] of beginningWith(this.#waiting, [tenant_id, topic])) {
      if (!this.#isTaken(tenant_id, id)) yield { kind: 'job', tenant_id, id }
    }
  }
}

export function groupName(tenant_id: string, group: string): string {
  return `${tenant_id}\n${group}`
}

export function tenantOfGroup(name: string): string {
  return name.slice(0, name.indexOf('\n'))
}

/** A stretch of a list without the entries that are gone. Gone is for ever, so they are passed over once. */
class Remaining<T> {
  readonly #list: SortedList<T>
  readonly #isGone: (entry: T) => boolean
  readonly #end: number
  #next: number
  /** Those before the next one that were there when somebody last looked. */
  #seen: T[] = []

  constructor(list: SortedList<T>, from: number, end: number, isGone: (entry: T) => boolean) {
    this.#list = list
    this.#next = from
    this.#end = end
    this.#isGone = isGone
  }

  get isEmpty(): boolean {
    return this.#next === this.#end && this.#seen.length === 0
  }

  /** Look at no more of them than needed. */
  *entries(): Generator<T> {
    const seen = this.#seen.filter((entry) => !this.#isGone(entry))
    this.#seen = seen
    const before = seen.length
    for (let i = 0; i < before; i++) yield seen[i] as T
    while (this.#next < this.#end) {
      const entry = this.#list.at(this.#next++)
      if (this.#isGone(entry)) continue
      seen.push(entry)
      yield entry
    }
  }
}
