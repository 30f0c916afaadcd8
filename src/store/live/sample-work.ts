// For tests: stored work that is plain arrays, and knows how often somebody looked.
import type { SortedList, StoredWork, WorkEntries, WorkListName } from './stored-work.ts'

class PlainList<E> implements SortedList<E> {
  readonly #entries: readonly E[]
  /** Every index that was asked for. */
  readonly looked: number[] = []

  constructor(entries: readonly E[]) {
    this.#entries = entries
  }

  get length(): number {
    return this.#entries.length
  }

  at(index: number): E {
    this.looked.push(index)
    return this.#entries[index] as E
  }

  countWhile(isBefore: (entry: E) => boolean): number {
    const end = this.#entries.findIndex((entry) => !isBefore(entry))
    return end === -1 ? this.#entries.length : end
  }
}

type PlainWork = Pick<StoredWork, 'groups' | 'limits'> & {
  readonly [L in WorkListName]: PlainList<WorkEntries[L]>
}

/** The lists as they are; the groups as the entries that are ready have them. */
export function plainWork(lists: { readonly [L in WorkListName]?: readonly WorkEntries[L][] }): PlainWork {
  const { due = [], ready = [], waiting = [], rows = [], slots = [] } = lists
  return {
    due: new PlainList(due),
    ready: new PlainList(ready),
    groups: groupsOf(ready, 3) as unknown as StoredWork['groups'],
    waiting: new PlainList(waiting),
    rows: new PlainList(rows),
    slots: new PlainList(slots),
    limits: groupsOf(slots, 2) as unknown as StoredWork['limits'],
  }
}

function groupsOf(entries: readonly (readonly unknown[])[], length: number): unknown[][] {
  const names = entries.map((entry) => JSON.stringify(entry.slice(0, length)))
  return [...new Set(names)].map((name) => {
    return [...JSON.parse(name), names.filter((other) => other === name).length]
  })
}
