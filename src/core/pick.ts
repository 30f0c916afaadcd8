import type { RecordKey } from './aggregate.ts'
import type { Ready } from './job/record.ts'

/** A piece of ready work near the front of its group, as a store shows it. */
export interface ReadyHead {
  readonly key: RecordKey<'job'>
  readonly ready: Ready
}

export interface PickRules {
  readonly limit: number
  readonly pausedQueues: ReadonlySet<string>
  /** Attempts each tenant has running, as far as the one who asks knows: whoever has fewest goes first. */
  readonly running: ReadonlyMap<string, number>
  /** How many hold a limit of a tenant now. */
  used(tenant_id: string, key: string): number
}

export interface Picked {
  readonly chosen: readonly ReadyHead[]
  /** What stays behind, and why: explanations are made from the same answer as the work. */
  readonly held: readonly Held[]
}

interface Held {
  readonly head: ReadyHead
  readonly cause: 'paused' | 'limit' | 'turn'
  /** The limit at fault. */
  readonly limit: string | null
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
    if (!rules.pausedQueues.has(head.ready.queue)) return true
    held.push({ head, cause: 'paused', limit: null })
    return false
  })
  const lines = linesByTenant(waiting)
  while (lines.size > 0) {
    const line = nextLine(lines, load)
    const head = line.shift() as ReadyHead
    const tenant = head.key.tenant_id
    if (line.length === 0) lines.delete(tenant)
    const full = fullLimit(head, rules, taken)
    if (full !== null) held.push({ head, cause: 'limit', limit: full })
    else if (chosen.length >= rules.limit) held.push({ head, cause: 'turn', limit: null })
    else {
      chosen.push(head)
      load.set(tenant, (load.get(tenant) ?? 0) + 1)
      for (const { key } of head.ready.limits) taken.set(slot(tenant, key), takenOf(taken, tenant, key) + 1)
    }
  }
  return { chosen, held }
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

function fullLimit(head: ReadyHead, rules: PickRules, taken: ReadonlyMap<string, number>): string | null {
  const tenant = head.key.tenant_id
  for (const { key, max } of head.ready.limits) {
    if (rules.used(tenant, key) + takenOf(taken, tenant, key) >= max) return key
  }
  return null
}

function takenOf(taken: ReadonlyMap<string, number>, tenant: string, key: string): number {
  return taken.get(slot(tenant, key)) ?? 0
}

function slot(tenant: string, key: string): string {
  return `${tenant}\n${key}`
}
