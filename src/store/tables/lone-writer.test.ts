import { expect, it } from 'vitest'
import { storeInTables } from '../../../test/fixtures/tables-ledger.ts'
import { worldOfTurns } from '../../../test/fixtures/world-of-turns.ts'
import { MemoryDatabase } from '../../../test/tables/memory-database.ts'
import { MemoryTables } from '../../../test/tables/memory-tables.ts'
import { decide, keyOf } from '../../core/command.ts'
import { freshJob } from '../../testing/conformance/commands.ts'

const MS = 1
const WRITES = 100

/** A store whose turns are counted, and whose time goes on when somebody says so. */
async function counting() {
  const world = worldOfTurns()
  const { turn } = world.timers
  let turns = 0
  world.timers.turn = () => {
    turns++
    return turn()
  }
  const store = await storeInTables(world, new MemoryTables(new MemoryDatabase(), { turn: async () => {} }))
  const submit = (id: string) => {
    const command = freshJob(id)
    return store.transact([keyOf(command)], (given) => decide(command, given))
  }
  return {
    store,
    submit,
    later: (ms: number) => world.clock.jumpTo(world.clock.now() + ms),
    turnsOf: async (work: () => Promise<unknown>) => {
      const before = turns
      await work()
      return turns - before
    },
  }
}

it('does not take a turn for each write of one who writes alone, and some all the same', async () => {
  const { store, submit, later, turnsOf } = await counting()
  const alone = (name: string, ms: number) => async () => {
    for (let nth = 0; nth < WRITES; nth++) {
      await submit(`${name}-${nth}`)
      later(ms)
    }
  }
  await alone('before', 0)()
  // Time may stand still for hours, where a clock was set back: then nobody else in the process would have been heard.
  const few = await turnsOf(alone('quick', 0))
  expect(few).toBeGreaterThanOrEqual(WRITES / 40)
  expect(few).toBeLessThan(WRITES / 4)
  const some = await turnsOf(alone('slower', MS))
  expect(some).toBeGreaterThanOrEqual(WRITES / 5)
  expect(some).toBeLessThan(WRITES)
  await store.close()
})

it('takes a turn where others may come along', async () => {
  const { store, submit, turnsOf } = await counting()
  const both = (name: string) => async () => {
    for (let nth = 0; nth < WRITES; nth++)
      await Promise.all([submit(`one-${name}-${nth}`), submit(`other-${name}-${nth}`)])
  }
  await both('before')()
  expect(await turnsOf(both('then'))).toBeGreaterThanOrEqual(WRITES)
  await store.close()
})
