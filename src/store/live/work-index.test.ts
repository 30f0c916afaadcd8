import { describe, expect, it } from 'vitest'
import type { RecordKey } from '../../core/aggregate.ts'
import { toIso } from '../../core/time.ts'
import { type Work, WorkIndex } from './work-index.ts'

const NO_WORK: Work = { due_at: null, ready: null, waits_for: [] }

function key(id: string, tenant_id = 't'): RecordKey<'job'> {
  return { kind: 'job', tenant_id, id }
}

function ready(rank: number, group = '', queue = 'q'): Pick<Work, 'ready'> {
  return { ready: { queue, group, rank, limits: [] } }
}

function indexed() {
  const index = new WorkIndex()
  const places = new Map<string, ReturnType<typeof WorkIndex.nowhere>>()
  const move = (id: string, work: Partial<Work>, tenant_id = 't') => {
    const place = places.get(tenant_id + id) ?? WorkIndex.nowhere()
    places.set(tenant_id + id, place)
    index.move(key(id, tenant_id), place, { ...NO_WORK, ...work })
  }
  const heads = (queues: readonly string[], perGroup: number) =>
    index.heads(queues, perGroup).map((head) => head.key.id)
  return { index, move, heads }
}

describe('work index: timers', () => {
  it('knows the earliest, moves with the record, and forgets', () => {
    const { index, move } = indexed()
    expect(index.nextDue()).toBeNull()
    move('a', { due_at: toIso(2000) })
    move('b', { due_at: toIso(1000) })
    expect([index.nextDue(), index.due(999, 9), index.due(1000, 9)]).toEqual([1000, [], [key('b')]])
    expect(index.due(5000, 1)).toEqual([key('b')])
    move('b', { due_at: toIso(3000) })
    expect(index.due(5000, 9)).toEqual([key('a'), key('b')])
    move('a', {})
    move('b', {})
    expect([index.nextDue(), index.due(5000, 9)]).toEqual([null, []])
  })
})

describe('work index: ready work', () => {
  it('keeps the groups of tenants and limits apart, lowest rank first', () => {
    const { move, heads } = indexed()
    move('a2', ready(2))
    move('a1', ready(1))
    move('g1', ready(5, 'gpu'))
    move('z1', ready(0), 'z')
    move('other', ready(0, '', 'another queue'))
    expect(heads(['q'], 1).toSorted()).toEqual(['a1', 'g1', 'z1'])
    expect(heads(['q'], 2).toSorted()).toEqual(['a1', 'a2', 'g1', 'z1'])
    expect(heads(['another queue', 'q'], 1)).toHaveLength(4)
    expect(heads([], 1)).toEqual([])
  })

  // A worker that named a queue twice was shown everything twice, and lost a place to each repetition.
  it('shows a queue once, though it is named twice', () => {
    const { move, heads } = indexed()
    move('a', ready(1))
    expect(heads(['q', 'q'], 5)).toEqual(['a'])
  })

  it('moves with the record and forgets groups that are empty', () => {
    const { move, heads } = indexed()
    move('a', ready(1))
    move('a', ready(1, 'gpu'))
    expect(heads(['q'], 5)).toEqual(['a'])
    move('a', {})
    expect(heads(['q'], 5)).toEqual([])
    move('b', ready(1, 'another group'))
    move('a', ready(2))
    expect(heads(['q'], 5).toSorted()).toEqual(['a', 'b'])
  })
})

describe('work index: waiting', () => {
  it('knows who waits for a topic, by tenant', () => {
    const { index, move } = indexed()
    move('a', { waits_for: ['x', 'y'] })
    move('b', { waits_for: ['x'] })
    move('a', { waits_for: ['x'] }, 'z')
    expect(index.waiting('t', 'x').map(({ id }) => id)).toEqual(['a', 'b'])
    expect(index.waiting('z', 'x').map(({ id }) => id)).toEqual(['a'])
    expect([index.isAwaited('t', 'y'), index.isAwaited('z', 'y')]).toEqual([true, false])
    move('a', { waits_for: ['x'] })
    move('b', {})
    expect(index.waiting('t', 'x').map(({ id }) => id)).toEqual(['a'])
    expect(index.isAwaited('t', 'y')).toBe(false)
    move('a', {})
    expect([index.isAwaited('t', 'x'), index.waiting('t', 'x')]).toEqual([false, []])
  })
})
