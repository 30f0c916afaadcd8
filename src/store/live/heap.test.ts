import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap, type HeapEntry } from './heap.ts'

interface Entry extends HeapEntry {
  readonly value: string
}

function pushed(heap: Heap<Entry>, order: number, nth: number): Entry {
  const entry = { order, tie: String(nth).padStart(5, '0'), value: `${order}#${nth}`, alive: true }
  heap.push(entry)
  return entry
}

function heapOf(...orders: readonly number[]): { heap: Heap<Entry>; entries: Entry[] } {
  const heap = new Heap<Entry>()
  return { heap, entries: orders.map((order, nth) => pushed(heap, order, nth)) }
}

const values = (entries: readonly Entry[]): string[] => entries.map(({ value }) => value)

describe('heap', () => {
  it('shows the lowest first, ties by name, and takes nothing out', () => {
    const { heap } = heapOf(3, 1, 2, 1)
    expect(values(heap.first(3))).toEqual(['1#1', '1#3', '2#2'])
    expect(values(heap.first(10))).toEqual(['1#1', '1#3', '2#2', '3#0'])
    expect(heap.first(0)).toEqual([])
    expect(heap.firstOrder()).toBe(1)
  })

  it('stops where the order passes the bound', () => {
    const { heap } = heapOf(3, 1, 2)
    expect(values(heap.first(10, 2))).toEqual(['1#1', '2#2'])
    expect(heap.first(10, 0)).toEqual([])
  })

  it('is empty when everything was dropped', () => {
    const { heap, entries } = heapOf(1, 2, 3)
    for (const entry of entries.toReversed()) heap.drop(entry)
    expect([heap.isEmpty, heap.firstOrder(), heap.first(5)]).toEqual([true, null, []])
  })

  it('forgets an entry once, though it is dropped twice', () => {
    const { heap, entries } = heapOf(1, 2, 3)
    const [first] = entries
    if (first !== undefined) for (let i = 0; i < 3; i++) heap.drop(first)
    expect(values(heap.first(5))).toEqual(['2#1', '3#2'])
  })

  // Timers that lie far ahead used to stay in memory until their time came, long after their jobs had ended.
  it('does not keep dropped entries that never reach the top', () => {
    const { heap } = heapOf(0)
    for (let i = 0; i < 10_000; i++) heap.drop(pushed(heap, 1000 + i, i))
    for (let i = 10_000; i > 0; i--) heap.drop(pushed(heap, 1000 + i, i))
    expect(heap.size).toBeLessThan(100)
    expect(values(heap.first(5))).toEqual(['0#0'])
  })

  it('agrees with a sorted list, whatever is pushed and dropped', () => {
    const step = fc.oneof(fc.record({ push: fc.nat(20) }), fc.record({ drop: fc.nat(200) }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
        const heap = new Heap<Entry>()
        const made: Entry[] = []
        for (const [i, step] of steps.entries()) {
          // Most come in their order.
          if ('push' in step) made.push(pushed(heap, step.push + (step.push % 3 === 0 ? 0 : i), i))
          else if (made.length > 0) heap.drop(made[step.drop % made.length] as Entry)
        }
        const alive = made.filter((entry) => entry.alive)
        alive.sort((a, b) => a.order - b.order || (a.tie < b.tie ? -1 : 1))
        expect(heap.first(5)).toEqual(alive.slice(0, 5))
        expect(heap.first(1000)).toEqual(alive)
        expect(heap.first(1000, 10)).toEqual(alive.filter(({ order }) => order <= 10))
        expect(heap.firstOrder()).toBe(alive[0]?.order ?? null)
        expect(heap.isEmpty).toBe(alive.length === 0)
      }),
    )
  })
})
