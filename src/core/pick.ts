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
  /** What stays behind, and why: explanations are made from the same answer as the work. */
  readonly held: readonly Held[]
}

export interface Held {
  readonly head: ReadyHead
  /** Its queue is paused; a limit is reached, or used up for now; others go first. */
  readonly cause: 'paused' | 'limit' | 'rate' | 'turn'
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
  const load = new Map(rules.running)
  const taken = new Map<string, number>()
  const waiting = heads.filter((head) => {
    if (rules.view.queue(queueName(head))?.state !== 'paused') return true
    held.push({ head, cause: 'paused', limit: null })
    return false
  })
  const lines = linesByTenant(waiting)
  while (lines.size > 0) {
    const line = nextLine(lines, load)
    const head = line.shift() as ReadyHead
    const tenant = head.key.tenant_id
    if (line.length === 0) lines.delete(tenant)
    const limits = limitsOf(head, rules)
    const full = limits.find((limit) => isFull(limit, rules, taken))
    if (full !== undefined) held.push(heldBy(head, full, rules))
    else if (chosen.length >= rules.limit) held.push({ head, cause: 'turn', limit: null })
    else {
      chosen.push(head)
      load.set(tenant, (load.get(tenant) ?? 0) + 1)
      for (const limit of limits) taken.set(nameOf(limit), (taken.get(nameOf(limit)) ?? 0) + 1)
    }
  }
  return { chosen, held }
}

/** Work that is pushed lies under another name, but its queue is the same. */
export function queueName({ ready }: ReadyHead): string {
  return ready.queue.startsWith(PUSHED) ? ready.queue.slice(PUSHED.length) : ready.queue
}

function linesByTenant(heads: readonly ReadyHead[]): Map<string, ReadyHead[]> {
  const lines = new Map<string, ReadyHead[]>()
  for (const head of heads) {
    const line = lines.get(head.key.tenant_id)
    if (line === undefined) lines.set(head.key.tenant_id, [head])
    else line.push(head)
  }
  for (const line of lines.values()) line.sort(byRank)
  return lines
}

export function byRank(a: ReadyHead, b: ReadyHead): number {
  return a.ready.rank - b.ready.rank || (a.key.id < b.key.id ? -1 : 1)
}

function nextLine(lines: ReadonlyMap<string, ReadyHead[]>, load: ReadonlyMap<string, number>): ReadyHead[] {
  let best: ReadyHead[] | undefined
  let bestLoad = Number.POSITIVE_INFINITY
  for (const [tenant, line] of lines) {
    const tenantLoad = load.get(tenant) ?? 0
    const earlier = best === undefined || byRank(line[0] as ReadyHead, best[0] as ReadyHead) < 0
    if (tenantLoad < bestLoad || (tenantLoad === bestLoad && earlier)) {
      best = line
      bestLoad = tenantLoad
    }
  }
  return best as ReadyHead[]
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
