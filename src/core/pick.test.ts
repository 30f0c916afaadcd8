import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Limit } from './job/protocol.ts'
import { byRank, type PickRules, pick, type ReadyHead, type WorkView } from './pick.ts'
import { EVERYBODY, type QueueRecord } from './queue/record.ts'

interface Wish {
  readonly tenant?: string
  readonly rank?: number
  readonly queue?: string
  readonly limits?: readonly Limit[]
}

function head(id: string, { tenant = 't1', rank = 0, queue = 'q', limits = [] }: Wish = {}): ReadyHead {
  const group = limits.map(({ key }) => key).join(' ')
  return { key: { kind: 'job', tenant_id: tenant, id }, ready: { queue, group, rank, limits } }
}

/** A place that somebody holds, as the store shows it. */
interface Place {
  readonly tenant: string
  readonly slot: string
  readonly owner: string
  readonly until?: number
}

interface Shown extends Partial<Omit<PickRules, 'view'>> {
  readonly places?: readonly Place[]
  readonly queues?: readonly Partial<QueueRecord>[]
}

function viewOf({ places = [], queues = [] }: Shown): WorkView {
  const of = (tenant_id: string, key: string) =>
    places.filter(({ tenant, slot }) => tenant === tenant_id && slot === key)
  return {
    used: (tenant_id, key) => of(tenant_id, key).length,
    freeAt: (tenant_id, key) => {
      const times = of(tenant_id, key).flatMap(({ until }) => until ?? [])
      return times.length === 0 ? null : Math.min(...times)
    },
    holders: (tenant_id, key) => of(tenant_id, key).map(({ owner }) => owner),
    queue: (name) => {
      const known = queues.find(({ queue }) => queue === name)
      return known === undefined ? null : queueOf(name, known)
    },
  }
}

function queueOf(queue: string, more: Partial<QueueRecord>): QueueRecord {
  const at = '2025-01-01T00:00:00.000Z'
  return {
    kind: 'queue',
    tenant_id: EVERYBODY,
    queue,
    state: 'running',
    state_since: at,
    concurrency: null,
    rate: null,
    created_at: at,
    updated_at: at,
    etag: '1',
    ...more,
  }
}

function picked(heads: readonly ReadyHead[], shown: Shown = {}) {
  return pick(heads, { limit: 100, running: new Map(), ...shown, view: viewOf(shown) })
}

function chosen(heads: readonly ReadyHead[], shown: Shown = {}): string[] {
  return picked(heads, shown).chosen.map(({ key }) => key.id)
}

/** What stays behind, why, and by which limit. */
function held(heads: readonly ReadyHead[], shown: Shown = {}): unknown[] {
  return picked(heads, shown).held.map(({ head: { key }, cause, limit }) => [
    key.id,
    cause,
    limit?.key ?? null,
  ])
}

describe('pick: what runs next', () => {
  it('within a tenant the lowest rank, then the older id', () => {
    const heads = [head('c', { rank: 5 }), head('b', { rank: 5 }), head('a', { rank: 9 }), head('d')]
    expect(chosen(heads)).toEqual(['d', 'b', 'c', 'a'])
  })

  it('ranks any two heads one way only', () => {
    expect(byRank(head('a'), head('b'))).toBeLessThan(0)
    expect(byRank(head('b'), head('a'))).toBeGreaterThan(0)
    expect(byRank(head('b', { rank: 1 }), head('a', { rank: 2 }))).toBeLessThan(0)
  })

  it('no more than asked for; the others wait for their turn', () => {
    const heads = [head('a'), head('b'), head('c')]
    expect(chosen(heads, { limit: 2 })).toEqual(['a', 'b'])
    expect(held(heads, { limit: 2 })).toEqual([['c', 'turn', null]])
    expect(chosen(heads, { limit: 0 })).toEqual([])
  })

  it('nothing from a paused queue', () => {
    const heads = [head('a', { queue: 'ocr' }), head('b'), head('c', { queue: 'ocr' })]
    const queues = [{ queue: 'ocr', state: 'paused' }, { queue: 'q' }] as const
    expect(chosen(heads, { queues })).toEqual(['b'])
    expect(held(heads, { queues })).toEqual([
      ['a', 'paused', null],
      ['c', 'paused', null],
    ])
  })
})

describe('pick: limits', () => {
  const gpu = { key: 'gpu', max: 2 }

  it('are kept, counting those already running and those just chosen', () => {
    const heads = ['a', 'b', 'c'].map((id) => head(id, { limits: [gpu] }))
    expect(chosen(heads)).toEqual(['a', 'b'])
    expect(held(heads)).toEqual([['c', 'limit', 'gpu']])
    const places = [
      { tenant: 't1', slot: 'gpu', owner: 'somebody' },
      { tenant: 't2', slot: 'gpu', owner: 'somebody else' },
      { tenant: 't1', slot: 'cpu', owner: 'somebody' },
    ]
    expect(chosen(heads, { places })).toEqual(['a'])
    expect(held(heads, { places })).toEqual([
      ['b', 'limit', 'gpu'],
      ['c', 'limit', 'gpu'],
    ])
  })

  it('hold back only work under them', () => {
    const heads = [head('a', { limits: [{ key: 'gpu', max: 0 }] }), head('b')]
    expect(chosen(heads)).toEqual(['b'])
  })

  it('name the first that is full when there are several', () => {
    const heads = [head('a', { limits: [{ key: 'cpu', max: 5 }, gpu] })]
    const places = ['x', 'y'].map((owner) => ({ tenant: 't1', slot: 'gpu', owner }))
    expect(held(heads, { places })).toEqual([['a', 'limit', 'gpu']])
  })

  it('belong to a tenant: another tenant has its own', () => {
    const one = { key: 'gpu', max: 1 }
    const heads = ['t1', 't2'].flatMap((tenant) =>
      ['a', 'b'].map((id) => head(`${tenant}-${id}`, { tenant, limits: [one] })),
    )
    expect(chosen(heads)).toEqual(['t1-a', 't2-a'])
  })

  it('are the reason given even when nothing more was asked for', () => {
    const heads = [head('a'), head('b', { limits: [{ key: 'gpu', max: 0 }] })]
    expect(held(heads, { limit: 1 })).toEqual([['b', 'limit', 'gpu']])
  })
})

describe('pick: tenants', () => {
  it('take turns, however long the line of one is', () => {
    const many = ['m1', 'm2', 'm3', 'm4'].map((id, rank) => head(id, { tenant: 'many', rank }))
    const few = ['f1', 'f2'].map((id, rank) => head(id, { tenant: 'few', rank: 100 + rank }))
    expect(chosen([...many, ...few])).toEqual(['m1', 'f1', 'm2', 'f2', 'm3', 'm4'])
  })

  it('whoever has least running goes first', () => {
    const heads = [
      head('a1', { tenant: 'a' }),
      head('a2', { tenant: 'a' }),
      head('b1', { tenant: 'b', rank: 9 }),
    ]
    expect(chosen(heads, { limit: 1, running: new Map([['a', 3]]) })).toEqual(['b1'])
    expect(chosen(heads, { running: new Map([['b', 1]]) })).toEqual(['a1', 'a2', 'b1'])
  })

  it('with as much running, the one whose first job ranks lower', () => {
    const heads = [head('a', { tenant: 'a', rank: 2 }), head('b', { tenant: 'b', rank: 1 })]
    expect(chosen(heads)).toEqual(['b', 'a'])
  })
})

describe('pick: always', () => {
  it('every head is either chosen or held, once; limits, pauses and the number asked for are kept', () => {
    const wish = fc.record({
      tenant: fc.constantFrom('t1', 't2', 't3'),
      rank: fc.integer({ min: 0, max: 3 }),
      queue: fc.constantFrom('q', 'paused'),
      limits: fc.constantFrom<readonly Limit[]>([], [{ key: 'one', max: 1 }], [{ key: 'two', max: 2 }]),
    })
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 20 }), fc.nat({ max: 10 }), (wishes, limit) => {
        const heads = wishes.map((each, i) => head(`j${i}`, each))
        const { chosen, held } = picked(heads, { limit, queues: [{ queue: 'paused', state: 'paused' }] })
        const all = [...chosen, ...held.map((each) => each.head)]
        expect(new Set(all)).toEqual(new Set(heads))
        expect(all).toHaveLength(heads.length)
        expect(chosen.length).toBeLessThanOrEqual(limit)
        for (const { key, ready } of chosen) {
          expect(ready.queue).toBe('q')
          for (const { key: name, max } of ready.limits) {
            const same = chosen.filter(
              (other) => other.key.tenant_id === key.tenant_id && other.ready.group === name,
            )
            expect(same.length).toBeLessThanOrEqual(max)
          }
        }
      }),
    )
  })
})
