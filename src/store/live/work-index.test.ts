import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordKey } from '../../core/aggregate.ts'
import type { JobRecord } from '../../core/job/record.ts'
import { toIso } from '../../core/time.ts'
import { plainWork } from './sample-work.ts'
import { compareEntries, workOfJob } from './stored-work.ts'
import { type Work, WorkIndex, WorkPlace } from './work-index.ts'

const NO_WORK: Work = { due_at: null, ready: null, waits_for: [] }

function key(id: string, tenant_id = 't'): RecordKey<'job'> {
  return { kind: 'job', tenant_id, id }
}

function ready(rank: number, group = '', queue = 'q'): Pick<Work, 'ready'> {
  return { ready: { queue, group, rank, limits: [] } }
}

function indexed() {
  const index = new WorkIndex()
  const places = new Map<string, WorkPlace>()
  const move = (id: string, work: Partial<Work>, tenant_id = 't') => {
    const place = places.get(tenant_id + id) ?? new WorkPlace(tenant_id, id)
    places.set(tenant_id + id, place)
    index.move(place, { ...NO_WORK, ...work })
  }
  const heads = (queues: readonly string[], perGroup: number) =>
    index.heads({ queues, perGroup }).map((head) => head.key.id)
  const free = (queues: readonly string[], perGroup: number) =>
    index.free({ queues, perGroup }, () => false).map((head) => head.key.id)
  const isHere = (tenant_id: string, id: string) => places.has(tenant_id + id)
  const placeOf = (id: string) => places.get(`t${id}`) ?? new WorkPlace('t', id)
  return { index, move, heads, free, isHere, placeOf }
}

describe('work index: many groups', () => {
  it('shows no more than is enough, but one of each group', () => {
    const { index, move } = indexed()
    for (const tenant of ['x', 'y', 'z'])
      for (const nth of [1, 2, 3]) move(`${tenant}${nth}`, ready(nth), tenant)
    const shown = (most: number) =>
      index.heads({ queues: ['q'], perGroup: 3, most }).map((head) => head.key.id)
    expect(shown(1)).toEqual(['x1', 'y1', 'z1'])
    expect(shown(6)).toEqual(['x1', 'x2', 'y1', 'y2', 'z1', 'z2'])
    expect(shown(100)).toHaveLength(9)
  })
})

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

const NOTHING_TO_DO = { due: null, ready: null, waits_for: [] }

const tenant = fc.constantFrom('s', 't')
const topic = fc.constantFrom('x', 'y', 'z')
const queue = fc.constantFrom('p', 'q')

const anyWork = fc.record({
  due: fc.option(fc.nat(9)),
  ready: fc.option(
    fc.record({
      queue,
      group: fc.constantFrom('', 'g'),
      rank: fc.nat(5),
      limits: fc.constantFrom([], [{ key: 'gpu', max: 2 }]),
    }),
  ),
  waits_for: fc.uniqueArray(topic, { maxLength: 2 }),
})

type AnyWork = typeof anyWork extends fc.Arbitrary<infer T> ? T : never

interface Job {
  readonly tenant_id: string
  readonly id: string
  /** What the one who stored it knew. */
  readonly stored: AnyWork | null
  /** What became of it, if it is in memory. */
  readonly here: AnyWork | null
}

const anyJob: fc.Arbitrary<Job> = fc.record({
  tenant_id: tenant,
  id: fc.nat(15).map((n) => `job ${n}`),
  stored: fc.option(anyWork, { freq: 5 }),
  here: fc.option(anyWork, { freq: 1 }),
})

const question = fc.record({
  now: fc.integer({ min: -1, max: 20 }),
  limit: fc.nat(5),
  queues: fc.array(queue, { maxLength: 3 }),
  skips: fc.option(fc.array(fc.nat(15), { maxLength: 6 }), { nil: undefined }),
})

type Question = typeof question extends fc.Arbitrary<infer T> ? T : never

/** When two tenants have something due in the same moment, either may come first: that is left out. */
function workOf(tenant_id: string, { due, ...work }: AnyWork): Work {
  return { ...work, due_at: due === null ? null : toIso(2 * due + (tenant_id === 's' ? 1 : 0)) }
}

function storedOf(jobs: readonly Job[]) {
  const works = jobs.flatMap(({ tenant_id, id, stored }) =>
    stored === null ? [] : [workOfJob({ tenant_id, job_id: id, ...workOf(tenant_id, stored) } as JobRecord)],
  )
  return plainWork({
    due: works.flatMap(({ due }) => due).sort(compareEntries),
    ready: works.flatMap((work) => work.ready).sort(compareEntries),
    waiting: works.flatMap(({ waiting }) => waiting).sort(compareEntries),
  })
}

/** All that an index says; in which order groups come, and those who wait, is nobody's matter. */
function answers(index: WorkIndex, { now, limit, queues, skips: skipped }: Question) {
  const skips = skipped && (({ id }: RecordKey) => skipped.includes(Number(id.slice(4))))
  const named = (list: readonly RecordKey[]) => list.map(({ tenant_id, id }) => `${tenant_id} ${id}`)
  const heads =
    skips === undefined
      ? index.heads({ queues, perGroup: limit })
      : index.free({ queues, perGroup: limit }, skips)
  const groupOf = ({ key: { tenant_id }, ready: { queue: name, group } }: (typeof heads)[number]) =>
    `${name} ${tenant_id} ${group}`
  return {
    next: index.nextDue(),
    due: index.due(now, limit, skips),
    heads: Object.groupBy(heads, groupOf),
    waiting: ['s', 't', 'u'].flatMap((tenant_id) =>
      ['x', 'y', 'z', 'none'].map((name) => [
        index.isAwaited(tenant_id, name),
        named(index.waiting(tenant_id, name)).sort(),
      ]),
    ),
  }
}

describe('work index: what somebody has taken, though that is not durable yet', () => {
  it('is shown as ready, and cannot be taken once more', () => {
    const { index, move, heads, free, placeOf } = indexed()
    for (const [rank, id] of ['a', 'b', 'c'].entries()) move(id, ready(rank))
    index.take(placeOf('b'))
    index.take(placeOf('b'))
    index.take(new WorkPlace('t', 'nowhere'))
    expect([heads(['q'], 9), heads(['q'], 2), free(['q'], 9)]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
      ['a', 'c'],
    ])
    move('b', NO_WORK)
    expect([heads(['q'], 9), free(['q'], 9)]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ])
  })

  it('can be taken again when it comes to nothing, also when its group had nothing else', () => {
    const { index, move, heads, free, placeOf } = indexed()
    move('a', ready(1, 'lonely'))
    index.take(placeOf('a'))
    // A new group is when those that have gone quiet are forgotten.
    move('b', ready(2, 'other'))
    expect([heads(['q'], 9), free(['q'], 9)]).toEqual([['a', 'b'], ['b']])
    index.giveBack(placeOf('a'))
    index.giveBack(placeOf('a'))
    index.giveBack(placeOf('b'))
    expect([heads(['q'], 9), free(['q'], 9)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    move('a', ready(3, 'other'))
    expect(free(['q'], 9)).toEqual(['b', 'a'])
  })
})

describe('work index: jobs of which the work is stored', () => {
  it('answers as if all of them were in memory, and so it goes on while they are taken there', () => {
    const step = fc.record({
      who: fc.nat(100),
      /** Taken in as it is, with other work, or with none left. */
      work: fc.oneof(fc.constant('same' as const), anyWork, fc.constant(null)),
      question,
    })
    const jobs = fc.uniqueArray(anyJob, {
      selector: ({ tenant_id, id }) => tenant_id + id,
      minLength: 1,
      maxLength: 30,
    })
    fc.assert(
      fc.property(jobs, question, fc.array(step, { maxLength: 25 }), (all, first, steps) => {
        const [whole, partly] = [indexed(), indexed()]
        for (const { tenant_id, id, stored, here } of all) {
          const now = here ?? stored
          if (now !== null) whole.move(id, workOf(tenant_id, now), tenant_id)
          if (here !== null) partly.move(id, workOf(tenant_id, here), tenant_id)
        }
        partly.index.store(storedOf(all), partly.isHere)
        expect(answers(partly.index, first)).toEqual(answers(whole.index, first))
        const moved = new Map<Job, Work>()
        for (const { who, work, question: asked } of steps) {
          const job = all[who % all.length] as Job
          const before = moved.get(job) ?? workOf(job.tenant_id, job.here ?? job.stored ?? NOTHING_TO_DO)
          const after = work === 'same' ? before : workOf(job.tenant_id, work ?? NOTHING_TO_DO)
          moved.set(job, after)
          for (const { move } of [whole, partly]) move(job.id, after, job.tenant_id)
          expect(answers(partly.index, asked)).toEqual(answers(whole.index, asked))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('replaces what was stored before, or forgets it', () => {
    const { index, move, heads, isHere } = indexed()
    const stored = (id: string, at: number) =>
      plainWork({ due: [[at, 't', id]], ready: [['q', 't', '', at, id, []]], waiting: [['t', 'x', id]] })
    move('here', { due_at: toIso(7), ...ready(7), waits_for: ['x'] })
    const seen = () => [index.nextDue(), heads(['q'], 9), index.waiting('t', 'x').map(({ id }) => id)]
    index.store(stored('first', 5), isHere)
    expect(seen()).toEqual([5, ['first', 'here'], ['here', 'first']])
    index.store(stored('second', 9), isHere)
    expect(seen()).toEqual([7, ['here', 'second'], ['here', 'second']])
    index.store(null, isHere)
    expect(seen()).toEqual([7, ['here'], ['here']])
  })
})
