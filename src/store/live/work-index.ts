import type { RecordKey } from '../../core/aggregate.ts'
import type { Ready } from '../../core/job/record.ts'
import type { ReadyHead } from '../../core/pick.ts'
import { fromIso } from '../../core/time.ts'
import { Heap, type HeapEntry } from './heap.ts'
import { groupName, type IsTaken, type Ordered, RemainingWork, tenantOfGroup } from './remaining-work.ts'
import type { StoredWork } from './stored-work.ts'

/** Where one job stands in the index; kept with the job, so that moving it needs no look-up. */
export class WorkPlace implements RecordKey<'job'> {
  readonly tenant_id: string
  readonly id: string
  due: DueEntry | null = null
  ready: ReadyEntry | null = null
  /** Where it is ready by what was decided, though that is not durable yet. */
  soon: ReadyEntry | null = null
  waits_for: readonly string[] = NOTHING

  constructor(tenant_id: string, id: string) {
    this.tenant_id = tenant_id
    this.id = id
  }

  get kind(): 'job' {
    return 'job'
  }

  get isNowhere(): boolean {
    return this.due === null && this.ready === null && this.waits_for.length === 0
  }

  /** For others: they are not to hold on to the job. */
  get key(): RecordKey<'job'> {
    return { kind: 'job', tenant_id: this.tenant_id, id: this.id }
  }
}

class DueEntry implements HeapEntry {
  readonly order: number
  readonly place: WorkPlace
  alive = true

  constructor(order: number, place: WorkPlace) {
    this.order = order
    this.place = place
  }

  get tie(): string {
    return this.place.id
  }

  get value(): RecordKey {
    return this.place.key
  }
}

class ReadyEntry implements HeapEntry {
  readonly group: ReadyGroup
  readonly place: WorkPlace
  readonly ready: Ready
  alive = true

  constructor(group: ReadyGroup, place: WorkPlace, ready: Ready) {
    this.group = group
    this.place = place
    this.ready = ready
  }

  get order(): number {
    return this.ready.rank
  }

  get tie(): string {
    return this.place.id
  }

  get value(): ReadyHead {
    return { key: this.place.key, ready: this.ready }
  }
}

export interface Work {
  readonly due_at: string | null
  readonly ready: Ready | null
  readonly waits_for: readonly string[]
}

/** Ready work of one group; apart from it what somebody has taken, though that is not durable yet. */
class ReadyGroup {
  readonly queue: string
  readonly tenant_id: string
  readonly group: string
  readonly free = new Heap<ReadyEntry>()
  readonly taken = new Set<ReadyEntry>()
  /** What is ready as soon as what was decided is durable. */
  readonly soon = new Heap<ReadyEntry>()

  constructor(queue: string, tenant_id: string, group: string) {
    this.queue = queue
    this.tenant_id = tenant_id
    this.group = group
  }

  get isEmpty(): boolean {
    return this.free.isEmpty && this.taken.size === 0 && this.soon.isEmpty
  }

  /** All of it, as it is by what is durable. */
  first(count: number): readonly ReadyEntry[] {
    const free = this.free.first(count)
    if (this.taken.size === 0) return free
    return [...free, ...this.taken].sort(compareOrdered).slice(0, count)
  }

  /** What can be taken, also before it is durable: whoever takes it is told when both are. */
  takeable(count: number, skips: (entry: ReadyEntry) => boolean): readonly ReadyEntry[] {
    const free = this.free.first(count, undefined, skips)
    if (this.soon.isEmpty) return free
    return [...free, ...this.soon.first(count, undefined, skips)].sort(compareOrdered).slice(0, count)
  }
}

export interface ReadyWanted {
  readonly queues: readonly string[]
  /** As many of each group as this, or fewer where there are many groups and `most` is enough in all. */
  readonly perGroup: number
  readonly most?: number | undefined
  /** Only work of these; of all when absent. */
  readonly tenants?: readonly string[] | undefined
}

/** Work that is not to be shown, because it is being done. */
export type Skips = (key: RecordKey) => boolean

const NOTHING: readonly string[] = Object.freeze([])
const NO_GROUPS: ReadonlySet<string> = new Set()

/**
 * What is due when, what is ready in which queue and group, and what waits for which topic: of jobs in memory, and of
 * those whose work is stored elsewhere.
 */
export class WorkIndex {
  #stored: RemainingWork | null = null
  readonly #due = new Heap<DueEntry>()
  readonly #queues = new Map<string, Map<string, ReadyGroup>>()
  readonly #waiting = new Map<string, Map<string, RecordKey>>()
  #lastGroup: ReadyGroup | null = null

  /** `isLater`: more was decided about it since, so that nobody is to take it as it is here. */
  move(place: WorkPlace, { due_at, ready, waits_for }: Work, isLater = false): void {
    this.#moveDue(place, due_at)
    if (!isLater && place.soon !== null) this.foresee(place, null)
    this.#moveReady(place, ready, isLater)
    if (waits_for !== place.waits_for) this.#moveWaiting(place, waits_for)
  }

  /** Something was decided about it: nobody else is to take it, though it is still ready by what is durable. */
  take({ ready }: WorkPlace): void {
    if (ready === null || ready.group.taken.has(ready)) return
    ready.group.free.drop(ready)
    ready.group.taken.add(ready)
  }

  /** What was decided about it makes it ready, or not, when that is durable. Answers whether it does. */
  foresee(place: WorkPlace, ready: Ready | null): boolean {
    if (place.soon !== null) {
      const { group } = place.soon
      group.soon.drop(place.soon)
      this.#forgetEmpty(group)
      place.soon = null
    }
    if (ready === null) return false
    const entry = new ReadyEntry(this.#group(place.tenant_id, ready), place, ready)
    entry.group.soon.push(entry)
    place.soon = entry
    return true
  }

  /** What was decided about it will not be. */
  giveBack(place: WorkPlace): void {
    const taken = place.ready
    if (taken === null || !taken.group.taken.delete(taken)) return
    const { group, ready } = taken
    place.ready = new ReadyEntry(group, place, ready)
    group.free.push(place.ready)
  }

  /** Work of jobs that are not in memory; it takes the place of what was stored before. */
  store(stored: StoredWork | null, isTaken: IsTaken): void {
    this.#stored = stored === null ? null : new RemainingWork(stored, isTaken)
  }

  due(now: number, limit: number, skips?: Skips): readonly RecordKey[] {
    const skipped = skips === undefined ? undefined : ({ place }: DueEntry) => skips(place)
    return firstOf(limit, this.#due.first(limit, now, skipped), this.#stored?.due(now, limit, skips))
  }

  nextDue(): number | null {
    const here = this.#due.firstOrder()
    const stored = this.#stored?.nextDue() ?? null
    return here === null || stored === null ? (here ?? stored) : Math.min(here, stored)
  }

  /** What is ready by what is durable: the first few of each group. */
  heads(wanted: ReadyWanted): readonly ReadyHead[] {
    return this.#heads(wanted, (group, count) => group.first(count))
  }

  /** How much of a group can be taken. */
  countReady(queue: string, tenant_id: string, group: string): number {
    return this.#queues.get(queue)?.get(groupName(tenant_id, group))?.free.count ?? 0
  }

  /** What stands last in a group, or stood there. */
  lastReady(queue: string, tenant_id: string, group: string): ReadyHead | null {
    return this.#queues.get(queue)?.get(groupName(tenant_id, group))?.free.last()?.value ?? null
  }

  /** What of it can be taken: nothing was decided about it since, or what was makes it ready. */
  free(wanted: ReadyWanted, skips: Skips): readonly ReadyHead[] {
    const skipped = ({ place }: ReadyEntry) => skips(place)
    return this.#heads(wanted, (group, count) => group.takeable(count, skipped), skips)
  }

  #heads(
    { queues, perGroup, most = Number.POSITIVE_INFINITY, tenants }: ReadyWanted,
    first: (group: ReadyGroup, count: number) => readonly ReadyEntry[],
    skips?: Skips,
  ): readonly ReadyHead[] {
    const only = tenants === undefined ? null : new Set(tenants)
    const names = new Map(
      [...new Set(queues)].map((queue) => {
        const all = this.#groupNames(queue)
        return [queue, only === null ? all : namesOf(all, only)]
      }),
    )
    let groups = 0
    for (const some of names.values()) groups += some.size
    const each = Math.min(perGroup, Math.max(1, Math.ceil(most / Math.max(groups, 1))))
    const heads: ReadyHead[] = []
    for (const [queue, some] of names) {
      const inMemory = this.#queues.get(queue)
      for (const name of some.keys()) {
        const group = inMemory?.get(name)
        const here = group === undefined ? undefined : first(group, each)
        heads.push(...firstOf(each, here, this.#stored?.heads(queue, name, each, skips)))
      }
    }
    return heads
  }

  #groupNames(queue: string): ReadonlyMap<string, unknown> | ReadonlySet<string> {
    const here = this.#queues.get(queue)
    if (this.#stored === null) return here ?? NO_GROUPS
    return new Set([...(here?.keys() ?? []), ...this.#stored.groups(queue)])
  }

  get isAnyAwaited(): boolean {
    return this.#waiting.size > 0 || this.#stored?.hasWaiting === true
  }

  isAwaited(tenant_id: string, topic: string): boolean {
    if (this.#waiting.size > 0 && this.#waiting.has(topicKey(tenant_id, topic))) return true
    if (this.#stored?.hasWaiting !== true) return false
    for (const _ of this.#stored.waiting(tenant_id, topic)) return true
    return false
  }

  waiting(tenant_id: string, topic: string): readonly RecordKey[] {
    const here = this.#waiting.get(topicKey(tenant_id, topic))?.values() ?? []
    return [...here, ...(this.#stored?.waiting(tenant_id, topic) ?? [])]
  }

  #moveDue(place: WorkPlace, due_at: string | null): void {
    if (place.due !== null) this.#due.drop(place.due)
    place.due = due_at === null ? null : new DueEntry(fromIso(due_at), place)
    if (place.due !== null) this.#due.push(place.due)
  }

  #moveReady(place: WorkPlace, ready: Ready | null, isTaken: boolean): void {
    if (place.ready !== null) this.#leave(place.ready)
    place.ready = null
    if (ready === null) return
    const group = this.#group(place.tenant_id, ready)
    place.ready = new ReadyEntry(group, place, ready)
    if (!isTaken) group.free.push(place.ready)
    else {
      place.ready.alive = false
      group.taken.add(place.ready)
    }
  }

  #leave(entry: ReadyEntry): void {
    const { group } = entry
    if (!group.taken.delete(entry)) group.free.drop(entry)
    this.#forgetEmpty(group)
  }

  /** A group that has nothing left is forgotten: there may be one for every tenant and every key that ever was. */
  #forgetEmpty(group: ReadyGroup): void {
    if (!group.isEmpty) return
    const groups = this.#queues.get(group.queue)
    groups?.delete(groupName(group.tenant_id, group.group))
    if (groups?.size === 0) this.#queues.delete(group.queue)
    if (this.#lastGroup === group) this.#lastGroup = null
  }

  /** Mostly the one that somebody just asked for. */
  #group(tenant_id: string, { queue, group }: Ready): ReadyGroup {
    const last = this.#lastGroup
    if (last !== null && last.queue === queue && last.group === group && last.tenant_id === tenant_id)
      return last
    let groups = this.#queues.get(queue)
    if (groups === undefined) {
      groups = new Map()
      this.#queues.set(queue, groups)
    }
    const name = groupName(tenant_id, group)
    let known = groups.get(name)
    if (known === undefined) {
      known = new ReadyGroup(queue, tenant_id, group)
      groups.set(name, known)
    }
    this.#lastGroup = known
    return known
  }

  #moveWaiting(place: WorkPlace, topics: readonly string[]): void {
    // There is a list of its own for each job, mostly with nothing in it.
    if (topics.length === 0 && place.waits_for.length === 0) return
    const { tenant_id, id } = place
    for (const topic of place.waits_for) {
      const name = topicKey(tenant_id, topic)
      const waiting = this.#waiting.get(name)
      waiting?.delete(id)
      if (waiting?.size === 0) this.#waiting.delete(name)
    }
    place.waits_for = topics
    for (const topic of topics) {
      const name = topicKey(tenant_id, topic)
      const waiting = this.#waiting.get(name)
      if (waiting === undefined) this.#waiting.set(name, new Map([[id, place.key]]))
      else waiting.set(id, place.key)
    }
  }
}

/** The first few of both, in their order. */
function firstOf<T>(
  limit: number,
  a: readonly Ordered<T>[] = [],
  b: readonly Ordered<T>[] = [],
): readonly T[] {
  const all = a.length === 0 ? b : b.length === 0 ? a : [...a, ...b].sort(compareOrdered).slice(0, limit)
  return all.map(({ value }) => value)
}

function namesOf(
  all: ReadonlyMap<string, unknown> | ReadonlySet<string>,
  tenants: ReadonlySet<string>,
): ReadonlySet<string> {
  const some = new Set<string>()
  for (const name of all.keys()) if (tenants.has(tenantOfGroup(name))) some.add(name)
  return some
}

function compareOrdered(a: Ordered<unknown>, b: Ordered<unknown>): number {
  return a.order - b.order || (a.tie < b.tie ? -1 : a.tie > b.tie ? 1 : 0)
}

function topicKey(tenant_id: string, topic: string): string {
  return `${tenant_id}\n${topic}`
}
