import { expect, it } from 'vitest'
import { HOUR_MS } from '../../src/core/time.ts'
import { TableStore } from '../../src/store/tables/table-store.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { MemoryDatabase } from '../tables/memory-database.ts'
import { MemoryTables } from '../tables/memory-tables.ts'

const DAY_MS = 24 * HOUR_MS

class Counted extends MemoryTables {
  readonly keptFrom: (number | null)[] = []
  fails = false

  override async maintain(keepFrom: number | null): Promise<number> {
    this.keptFrom.push(keepFrom)
    if (this.fails) throw new Error('not now')
    return 0
  }
}

it('clears up once an hour while it is open, also after it could not', async () => {
  const world = virtualWorld()
  const tables = new Counted(new MemoryDatabase())
  const options = { engine: 'tables', watch: 'push', tables, world, clock: world.clock } as const
  const store = await TableStore.on({ ...options, keepHistoryMs: DAY_MS })
  const start = world.clock.now()
  await world.advanceBy(HOUR_MS - 1)
  expect(tables.keptFrom).toEqual([])
  tables.fails = true
  await world.advanceBy(1)
  tables.fails = false
  await world.advanceBy(HOUR_MS)
  expect(tables.keptFrom).toEqual([start + HOUR_MS - DAY_MS, start + 2 * HOUR_MS - DAY_MS])
  await store.close()
  await world.advanceBy(2 * HOUR_MS)
  expect(tables.keptFrom).toHaveLength(2)
})
