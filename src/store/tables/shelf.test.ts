import { expect, it } from 'vitest'
import type { Horizon } from './horizons.ts'
import { isAll, Shelf, type Waits } from './shelf.ts'
import type { Workspace } from './workspace.ts'

const QUEUES = ['q']
const all = { queues: QUEUES, perGroup: 10 }

function head(id: string, rank = 0, group = ''): Waits {
  const ready = { queue: 'q', group, rank, limits: [] }
  return { key: { kind: 'job', tenant_id: 't', id }, ready, waiting: null }
}

const ids = (shelf: Shelf) => shelf.heads({ queues: QUEUES, perGroup: 10 }).map(({ key }) => key.id)

it('knows what is left of a look that showed everything, in its order', () => {
  const shelf = new Shelf(false, 0)
  expect(shelf.knows(QUEUES)).toBe(false)
  const looking = shelf.begin()
  shelf.sawAll(looking, QUEUES)
  shelf.giveBack([head('b', 2), head('a', 1)])
  expect(shelf.knows(QUEUES)).toBe(true)
  expect(ids(shelf)).toEqual(['a', 'b'])
  shelf.take(head('a').key)
  expect(ids(shelf)).toEqual(['b'])
  expect(shelf.hasAny(QUEUES)).toBe(true)
})

it('keeps what another look has left meanwhile, and drops what is there no longer', () => {
  const shelf = new Shelf(false, 0)
  shelf.giveBack([head('gone')])
  const looking = shelf.begin()
  shelf.giveBack([head('hidden')])
  shelf.sawAll(looking, QUEUES)
  shelf.giveBack([head('left')])
  expect([...ids(shelf)].sort()).toEqual(['hidden', 'left'])
})

it('finds what was taken and came back by the key that it was shown under before', () => {
  const shelf = new Shelf(true, 0)
  shelf.giveBack([head('a')])
  const [shown] = shelf.heads(all)
  const { key } = shown as Waits
  shelf.take(key)
  expect([shelf.has(key), shelf.take(key)]).toEqual([false, null])
  shelf.giveBack([head('a')])
  expect(shelf.has(key)).toBe(true)
  shelf.take(key)
  expect(ids(shelf)).toEqual([])
})

it('a look that began before somebody else wrote tells nothing', () => {
  const shelf = new Shelf(true, 0)
  const looking = shelf.begin()
  shelf.forget()
  shelf.sawAll(looking, QUEUES)
  expect(shelf.knows(QUEUES)).toBe(false)
})

/** Some has come that is not kept: of these ranks, in a group of which `a` and `b` are known. */
function shelfOfTwo(...ranks: readonly number[]): Shelf {
  const shelf = new Shelf(true, 0, 2)
  shelf.sawFirst(shelf.begin(), QUEUES, [head('a', 1), head('b', 2)], [placeOf('b', 2)])
  shelf.end()
  for (const rank of ranks) shelf.giveBack([head(`late-${rank}`, rank)])
  return shelf
}

function placeOf(job_id: string, rank: number) {
  return { queue: 'q', tenant_id: 't', group: '', rank, job_id }
}

const horizonOf = (shelf: Shelf) => shelf.shortOf(all, 10)[0] as Horizon

it('knows up to where it has seen all of a group, and asks for more when less is left than somebody wants to see', () => {
  const shelf = shelfOfTwo()
  expect(ids(shelf)).toEqual(['a', 'b'])
  expect(shelf.isShort({ queues: QUEUES, perGroup: 2 })).toBe(false)
  expect(shelf.isShort({ queues: QUEUES, perGroup: 3 })).toBe(true)
  expect(shelf.isShort({ queues: QUEUES, perGroup: 3, most: 2 })).toBe(false)
  expect(shelf.isShort({ queues: ['other'], perGroup: 3 })).toBe(false)
  expect(shelf.isShort({ ...all, tenants: ['another'] })).toBe(false)
})

it('goes on from there, to the end', () => {
  const shelf = shelfOfTwo()
  const horizon = horizonOf(shelf)
  shelf.sawMore(shelf.begin(), horizon, [head('c', 3)], placeOf('c', 3))
  expect(ids(shelf)).toEqual(['a', 'b', 'c'])
  expect(horizon.place).toEqual(placeOf('c', 3))
  shelf.sawMore(shelf.begin(), horizon, [head('d', 4)], null)
  expect(ids(shelf)).toEqual(['a', 'b', 'c', 'd'])
  expect(shelf.isShort(all)).toBe(false)
})

it('does not show what came behind it, and does not read over that either', () => {
  const shelf = shelfOfTwo(5, 4)
  expect(ids(shelf)).toEqual(['a', 'b'])
  expect(horizonOf(shelf).hidesFrom).toBe(4)
  // There was nothing more where things are found; what came is still to be read.
  shelf.sawMore(shelf.begin(), horizonOf(shelf), [head('c', 3)], null)
  expect(shelf.isShort(all)).toBe(true)
  expect(horizonOf(shelf).place).toEqual(placeOf('c', 3))
})

it('knows what comes while all of it is read', () => {
  const shelf = shelfOfTwo(4)
  const horizon = horizonOf(shelf)
  horizon.beginToReadAll()
  const looking = shelf.begin()
  shelf.giveBack([head('late', 6)])
  shelf.sawMore(looking, horizon, [head('c', 3), head('late-4', 4)], null)
  expect(ids(shelf)).toEqual(['a', 'b', 'c', 'late-4', 'late'])
  expect(shelf.isShort(all)).toBe(false)
})

it('what comes while some of it is read is known as far as that goes', () => {
  const shelf = shelfOfTwo()
  const horizon = horizonOf(shelf)
  horizon.beginToReadAll()
  const looking = shelf.begin()
  shelf.giveBack([head('near', 3), head('far', 9)])
  shelf.sawMore(looking, horizon, [head('c', 4)], placeOf('c', 4))
  expect(ids(shelf)).toEqual(['a', 'b', 'near', 'c'])
  expect(horizon.hidesFrom).toBe(9)
})

it('tells nothing of a group that is known otherwise by then', () => {
  const shelf = shelfOfTwo()
  const horizon = horizonOf(shelf)
  const looking = shelf.begin()
  shelf.sawAll(looking, QUEUES)
  shelf.sawMore(looking, horizon, [head('c', 3)], placeOf('c', 3))
  expect(ids(shelf)).not.toContain('c')
})

it('keeps so much in mind and no more, but for what comes first', () => {
  const shelf = new Shelf(true, 0, 2)
  const born = (id: string, rank: number) => shelf.wrote(spaceWith(id, rank))
  for (const [id, rank] of [
    ['a', 5],
    ['b', 6],
    ['c', 7],
    ['urgent', 1],
    ['d', 8],
  ] as const)
    born(id, rank)
  expect(ids(shelf)).toEqual(['urgent', 'a', 'b'])
  expect(horizonOf(shelf)).toMatchObject({ place: placeOf('b', 6), hidesFrom: 7 })
})

function spaceWith(id: string, rank: number): Workspace {
  const { key, ready } = head(id, rank)
  return { bornAlone: () => [{ ...key, job_id: id, ready }], forEachCell: () => {} } as never
}

it('has a look now and then, and more seldom while it is busy', () => {
  const shelf = new Shelf(true, 0)
  expect(shelf.isTimeToLook(4999, false)).toBe(false)
  expect(shelf.isTimeToLook(5000, true)).toBe(false)
  expect(shelf.isTimeToLook(5000, false)).toBe(true)
  expect(shelf.isTimeToLook(5001, false)).toBe(false)
})

it('a look has shown everything if no group was cut short', () => {
  const select = { queues: QUEUES, perGroup: 2, most: 8 }
  expect(isAll(select, [])).toBe(true)
  expect(isAll(select, [head('a')])).toBe(true)
  expect(isAll(select, [head('a'), head('b')])).toBe(false)
  expect(isAll(select, [head('a'), head('b', 0, 'other')])).toBe(true)
  expect(isAll({ ...select, most: 2 }, [head('a'), head('b', 0, 'other')])).toBe(false)
  expect(isAll({ ...select, tenants: ['t'] }, [])).toBe(false)
})
