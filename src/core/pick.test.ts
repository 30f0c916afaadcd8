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
  readonly unlimited?: true
}

function head(id: string, wish: Wish = {}): ReadyHead {
  const { tenant = 't1', rank = 0, queue = 'q', limits = [], unlimited } = wish
  const group = limits.map(({ key }) => key).join(' ')
  return {
    key: { kind: 'job', tenant_id: tenant, id },
    ready: { queue, group, rank, limits, ...(unlimited && { unlimited }) },
  }
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

  it('no more than asked for; the others are not even looked at', () => {
    const heads = [head('a'), head('b'), head('c')]
    expect(chosen(heads, { limit: 2 })).toEqual(['a', 'b'])
    expect(held(heads, { limit: 2 })).toEqual([])
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

  it('are no reason for one that was not looked at any more', () => {
    const heads = [head('a'), head('b', { limits: [{ key: 'gpu', max: 0 }] })]
    expect(held(heads, { limit: 1 })).toEqual([])
  })
})

describe('pick: rates', () => {
  const door = { key: 'door', max: 2, per_ms: 1000 }
  const began = (until: number) => ({ tenant: 't1', slot: 'rate:door', owner: `lease-${until}`, until })

  it('are kept, counting those that began and those just chosen; what is held says until when', () => {
    const heads = ['a', 'b', 'c'].map((id) => head(id, { limits: [door] }))
    expect(chosen(heads)).toEqual(['a', 'b'])
    const places = [began(5000), began(4000)]
    expect(chosen(heads, { places: places.slice(1) })).toEqual(['a'])
    expect(picked(heads, { places }).held).toMatchObject([
      { head: heads[0], cause: 'rate', limit: { ...door, tenant_id: 't1', until: 4000 } },
      { head: heads[1], cause: 'rate' },
      { head: heads[2], cause: 'rate' },
    ])
  })

  it('used up by this very round, nobody knows until when', () => {
    const heads = ['a', 'b', 'c'].map((id) => head(id, { limits: [door] }))
    expect(picked(heads).held).toMatchObject([{ cause: 'rate', limit: { until: null } }])
  })

  it('are not those of running attempts by the same name', () => {
    const places = ['x', 'y'].map((owner) => ({ tenant: 't1', slot: 'door', owner }))
    expect(chosen([head('a', { limits: [door] })], { places })).toEqual(['a'])
    expect(chosen([head('a', { limits: [{ key: 'door', max: 2 }] })], { places })).toEqual([])
  })
})

describe('pick: queues', () => {
  const running = (owner: string) => ({ tenant: EVERYBODY, slot: 'queue:q', owner })

  it('so many at once over all tenants', () => {
    const heads = [head('a', { tenant: 'a' }), head('b', { tenant: 'b' }), head('c', { tenant: 'c' })]
    const queues = [{ queue: 'q', concurrency: 2 }]
    expect(chosen(heads, { queues })).toEqual(['a', 'b'])
    expect(chosen(heads, { queues, places: [running('other')] })).toEqual(['a'])
    expect(picked(heads, { queues, places: [running('other')] }).held).toMatchObject([
      { head: heads[1], cause: 'limit', limit: { key: 'queue:q', max: 2, tenant_id: '*', until: null } },
      { head: heads[2], cause: 'limit' },
    ])
  })

  it('so many within a while over all tenants', () => {
    const heads = [head('a', { tenant: 'a' }), head('b', { tenant: 'b' })]
    const queues = [{ queue: 'q', rate: { max: 2, per_ms: 1000 } }]
    const places = [{ tenant: EVERYBODY, slot: 'rate:queue:q', owner: 'lease', until: 9000 }]
    expect(chosen(heads, { queues, places })).toEqual(['a'])
    expect(picked(heads, { queues, places }).held).toMatchObject([
      { head: heads[1], cause: 'rate', limit: { tenant_id: '*', until: 9000 } },
    ])
  })

  it('hold pushed work too, which lies under another name', () => {
    const heads = [head('a', { queue: 'push:q' }), head('b', { queue: 'q' })]
    expect(chosen(heads, { queues: [{ queue: 'q', state: 'paused' }] })).toEqual([])
    expect(chosen(heads, { queues: [{ queue: 'q', concurrency: 1 }] })).toEqual(['a'])
    expect(chosen(heads, { queues: [{ queue: 'other', state: 'paused' }] })).toEqual(['a', 'b'])
  })

  it('the limit of the step is the reason before that of the queue', () => {
    const gpu = { key: 'gpu', max: 0 }
    const queues = [{ queue: 'q', concurrency: 0 }]
    expect(held([head('a', { limits: [gpu] })], { queues })).toEqual([['a', 'limit', 'gpu']])
  })

  it('whatever passes all limits passes these, takes no place from others, and waits while they are paused', () => {
    const heads = [head('a', { unlimited: true }), head('b', { rank: 1 }), head('c', { rank: 2 })]
    const queues = [{ queue: 'q', concurrency: 2 }]
    expect(chosen(heads, { queues, places: [running('x')] })).toEqual(['a', 'b'])
    expect(chosen(heads, { queues, places: [running('x'), running('y')] })).toEqual(['a'])
    expect(chosen(heads, { queues: [{ queue: 'q', state: 'paused' }] })).toEqual([])
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
  it('every head is chosen or held, once, unless enough were chosen; limits, pauses and the number asked for are kept', () => {
    const wish = fc.record({
      tenant: fc.constantFrom('t1', 't2', 't3'),
      rank: fc.integer({ min: 0, max: 3 }),
      queue: fc.constantFrom('q', 'push:q', 'paused', 'push:paused'),
      limits: fc.constantFrom<readonly Limit[]>(
        [],
        [{ key: 'one', max: 1 }],
        [{ key: 'two', max: 2 }],
        [{ key: 'hourly', max: 2, per_ms: 1000 }],
      ),
    })
    const queue = fc.record({
      concurrency: fc.constantFrom(null, 1, 3),
      rate: fc.constantFrom(null, { max: 2, per_ms: 1000 }),
    })
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 20 }), fc.nat({ max: 10 }), queue, (wishes, limit, limits) => {
        const heads = wishes.map((each, i) => head(`j${i}`, each))
        const { chosen, held } = picked(heads, {
          limit,
          queues: [
            { queue: 'paused', state: 'paused' },
            { queue: 'q', ...limits },
          ],
        })
        const all = [...chosen, ...held.map((each) => each.head)]
        expect(new Set(all).size).toBe(all.length)
        if (chosen.length < limit) expect(new Set(all)).toEqual(new Set(heads))
        expect(chosen.length).toBeLessThanOrEqual(limit)
        expect(chosen.length).toBeLessThanOrEqual(limits.concurrency ?? limit)
        expect(chosen.length).toBeLessThanOrEqual(limits.rate?.max ?? limit)
        for (const { key, ready } of chosen) {
          expect(ready.queue).not.toMatch(/paused$/)
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
