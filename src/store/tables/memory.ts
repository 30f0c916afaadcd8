import { LRUCache } from 'lru-cache'
import { isAtRest, type JobAggregate } from '../../core/aggregate.ts'
import type { SlotKey } from '../../core/decision.ts'
import type { StoredCell } from './cell.ts'
import type { SlotRow } from './tables.ts'
import type { Workspace } from './workspace.ts'
import type { Remembered } from './workspace-options.ts'

/** Aggregates that are remembered: those that are being worked on, mostly. */
const MOST_CELLS = 10_000
const MOST_SLOTS = 1000
const MOST_QUEUES = 1000

/**
 * What this process wrote last. Whoever claimed a job reports on it soon, and then it need not be read again: the write
 * says which version it rests on.
 */
export class Memory implements Remembered {
  readonly #cells = new LRUCache<string, StoredCell>({ max: MOST_CELLS })
  readonly #slots = new LRUCache<string, SlotRow>({ max: MOST_SLOTS })
  /** Queues about which nobody decided anything: whoever takes work looks at that. */
  readonly #queues = new LRUCache<string, StoredCell>({ max: MOST_QUEUES })

  cell(name: string): StoredCell | undefined {
    return this.#cells.get(name) ?? this.#queues.get(name)
  }

  slot(slot: SlotKey): SlotRow | undefined {
    return this.#slots.get(slotName(slot))
  }

  /** All of it is durable, or will be before anything that is written after it. */
  wrote(space: Workspace): void {
    space.forEachCell((cell) => {
      if (!cell.isChanged) {
        if (cell.isFresh && isPlainQueue(cell.stored)) this.#queues.set(cell.name, cell.stored)
        return
      }
      if (cell.stored.key.kind === 'queue') this.#queues.delete(cell.name)
      if (isOver(cell.now as JobAggregate)) this.#cells.delete(cell.name)
      else this.#cells.set(cell.name, cell.written())
    })
    for (const row of space.slots.changedRows(space.now)) this.#rememberSlot(row)
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

  /** Somebody else has written. That is found out of everything else by whoever writes it. */
  forgetQueues(): void {
    this.#queues.clear()
  }

  /** Somebody else was faster with some of it, and nobody says with which. */
  forget(space: Workspace): void {
    space.forEachCell((cell) => {
      this.#cells.delete(cell.name)
      this.#queues.delete(cell.name)
    })
    for (const slot of space.slots.keys()) this.#slots.delete(slotName(slot))
  }
}

function isOver(aggregate: JobAggregate | { readonly kind: string }): boolean {
  return !('kind' in aggregate) && isAtRest(aggregate.job)
}

function isPlainQueue({ key, aggregate }: StoredCell): boolean {
  return key.kind === 'queue' && aggregate === null
}

function slotName({ tenant_id, key }: SlotKey): string {
  return `${tenant_id}\n${key}`
}
