/** An entry of a heap; `alive` turns false when it is dropped, and the heap forgets it when it comes across it. */
export interface HeapEntry<T> {
  readonly order: number
  readonly tie: string
  readonly value: T
  alive: boolean
}

/** Fewer dropped entries than this are not worth a clean-up. */
const TOLERATED_DEAD = 32

/**
 * A binary heap, lowest order first, whose entries can be dropped from anywhere: dropping marks them, and marked
 * ones leave as soon as they reach the top. Timers far ahead are dropped long before they would get there, so
 * the heap is cleaned when more than half of it is marked.
 */
export class Heap<T> {
  #entries: HeapEntry<T>[] = []
  #dead = 0

  push(order: number, tie: string, value: T): HeapEntry<T> {
    const entry = { order, tie, value, alive: true }
    this.#entries.push(entry)
    this.#rise(this.#entries.length - 1)
    return entry
  }

  drop(entry: HeapEntry<T>): void {
    if (!entry.alive) return
    entry.alive = false
    this.#dead++
    while (this.#entries[0]?.alive === false) this.#removeTop()
    if (this.#dead > TOLERATED_DEAD && 2 * this.#dead > this.#entries.length) this.#clean()
  }

  /** Entries in memory, those marked for removal included. */
  get size(): number {
    return this.#entries.length
  }

  /** The lowest order there is; null when the heap is empty. */
  firstOrder(): number | null {
    return this.#entries[0]?.order ?? null
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** The first `count` in order that are not skipped, or as far as `order` does not pass `until`. Takes nothing out. */
  first(
    count: number,
    until = Number.POSITIVE_INFINITY,
    skips?: (value: T) => boolean,
  ): readonly HeapEntry<T>[] {
    const found: HeapEntry<T>[] = []
    const frontier: number[] = this.#entries.length > 0 ? [0] : []
    while (found.length < count && frontier.length > 0) {
      const index = this.#takeLeast(frontier)
      const entry = this.#entries[index] as HeapEntry<T>
      if (entry.order > until) break
      if (entry.alive && skips?.(entry.value) !== true) found.push(entry)
      if (2 * index + 1 < this.#entries.length) this.#addTo(frontier, 2 * index + 1)
      if (2 * index + 2 < this.#entries.length) this.#addTo(frontier, 2 * index + 2)
    }
    return found
  }

  /** The frontier is a heap of its own, of places in this one: it grows with what is asked for. */
  #addTo(frontier: number[], index: number): void {
    let at = frontier.length
    frontier.push(index)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = frontier[parent] as number
      if (!this.#before(index, above)) break
      frontier[at] = above
      at = parent
    }
    frontier[at] = index
  }

  #takeLeast(frontier: number[]): number {
    const least = frontier[0] as number
    const last = frontier.pop() as number
    if (frontier.length === 0) return least
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= frontier.length) break
      const other = child + 1
      if (other < frontier.length && this.#before(frontier[other] as number, frontier[child] as number))
        child = other
      if (!this.#before(frontier[child] as number, last)) break
      frontier[at] = frontier[child] as number
      at = child
    }
    frontier[at] = last
    return least
  }

  /** Only marked entries leave this way. */
  #removeTop(): void {
    this.#dead--
    const last = this.#entries.pop() as HeapEntry<T>
    if (this.#entries.length === 0) return
    this.#entries[0] = last
    this.#sink(0)
  }

  #clean(): void {
    this.#entries = this.#entries.filter(({ alive }) => alive)
    this.#dead = 0
    for (let index = (this.#entries.length >> 1) - 1; index >= 0; index--) this.#sink(index)
  }

  #sink(from: number): void {
    let index = from
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      let least = index
      if (left < this.#entries.length && this.#before(left, least)) least = left
      if (right < this.#entries.length && this.#before(right, least)) least = right
      if (least === index) return
      this.#swap(index, least)
      index = least
    }
  }

  #rise(from: number): void {
    let index = from
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#before(index, parent)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  #swap(a: number, b: number): void {
    const entry = this.#entries[a] as HeapEntry<T>
    this.#entries[a] = this.#entries[b] as HeapEntry<T>
    this.#entries[b] = entry
  }

  #before(a: number, b: number): boolean {
    const left = this.#entries[a] as HeapEntry<T>
    const right = this.#entries[b] as HeapEntry<T>
    return left.order < right.order || (left.order === right.order && left.tie < right.tie)
  }
}
