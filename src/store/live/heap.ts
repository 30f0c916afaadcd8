/** An entry of a heap; `alive` turns false when it is dropped, and the heap forgets it when it comes across it. */
export interface HeapEntry {
  readonly order: number
  readonly tie: string
  alive: boolean
}

/** Fewer dropped entries than this are not worth a clean-up. */
const TOLERATED_DEAD = 32

/** One that is early leaves so many at the end of the line behind it at most. */
const MOST_OVERTAKEN = 4

/**
 * Entries by their order, the lowest first, which can be dropped from anywhere: dropping marks them, and marked ones leave as soon
 * as they come to the front. Timers far ahead are dropped long before they would get there, so there is a clean-up when more
 * than half of them are marked.
 *
 * Nearly all come in their order, work as it is submitted and timers as they are set: those stand in a line, which costs nothing
 * to stand in and nothing to leave. Only what comes out of order is in a binary heap beside it.
 */
export class Heap<E extends HeapEntry> {
  #line: E[] = []
  /** The first of the line that has not left. */
  #front = 0
  #heap: E[] = []
  #dead = 0

  push(entry: E): void {
    for (let overtaken = 0; overtaken < MOST_OVERTAKEN; overtaken++) {
      const last = this.#line.at(-1)
      if (this.#front === this.#line.length || last === undefined || !isBefore(entry, last)) {
        this.#line.push(entry)
        return
      }
      // Most of what is far ahead is rare, and the others go on in their order.
      this.#line.pop()
      this.#addToHeap(last)
    }
    this.#addToHeap(entry)
  }

  drop(entry: E): void {
    if (!entry.alive) return
    entry.alive = false
    this.#dead++
    this.#letGo()
    if (this.#dead > TOLERATED_DEAD && 2 * this.#dead > this.size) this.#clean()
  }

  /** Entries in memory, those marked for removal included. */
  get size(): number {
    return this.#line.length - this.#front + this.#heap.length
  }

  /** How many there are. */
  get count(): number {
    return this.size - this.#dead
  }

  /** The last of them; some that were dropped may be behind it. Undefined when there is nothing. */
  last(): E | undefined {
    let last = this.#front < this.#line.length ? this.#line.at(-1) : undefined
    for (const entry of this.#heap) if (last === undefined || isBefore(last, entry)) last = entry
    return last
  }

  /** The lowest order there is; null when there is nothing. */
  firstOrder(): number | null {
    const inLine = this.#line[this.#front]
    const inHeap = this.#heap[0]
    if (inLine === undefined || inHeap === undefined) return (inLine ?? inHeap)?.order ?? null
    return Math.min(inLine.order, inHeap.order)
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  /** The first `count` in order that are not skipped, or as far as `order` does not pass `until`. Takes nothing out. */
  first(count: number, until = Number.POSITIVE_INFINITY, skips?: (entry: E) => boolean): readonly E[] {
    const found: E[] = []
    const early = new Frontier(this.#heap)
    let at = this.#front
    while (found.length < count) {
      const inLine = this.#line[at]
      const inHeap = early.next
      const isInLine = inHeap === undefined || (inLine !== undefined && isBefore(inLine, inHeap))
      const entry = isInLine ? inLine : inHeap
      if (entry === undefined || entry.order > until) break
      if (isInLine) at++
      else early.goOn()
      if (entry.alive && skips?.(entry) !== true) found.push(entry)
    }
    return found
  }

  /** Marked ones at the front leave. */
  #letGo(): void {
    while (this.#front < this.#line.length && this.#line[this.#front]?.alive === false) {
      this.#front++
      this.#dead--
    }
    // What has left is not held on to, and moving up costs less than what has left did.
    if (this.#front > TOLERATED_DEAD && 2 * this.#front > this.#line.length) {
      this.#line.splice(0, this.#front)
      this.#front = 0
    }
    while (this.#heap[0]?.alive === false) {
      this.#dead--
      const last = this.#heap.pop() as E
      if (this.#heap.length === 0) return
      this.#heap[0] = last
      this.#sink(0)
    }
  }

  #clean(): void {
    this.#line = this.#line.slice(this.#front).filter(({ alive }) => alive)
    this.#front = 0
    this.#heap = this.#heap.filter(({ alive }) => alive)
    this.#dead = 0
    for (let index = (this.#heap.length >> 1) - 1; index >= 0; index--) this.#sink(index)
  }

  #addToHeap(entry: E): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(entry)
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent] as E
      if (!isBefore(entry, above)) break
      heap[index] = above
      index = parent
    }
    heap[index] = entry
  }

  #sink(from: number): void {
    const heap = this.#heap
    const entry = heap[from] as E
    let index = from
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as E, heap[child] as E)) child++
      if (!isBefore(heap[child] as E, entry)) break
      heap[index] = heap[child] as E
      index = child
    }
    heap[index] = entry
  }
}

/** Goes through a binary heap in order without taking anything out: what may come next is a heap of its own, of places in it. */
class Frontier<E extends HeapEntry> {
  readonly #heap: readonly E[]
  readonly #places: number[]

  constructor(heap: readonly E[]) {
    this.#heap = heap
    this.#places = heap.length > 0 ? [0] : []
  }

  get next(): E | undefined {
    const place = this.#places[0]
    return place === undefined ? undefined : this.#heap[place]
  }

  goOn(): void {
    const place = this.#takeFirst()
    if (2 * place + 1 < this.#heap.length) this.#add(2 * place + 1)
    if (2 * place + 2 < this.#heap.length) this.#add(2 * place + 2)
  }

  #add(place: number): void {
    const places = this.#places
    let at = places.length
    places.push(place)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = places[parent] as number
      if (!this.#before(place, above)) break
      places[at] = above
      at = parent
    }
    places[at] = place
  }

  #takeFirst(): number {
    const places = this.#places
    const first = places[0] as number
    const last = places.pop() as number
    if (places.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= places.length) break
      if (child + 1 < places.length && this.#before(places[child + 1] as number, places[child] as number))
        child++
      if (!this.#before(places[child] as number, last)) break
      places[at] = places[child] as number
      at = child
    }
    places[at] = last
    return first
  }

  #before(a: number, b: number): boolean {
    return isBefore(this.#heap[a] as E, this.#heap[b] as E)
  }
}

function isBefore(a: HeapEntry, b: HeapEntry): boolean {
  return a.order < b.order || (a.order === b.order && a.tie < b.tie)
}
