import { type AggregateKind, type JobAggregate, nameOfKey } from '../../core/aggregate.ts'
import type { SlotKey } from '../../core/decision.ts'
import { RecentlyUsed } from '../recently-used.ts'
import { type Cell, cellOfWaiting, type StoredCell } from './cell.ts'
import { hasEnded } from './glance.ts'
import { Recent } from './recent.ts'
import { headOf, type Shelf, waitingIn } from './shelf.ts'
import type { SlotRow, WriteSet } from './tables.ts'
import type { Workspace } from './workspace.ts'
import type { Remembered } from './workspace-options.ts'

/** Jobs that are remembered: those that are being worked on, mostly. */
const MOST_JOBS = 5000
/** Whatever else is. */
const MOST_RECORDS = 10_000
const MOST_SLOTS = 1000
const MOST_QUEUES = 1000

/**
 * What this process wrote last. Whoever claimed a job reports on it soon, and then it need not be read again: the write
 * says which version it rests on.
 */
export class Memory implements Remembered {
  readonly #jobs = new Recent<StoredCell>(MOST_JOBS)
  readonly #records = new RecentlyUsed<string, StoredCell>(MOST_RECORDS)
  readonly #slots = new RecentlyUsed<string, SlotRow>(MOST_SLOTS)
  /** Queues about which nobody decided anything: whoever takes work looks at that. */
  readonly #queues = new RecentlyUsed<string, StoredCell>(MOST_QUEUES)

  readonly #shelf: Pick<Shelf, 'waitingOf'>

  /** @param shelf has jobs that are new and wait for their turn */
  constructor(shelf: Pick<Shelf, 'waitingOf'>) {
    this.#shelf = shelf
  }

  cell(kind: AggregateKind, tenant_id: string, id: string): StoredCell | undefined {
    if (kind !== 'job') {
      const name = nameOfKey({ kind, tenant_id, id })
      return this.#records.get(name) ?? this.#queues.get(name)
    }
    const job = this.#jobs.get(tenant_id, id)
    if (job !== undefined) return job
    const waiting = this.#shelf.waitingOf(tenant_id, id)
    return waiting === null ? undefined : cellOfWaiting(waiting)
  }

  slot(slot: SlotKey): SlotRow | undefined {
    return this.#slots.get(slotName(slot))
  }

  /** All of it is durable, or will be before anything that is written after it. */
  wrote(space: Workspace): void {
    space.forEachCell((cell) => {
      const { key } = cell.stored
      if (!cell.isChanged) {
        if (cell.isFresh && isPlainQueue(cell.stored)) this.#queues.set(nameOfKey(key), cell.stored)
      } else if (key.kind === 'job') this.#wroteJob(cell)
      else {
        if (key.kind === 'queue') this.#queues.delete(nameOfKey(key))
        this.#records.set(nameOfKey(key), cell.written())
      }
    })
    for (const row of space.slots.changedRows(space.now)) this.#rememberSlot(row)
  }

  #wroteJob(cell: Cell): void {
    const { tenant_id, id } = cell.stored.key
    // It is on the shelf.
    if (waitingIn(cell) !== null && headOf(cell) !== null) return
    if (hasEnded(cell.now as JobAggregate)) this.#jobs.delete(tenant_id, id)
    else this.#jobs.set(tenant_id, id, cell.written())
  }

  /**
   * Others may have written since what is only read was read. And of two writes of this process the later may be heard of
   * first: a place that is not known to be held would never be given back.
   */
  #rememberSlot(row: SlotRow): void {
    const name = slotName(row)
    const known = this.#slots.get(name)
    if (known === undefined || known.version <= row.version) this.#slots.set(name, row)
  }

  /** Nothing counts that was known before. */
  clear(): void {
    this.#jobs.clear()
    this.#records.clear()
    this.#slots.clear()
    this.#queues.clear()
  }

  /** Others have written it. */
  othersWrote({ jobs, records, slots }: WriteSet): void {
    for (const { tenant_id, job_id } of jobs) this.#jobs.delete(tenant_id, job_id)
    for (const record of records) {
      this.#records.delete(nameOfKey(record))
      this.#queues.delete(nameOfKey(record))
    }
    for (const slot of slots) this.#slots.delete(slotName(slot))
  }

  /** Somebody else has written. That is found out of everything else by whoever writes it. */
  forgetQueues(): void {
    this.#queues.clear()
  }

  /** Somebody else was faster with some of it, and nobody says with which. */
  forget(space: Workspace): void {
    space.forEachCell(({ stored: { key } }) => {
      if (key.kind === 'job') {
        this.#jobs.delete(key.tenant_id, key.id)
        return
      }
      this.#records.delete(nameOfKey(key))
      this.#queues.delete(nameOfKey(key))
    })
    for (const slot of space.slots.keys()) this.#slots.delete(slotName(slot))
  }
}

function isPlainQueue({ key, aggregate }: StoredCell): boolean {
  return key.kind === 'queue' && aggregate === null
}

function slotName({ tenant_id, key }: SlotKey): string {
  return `${tenant_id}\n${key}`
}
