import type { Limit } from '../../core/job/protocol.ts'
import type { JobRecord, OutboxRecord, Ready } from '../../core/job/record.ts'
import { fromIso } from '../../core/time.ts'

/** When a job is due, in epoch milliseconds. */
export type DueEntry = readonly [at: number, tenant_id: string, job_id: string]

export type ReadyEntry = readonly [
  queue: string,
  tenant_id: string,
  group: string,
  rank: number,
  job_id: string,
  limits: readonly Limit[],
  unlimited?: true,
]

/** How many entries the group has; groups follow each other in the order of their entries. */
export type ReadyGroup = readonly [queue: string, tenant_id: string, group: string, entries: number]

export type WaitingEntry = readonly [tenant_id: string, topic: string, job_id: string]

/** An outbox row that is open. */
export type RowEntry = readonly [tenant_id: string, job_id: string, outbox_id: string]

/** A place under a limit, who has it, and until when if that is fixed (epoch milliseconds). */
export type SlotEntry = readonly [tenant_id: string, key: string, owner: string, until?: number]

/** How many places under a limit are taken; limits follow each other in the order of their entries. */
export type SlotGroup = readonly [tenant_id: string, key: string, entries: number]

export interface WorkEntries {
  readonly due: DueEntry
  readonly ready: ReadyEntry
  readonly waiting: WaitingEntry
  readonly rows: RowEntry
  readonly slots: SlotEntry
}

export type WorkListName = keyof WorkEntries

export const WORK_LISTS: readonly WorkListName[] = ['due', 'ready', 'waiting', 'rows', 'slots']

/** Entries in the order of their elements, each of them read when it is asked for. */
export interface SortedList<T> {
  readonly length: number
  at(index: number): T
  /** How many there are before those of which this is not true any more. */
  countWhile(isBefore: (entry: T) => boolean): number
}

/** What there is to do for jobs that are kept elsewhere. */
export interface StoredWork {
  readonly due: SortedList<DueEntry>
  readonly ready: SortedList<ReadyEntry>
  readonly groups: readonly ReadyGroup[]
  readonly waiting: SortedList<WaitingEntry>
  readonly rows: SortedList<RowEntry>
  readonly slots: SortedList<SlotEntry>
  readonly limits: readonly SlotGroup[]
}

/** What a job has in the lists that can be told from its record. */
export function workOfJob(job: JobRecord): {
  readonly [L in Exclude<WorkListName, 'rows' | 'slots'>]: readonly WorkEntries[L][]
} {
  const { tenant_id, job_id, due_at, ready, waits_for } = job
  return {
    due: due_at === null ? [] : [[fromIso(due_at), tenant_id, job_id]],
    ready: ready === null ? [] : [readyEntry(tenant_id, job_id, ready)],
    waiting: [...new Set(waits_for)].map((topic) => [tenant_id, topic, job_id]),
  }
}

function readyEntry(tenant_id: string, job_id: string, ready: Ready): ReadyEntry {
  const { queue, group, rank, limits } = ready
  return ready.unlimited === true
    ? [queue, tenant_id, group, rank, job_id, limits, true]
    : [queue, tenant_id, group, rank, job_id, limits]
}

export function rowEntry({ tenant_id, job_id, outbox_id }: OutboxRecord): RowEntry {
  return [tenant_id, job_id, outbox_id]
}

/** The entries whose first elements are these. */
export function* beginningWith<E extends readonly unknown[]>(
  list: SortedList<E>,
  start: readonly unknown[],
): Generator<E> {
  if (list.length === 0) return
  for (let index = list.countWhile((one) => compareEntries(start, one) > 0); index < list.length; index++) {
    const entry = list.at(index)
    if (compareEntries(start, entry) !== 0) return
    yield entry
  }
}

/** Element by element, as far as the first goes. What comes after numbers and names is not part of the order. */
export function compareEntries(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a[i], b[i]]
    if (typeof left !== 'string' && typeof left !== 'number') return 0
    if (left === right) continue
    return left < (right as typeof left) ? -1 : 1
  }
  return 0
}
