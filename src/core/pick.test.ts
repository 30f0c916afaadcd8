import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Limit } from './job/protocol.ts'
import { byRank, type PickRules, pick, type ReadyHead } from './pick.ts'

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

function rules(more: Partial<PickRules> = {}): PickRules {
  return { limit: 100, pausedQueues: new Set(), running: new Map(), used: () => 0, ...more }
}

function chosen(heads: readonly ReadyHead[], more: Partial<PickRules> = {}): string[] {
  return pick(heads, rules(more)).chosen.map(({ key }) => key.id)
}

function held(heads: readonly ReadyHead[], more: Partial<PickRules> = {}): unknown[] {
  return pick(heads, rules(more)).held.map(({ head: { key }, cause, limit }) => [key.id, cause, limit])
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
    const pausedQueues = new Set(['ocr'])
    expect(chosen(heads, { pausedQueues })).toEqual(['b'])
    expect(held(heads, { pausedQueues })).toEqual([
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
    const used = (tenant: string, key: string) => (tenant === 't1' && key === 'gpu' ? 1 : 0)
    expect(chosen(heads, { used })).toEqual(['a'])
    expect(held(heads, { used })).toEqual([
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
    expect(held(heads, { used: (_, key) => (key === 'gpu' ? 2 : 0) })).toEqual([['a', 'limit', 'gpu']])
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
        const picked = pick(heads, rules({ limit, pausedQueues: new Set(['paused']) }))
        const all = [...picked.chosen, ...picked.held.map((each) => each.head)]
        expect(new Set(all)).toEqual(new Set(heads))
        expect(all).toHaveLength(heads.length)
        expect(picked.chosen.length).toBeLessThanOrEqual(limit)
        for (const { key, ready } of picked.chosen) {
          expect(ready.queue).toBe('q')
          for (const { key: name, max } of ready.limits) {
            const same = picked.chosen.filter(
              (other) => other.key.tenant_id === key.tenant_id && other.ready.group === name,
            )
            expect(same.length).toBeLessThanOrEqual(max)
          }
        }
      }),
    )
  })
})
