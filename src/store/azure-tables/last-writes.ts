import { nameOfKey } from '../../core/aggregate.ts'
import { RecentlyUsed } from '../recently-used.ts'
import type { AzureCell } from './azure-cell.ts'

const MOST_VERSIONS = 20_000

/**
 * What this process is writing, and the versions that it wrote last. A decision that looked at something which is being
 * changed here, or was since, is made again: so whatever one process does could have been done one after the other.
 */
export class LastWrites {
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #versions = new RecentlyUsed<string, number>(MOST_VERSIONS)

  /** Whoever writes one of these now; null when nobody does. */
  whileWritten(cells: readonly AzureCell[]): Promise<unknown> | null {
    const writing = cells.flatMap(({ key }) => this.#underWay.get(nameOfKey(key)) ?? [])
    return writing.length === 0 ? null : Promise.allSettled(writing)
  }

  isOld({ key, version }: AzureCell): boolean {
    return (this.#versions.get(nameOfKey(key)) ?? 0) > version
  }

  async during<T>(
    cells: readonly { readonly before: AzureCell; readonly version: number }[],
    work: Promise<T>,
  ): Promise<T> {
    for (const { before } of cells) this.#underWay.set(nameOfKey(before.key), work)
    try {
      const done = await work
      for (const { before, version } of cells) this.#versions.set(nameOfKey(before.key), version)
      return done
    } finally {
      for (const { before } of cells) {
        const name = nameOfKey(before.key)
        if (this.#underWay.get(name) === work) this.#underWay.delete(name)
      }
    }
  }
}
