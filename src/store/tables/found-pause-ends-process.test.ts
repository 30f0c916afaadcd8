// A process could end while a caller waited for its next try after a few lost races: the timer for that does not keep a
// process alive, and with nothing asked of the database nothing else does either.
import { expect, it } from 'vitest'
import { LedgerBusy } from '../../errors/sqlite-errors.ts'
import { SeededRandom } from '../../testing/seeded-random.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { GroupWrite } from './group-write.ts'
import { Memory } from './memory.ts'
import { ReadBirths } from './read-births.ts'
import { Shelf } from './shelf.ts'
import { Conflict, type Tables } from './tables.ts'

it('a caller that waits for another try keeps the process alive', async () => {
  const { timers, ids } = virtualWorld()
  let holds = 0
  let isPaused = false
  const heldWhilePaused: number[] = []
  const shelf = new Shelf(false, 0)
  const group = new GroupWrite({
    // Somebody else is always faster.
    tables: { load: () => Promise.reject(new Conflict('faster')) } as unknown as Tables,
    memory: new Memory(shelf),
    shelf,
    births: new ReadBirths(),
    ids,
    timers: {
      turn: () => timers.turn(),
      hold: () => {
        holds++
        return { cancel: () => void holds-- }
      },
      after: (_, callback) => {
        isPaused = true
        heldWhilePaused.push(holds)
        queueMicrotask(callback)
        return { cancel: () => {} }
      },
    },
    random: new SeededRandom(1),
    time: () => 0,
    onSeen: () => false,
    onWritten: () => {},
    onFailed: () => {},
  })
  const adding = group.add([{ kind: 'document', tenant_id: 't', id: 'd' }], () => {
    throw new Error('nothing was loaded')
  })
  await expect(adding).rejects.toThrow(LedgerBusy)
  expect(isPaused).toBe(true)
  expect(new Set(heldWhilePaused)).toEqual(new Set([1]))
  expect(holds).toBe(0)
})
