import { type AggregateKind, isAtRest, type JobAggregate, nameOfKey } from '../../core/aggregate.ts'
import { RecentlyUsed } from '../recently-used.ts'
import type { Remembered } from '../tables/workspace-options.ts'
import type { AzureCell } from './azure-cell.ts'

/** Aggregates that are remembered: those that are being worked on, mostly. */
const MOST_CELLS = 10_000

/**
 * What this process wrote last. Whoever writes on top of it says which etag it had, so being wrong costs a try. Of what is only
 * looked at nothing would say that it is old: that is read.
 */
export class RememberedCells implements Remembered {
  readonly #cells = new RecentlyUsed<string, AzureCell>(MOST_CELLS)

  cell(kind: AggregateKind, tenant_id: string, id: string): AzureCell | undefined {
    return this.#cells.get(nameOfKey({ kind, tenant_id, id }))
  }

  /** Places under limits are not remembered: taking one tells. */
  slot(): undefined {
    return undefined
  }

  wrote(cell: AzureCell): void {
    const name = nameOfKey(cell.key)
    const isOver =
      cell.key.kind === 'job' && cell.aggregate !== null && isAtRest((cell.aggregate as JobAggregate).job)
    if (cell.etag === null || isOver) this.#cells.delete(name)
    else this.#cells.set(name, cell)
  }

  forget({ key }: Pick<AzureCell, 'key'>): void {
    this.#cells.delete(nameOfKey(key))
  }
}
