import type { RecordKey } from './aggregate.ts'
import { slotKey } from './job/limits.ts'
import { type Limit, PUSHED } from './job/protocol.ts'
import type { Ready } from './job/record.ts'
import { EVERYBODY, type QueueRecord, queueLimits } from './queue/record.ts'

/** A piece of ready work near the front of its group, as a store shows it. */
export interface ReadyHead {
  readonly key: RecordKey<'job'>
  readonly ready: Ready
}

/** What else a store shows of one moment: how far limits are used, and what was decided about queues. */
export interface WorkView {
  /** How many hold one now. */
  used(tenant_id: string, key: string): number
  /** When the first of those that are held for a while is free again: epoch milliseconds; null when none is. */
  freeAt(tenant_id: string, key: string): number | null
  /** Who holds one, in no order. */
  holders(tenant_id: string, key: string): readonly string[]
  /** What somebody decided about a queue; null when nobody did. */
  queue(name: string): QueueRecord | null
}

export interface PickRules {
  readonly limit: number
  /** Attempts each tenant has running, as far as the one who asks knows: whoever has fewest goes first. */
  readonly running: ReadonlyMap<string, number>
  readonly view: WorkView
}

export interface Picked {
  readonly chosen: readonly ReadyHead[]
  /**
   * What stays behind, and why: explanations are made from the same answer as the work. Those who were not looked at any
   * more, because enough were chosen, are in neither list.
   */
  readonly held: readonly Held[]
}

export interface Held {
  readonly head: ReadyHead
  /** Its queue is paused; a limit is reached, or used up for now. */
  readonly cause: 'paused' | 'limit' | 'rate'
  /** The limit at fault. */
  readonly limit: HeldBy | null
}

/** A limit that is reached: whose it is, and when it is free again if that is known. */
export interface HeldBy extends Limit {
  readonly tenant_id: string
  readonly until: number | null
}

/**
 * Chooses what runs next: paused queues are passed over, limits are kept, tenants take turns (the one with the
 * least running first), and within a tenant the lowest rank goes first.
 */
export function pick(heads: readonly ReadyHead[], rules: PickRules): Picked {
  const chosen: ReadyHead[] = []
  const held: Held[] = []
  const taken = new Map<string, number>()
  const waiting = heads.filter((head) => {
    if (rules.view.queue(queueName(head))?.state !== 'paused') return true
    held.push({ head, cause: 'paused', limit: null })
    return false
  })
  const lines = new Lines(waiting, rules.running)
  while (chosen.length < rules.limit) {
    const head = lines.next()
    if (head === undefined) break
    const limits = limitsOf(head, rules)
    const full = limits.find((limit) => isFull(limit, rules, taken))
    if (full !== undefined) held.push(heldBy(head, full, rules))
    else {
      chosen.push(head)
      for (const limit of limits) taken.set(nameOf(limit), (taken.get(nameOf(limit)) ?? 0) + 1)
    }
    lines.goOn(full === undefined)
  }
  return { chosen, held }
}

/** Work that is pushed lies under another name, but its queue is the same. */
export function queueName({ ready }: ReadyHead): string {
  return plainQueue(ready.queue)
}

export function plainQueue(name: string): string {
  return name.startsWith(PUSHED) ? name.slice(PUSHED.length) : name
}

export function byRank(a: ReadyHead, b: ReadyHead): number {
  return a.ready.rank - b.ready.rank || (a.key.id < b.key.id ? -1 : 1)
}

/** What a tenant has waiting, the first one next, and how much of it is running. */
interface Line {
  readonly heads: ReadyHead[]
  next: number
  load: number
}

/** The tenants in the order in which they have their turns: a binary heap, since there may be thousands. */
class Lines {
  readonly #heap: Line[]

  constructor(heads: readonly ReadyHead[], running: ReadonlyMap<string, number>) {
    const lines = new Map<string, Line>()
    for (const head of heads) {
      const { tenant_id } = head.key
      const line = lines.get(tenant_id)
      if (line === undefined)
        lines.set(tenant_id, { heads: [head], next: 0, load: running.get(tenant_id) ?? 0 })
      else line.heads.push(head)
    }
    for (const line of lines.values()) line.heads.sort(byRank)
    this.#heap = [...lines.values()]
    for (let index = (this.#heap.length >> 1) - 1; index >= 0; index--) this.#sink(index)
  }

  /** Whose turn it is; undefined when nobody waits any more. */
  next(): ReadyHead | undefined {
    const line = this.#heap[0]
    return line?.heads[line.next]
  }

  /** That one was dealt with: its tenant has one more running, or not. */
  goOn(isChosen: boolean): void {
    const line = this.#heap[0] as Line
    line.next++
    if (isChosen) line.load++
    if (line.next === line.heads.length) {
      const last = this.#heap.pop() as Line
      if (this.#heap.length > 0) this.#heap[0] = last
    }
    this.#sink(0)
  }

  #sink(from: number): void {
    const heap = this.#heap
    for (let index = from; ; ) {
      let first = index
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && goesBefore(heap[child] as Line, heap[first] as Line)) first = child
      }
      if (first === index) return
      const line = heap[index] as Line
      heap[index] = heap[first] as Line
      heap[first] = line
      index = first
    }
  }
}

function goesBefore(a: Line, b: Line): boolean {
  if (a.load !== b.load) return a.load < b.load
  return byRank(a.heads[a.next] as ReadyHead, b.heads[b.next] as ReadyHead) < 0
}

interface OwnedLimit extends Limit {
  readonly tenant_id: string
}

/** Those of its step, which are its tenant's, and those of its queue, which are everybody's. */
function limitsOf(head: ReadyHead, { view }: PickRules): readonly OwnedLimit[] {
  const { key, ready } = head
  const queue = ready.unlimited === true ? null : view.queue(queueName(head))
  if (ready.limits.length === 0 && queue === null) return NONE
  const own = ready.limits.map((limit) => ({ ...limit, tenant_id: key.tenant_id }))
  return [...own, ...queueLimits(queue).map((limit) => ({ ...limit, tenant_id: EVERYBODY }))]
}

const NONE: readonly never[] = []

function isFull(limit: OwnedLimit, { view }: PickRules, taken: ReadonlyMap<string, number>): boolean {
  const { tenant_id, max } = limit
  return view.used(tenant_id, slotKey(limit)) + (taken.get(nameOf(limit)) ?? 0) >= max
}

function heldBy(head: ReadyHead, limit: OwnedLimit, { view }: PickRules): Held {
  if (limit.per_ms === undefined) return { head, cause: 'limit', limit: { ...limit, until: null } }
  // Nothing held yet means that this very round used it up.
  return { head, cause: 'rate', limit: { ...limit, until: view.freeAt(limit.tenant_id, slotKey(limit)) } }
}

function nameOf(limit: OwnedLimit): string {
  return `${limit.tenant_id}\n${slotKey(limit)}`
}
