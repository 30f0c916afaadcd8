import type { Claim } from '../../../core/decision.ts'
import type { CountEntry } from '../../live/state-counts.ts'
import type { NewChunk } from '../log-parts.ts'
import type { DueKey, ReadyKey, SlotWrite, WriteSet } from '../tables.ts'

// What a write says of lists of work, claims, limits and counts, and where it stands in the log.

export function headText(set: WriteSet, { places, first_at, last_at, tags, sketch }: NewChunk): string {
  const { at, ready, due, claims, slots, counts } = set
  const after = [
    changesOf(ready, readyList),
    changesOf(due, dueList),
    claims.map(claimList),
    slots.map(slotList),
    counts.map(countList),
  ]
  const text = JSON.stringify(after)
  return `[${places},${first_at},${last_at},${at},${JSON.stringify(tags)},${sketch},${text.slice(1)}`
}

type Head = readonly [
  places: number,
  first_at: number,
  last_at: number,
  at: number,
  tags: readonly string[],
  sketch: unknown,
  ready: readonly [adds: readonly ReadyList[], drops: readonly ReadyList[]],
  due: readonly [adds: readonly DueList[], drops: readonly DueList[]],
  claims: readonly ClaimList[],
  slots: readonly SlotList[],
  counts: readonly CountList[],
]

export function readHead(text: string, entries: string) {
  const [places, first_at, last_at, at, tags, sketch, ready, due, claims, slots, counts] = JSON.parse(
    text,
  ) as Head
  return {
    at,
    chunk: { places, first_at, last_at, tags, sketch: JSON.stringify(sketch), entries },
    ready: { adds: ready[0].map(readyKey), drops: ready[1].map(readyKey) },
    due: { adds: due[0].map(dueKey), drops: due[1].map(dueKey) },
    claims: claims.map(([tenant_id, key, owner]): Claim => ({ tenant_id, key, owner })),
    slots: slots.map(([tenant_id, key, add, named]): SlotWrite => {
      return { tenant_id, key, add, named, most: null, from: 0 }
    }),
    counts: counts.map(([tenant_id, kind, state, n]): CountEntry => ({ tenant_id, kind, state, n })),
  }
}

function changesOf<T, L>({ adds, drops }: { adds: readonly T[]; drops: readonly T[] }, list: (one: T) => L) {
  return [adds.map(list), drops.map(list)]
}

type ReadyList = ReturnType<typeof readyList>
type DueList = ReturnType<typeof dueList>
type ClaimList = ReturnType<typeof claimList>
type SlotList = ReturnType<typeof slotList>
type CountList = ReturnType<typeof countList>

function readyList({ queue, tenant_id, group, rank, job_id }: ReadyKey) {
  return [queue, tenant_id, group, rank, job_id] as const
}

function readyKey([queue, tenant_id, group, rank, job_id]: ReadyList): ReadyKey {
  return { queue, tenant_id, group, rank, job_id }
}

function dueList({ due_at, tenant_id, job_id }: DueKey) {
  return [due_at, tenant_id, job_id] as const
}

function dueKey([due_at, tenant_id, job_id]: DueList): DueKey {
  return { due_at, tenant_id, job_id }
}

function claimList({ tenant_id, key, owner }: Claim) {
  return [tenant_id, key, owner] as const
}

function slotList({ tenant_id, key, add, named }: SlotWrite) {
  return [tenant_id, key, add, named] as const
}

function countList({ tenant_id, kind, state, n }: CountEntry) {
  return [tenant_id, kind, state, n] as const
}
