import { describe, expect, it } from 'vitest'
import type { RecordKey } from '../../core/aggregate.ts'
import type { Signal } from '../../core/decision.ts'
import { SignalQueue } from './signal-queue.ts'

const WAITING: { readonly [topic: string]: readonly string[] } = {
  one: ['a', 'b', 'c'],
  two: ['c', 'd'],
  nobody: [],
}

function waiting({ tenant_id, topic }: Signal): readonly RecordKey[] {
  return (WAITING[topic] ?? []).map((id) => ({ kind: 'job', tenant_id, id }))
}

function queueOf(...topics: readonly string[]) {
  const queue = new SignalQueue()
  for (const topic of topics) queue.push({ tenant_id: 't', topic })
  const page = (limit: number) => queue.page(limit, waiting)
  const deliver = (limit: number) => {
    const keys = page(limit)
    for (const key of keys) queue.told(key)
    return keys.map(({ id }) => id)
  }
  return { queue, page, deliver }
}

describe('signal queue', () => {
  it('tells everybody who waits, in pages, and is done then', () => {
    const { queue, deliver } = queueOf('one')
    expect(queue.pending).toBe(1)
    expect(deliver(2)).toEqual(['a', 'b'])
    expect(queue.pending).toBe(1)
    expect(deliver(2)).toEqual(['c'])
    expect([queue.pending, deliver(2)]).toEqual([0, []])
  })

  it('has nothing to tell where nobody waits, and goes on to the next signal', () => {
    const { queue, deliver } = queueOf('nobody', 'two', 'nobody')
    expect(deliver(10)).toEqual(['c', 'd'])
    expect(queue.pending).toBe(0)
  })

  it('tells each once of several signals', () => {
    expect(queueOf('one', 'two').deliver(10)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('owes a key until it was told', () => {
    const { queue, page, deliver } = queueOf('one')
    const [first, second] = page(2)
    if (first !== undefined) queue.told(first)
    expect(page(10).map(({ id }) => id)).toEqual(['b', 'c'])
    if (second !== undefined) queue.told(second)
    expect(deliver(10)).toEqual(['c'])
  })
})
