import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupName, RemainingWork } from './remaining-work.ts'
import { plainWork } from './sample-work.ts'

const COUNT = 100
const id = (n: number) => `job ${String(n).padStart(3, '0')}`
const numbers = Array.from({ length: COUNT }, (_, n) => n)

/** Jobs of one tenant, all due and all ready in two groups of a queue, all waiting for one of two topics. */
function remaining() {
  const stored = plainWork({
    due: numbers.map((n) => [n, 't', id(n)] as const),
    ready: numbers.map((n) => ['q', 't', n < COUNT / 2 ? 'g' : 'h', n, id(n), []] as const),
    waiting: numbers.map((n) => ['t', n < COUNT / 2 ? 'x' : 'y', id(n)] as const),
  })
  const taken = new Set<string>()
  /** How often somebody heard that a job is taken. */
  const heard: string[] = []
  const work = new RemainingWork(stored, (tenant_id, job_id) => {
    if (tenant_id === 't' && taken.has(job_id)) heard.push(job_id)
    return tenant_id === 't' && taken.has(job_id)
  })
  const due = (now: number, limit: number) => work.due(now, limit).map(({ order }) => order)
  const heads = (group: string, limit: number) =>
    work.heads('q', groupName('t', group), limit).map(({ order }) => order)
  return { stored, taken, heard, work, due, heads }
}

describe('remaining work', () => {
  it('looks at no more than it is asked for, and at nothing twice', () => {
    const { stored, work, due, heads } = remaining()
    expect([stored.due.looked, stored.ready.looked, stored.waiting.looked]).toEqual([[], [], []])
    expect([work.nextDue(), due(1, 10), due(50, 3), work.nextDue()]).toEqual([0, [0, 1], [0, 1, 2], 0])
    expect(stored.due.looked).toEqual([0, 1, 2])
    expect([heads('h', 2), heads('g', 1), heads('h', 1), heads('g', 2)]).toEqual([
      [50, 51],
      [0],
      [50],
      [0, 1],
    ])
    expect(stored.ready.looked).toEqual([50, 51, 0, 1])
    expect([due(50, 0), heads('g', 0), heads('none', 9), work.heads('p', groupName('t', 'g'), 9)]).toEqual([
      [],
      [],
      [],
      [],
    ])
    expect([...work.groups('q'), ...work.groups('p')]).toEqual([groupName('t', 'g'), groupName('t', 'h')])
  })

  it('passes over what is taken, and over what is skipped as long as it is', () => {
    const { taken, work, due, heads } = remaining()
    for (const n of [0, 1, 3]) taken.add(id(n))
    expect([work.nextDue(), due(9, 2), heads('g', 2)]).toEqual([2, [2, 4], [2, 4]])
    taken.add(id(4))
    const skips = (key: { readonly id: string }) => key.id === id(2)
    expect(work.due(9, 2, skips).map(({ order }) => order)).toEqual([5, 6])
    expect(work.heads('q', groupName('t', 'g'), 2, skips).map(({ value }) => value.key.id)).toEqual([
      id(5),
      id(6),
    ])
    expect([work.nextDue(), due(9, 2), heads('g', 2)]).toEqual([2, [2, 5], [2, 5]])
  })

  it('forgets a group of which all is taken', () => {
    const { stored, taken, heads, work } = remaining()
    for (const n of numbers) if (n < COUNT / 2) taken.add(id(n))
    expect([heads('g', 1), [...work.groups('q')]]).toEqual([[], [groupName('t', 'h')]])
    expect([heads('g', 1), stored.ready.looked.length]).toEqual([[], COUNT / 2])
  })

  it('reads of those who wait only the ones who wait for the topic', () => {
    const { stored, taken, work } = remaining()
    for (const n of numbers) if (n !== 7 && n !== 70) taken.add(id(n))
    expect([...work.waiting('t', 'x')]).toEqual([{ kind: 'job', tenant_id: 't', id: id(7) }])
    expect(stored.waiting.looked).toEqual(numbers.slice(0, COUNT / 2 + 1))
    expect([...work.waiting('t', 'y')].map((key) => key.id)).toEqual([id(70)])
    for (const [tenant_id, topic] of [
      ['t', ''],
      ['t', 'x '],
      ['t', 'z'],
      ['s', 'x'],
      ['u', 'y'],
    ] as const) {
      expect([...work.waiting(tenant_id, topic)]).toEqual([])
    }
  })

  it('looks at nothing twice, and passes over what is gone once, whatever is taken when', () => {
    const step = fc.oneof(
      fc.record({ take: fc.array(fc.nat(COUNT - 1), { maxLength: 40 }) }),
      fc.record({ due: fc.nat(COUNT), limit: fc.nat(20) }),
      fc.record({ group: fc.constantFrom('g', 'h'), limit: fc.nat(20) }),
      fc.constant('next' as const),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { stored, taken, heard, work, due, heads } = remaining()
        const left = () => numbers.filter((n) => !taken.has(id(n)))
        for (const one of steps) {
          if (one === 'next') expect(work.nextDue()).toBe(left()[0] ?? null)
          else if ('take' in one) for (const n of one.take) taken.add(id(n))
          else if ('due' in one) {
            expect(due(one.due, one.limit)).toEqual(
              left()
                .filter((n) => n <= one.due)
                .slice(0, one.limit),
            )
          } else {
            const group = left().filter((n) => n < COUNT / 2 === (one.group === 'g'))
            expect(heads(one.group, one.limit)).toEqual(group.slice(0, one.limit))
          }
        }
        for (const { looked } of [stored.due, stored.ready]) expect(new Set(looked).size).toBe(looked.length)
        // Once among those due, and once among those ready.
        for (const job of taken) expect(heard.filter((one) => one === job).length).toBeLessThanOrEqual(2)
      }),
    )
  })
})
