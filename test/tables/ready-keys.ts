// The list of ready work, as a database in memory has it.
import type { NextSelect, ReadyKey, ReadySelect } from '../../src/store/tables/tables.ts'
import type { MemoryDatabase } from './memory-database.ts'

/** The first few of each group. */
export function readyHeads(
  db: MemoryDatabase,
  { queues, perGroup, most = Number.POSITIVE_INFINITY, tenants }: ReadySelect,
  isFree: (key: ReadyKey) => boolean = () => true,
): readonly ReadyKey[] {
  const groups = new Map<string, ReadyKey[]>()
  for (const key of db.ready.values()) {
    if (!queues.includes(key.queue) || !isFree(key)) continue
    if (tenants?.includes(key.tenant_id) === false) continue
    const name = `${key.queue}\n${key.tenant_id}\n${key.group}`
    groups.set(name, [...(groups.get(name) ?? []), key])
  }
  const each = Math.min(perGroup, Math.max(1, Math.ceil(most / Math.max(groups.size, 1))))
  return [...groups.values()].flatMap((group) => group.toSorted(byPlace).slice(0, each))
}

/** What comes next in each group. */
export function readyAfter(
  db: MemoryDatabase,
  { after, each }: NextSelect,
): readonly (readonly ReadyKey[])[] {
  return after.map((place) => {
    const isNext = (key: ReadyKey) =>
      key.queue === place.queue &&
      key.tenant_id === place.tenant_id &&
      key.group === place.group &&
      key.rank < place.before &&
      byPlace(key, place) > 0
    return [...db.ready.values()].filter(isNext).toSorted(byPlace).slice(0, each)
  })
}

function byPlace(a: ReadyKey, b: ReadyKey): number {
  return a.rank - b.rank || (a.job_id < b.job_id ? -1 : a.job_id > b.job_id ? 1 : 0)
}
