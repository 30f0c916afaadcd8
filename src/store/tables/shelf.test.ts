import { expect, it } from 'vitest'
import type { ReadyHead } from '../../core/pick.ts'
import { isAll, Shelf } from './shelf.ts'

const QUEUES = ['q']

function head(id: string, rank = 0, group = ''): ReadyHead {
  return { key: { kind: 'job', tenant_id: 't', id }, ready: { queue: 'q', group, rank, limits: [] } }
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

it('a look that began before somebody else wrote tells nothing', () => {
  const shelf = new Shelf(true, 0)
  const looking = shelf.begin()
  shelf.forget()
  shelf.sawAll(looking, QUEUES)
  expect(shelf.knows(QUEUES)).toBe(false)
})

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
