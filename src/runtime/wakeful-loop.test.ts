import { describe, expect, it } from 'vitest'
import { LedgerClosed } from '../errors/input-errors.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { WakefulLoop } from './wakeful-loop.ts'

function setUp(turn: (nth: number) => number | null) {
  const world = virtualWorld({ startMs: 0 })
  const turns: number[] = []
  const loop = new WakefulLoop('test', world, async () => {
    turns.push(world.clock.now())
    return turn(turns.length)
  })
  return { world, loop, turns }
}

describe('a wakeful loop', () => {
  it('takes one turn and then sleeps, however long, until it is woken', async () => {
    const { world, loop, turns } = setUp(() => null)
    loop.start()
    loop.start()
    await world.advanceBy(1_000_000)
    expect(turns).toEqual([0])
    expect(world.clock.nextTimer).toBeNull()
    loop.wake()
    await world.advanceBy(10)
    expect(turns).toEqual([0, 1_000_000])
  })

  it('wakes by itself at the time that a turn named, and not before', async () => {
    const { world, loop, turns } = setUp((nth) => (nth === 1 ? 300_000 : null))
    loop.start()
    await world.advanceBy(1_000_000)
    expect(turns).toEqual([0, 300_000])
  })

  it('notices a clock that is set forward while it sleeps', async () => {
    const { world, loop, turns } = setUp((nth) => (nth === 1 ? 3_600_000 : null))
    loop.start()
    await world.advanceBy(1000)
    world.clock.jumpTo(3_600_000)
    await world.advanceBy(60_000)
    expect(turns).toHaveLength(2)
    expect(turns[1]).toBeLessThanOrEqual(3_660_000)
  })

  it('takes another turn at once when there was news during one', async () => {
    const { world, loop, turns } = setUp((nth) => {
      if (nth === 1) loop.wake()
      return null
    })
    loop.start()
    await world.advanceBy(1)
    expect(turns).toEqual([0, 0])
  })

  it('goes on after a failure, waits longer from one to the next, and is not hurried by news', async () => {
    const { world, loop, turns } = setUp((nth) => {
      if (nth > 3) return null
      loop.wake()
      throw new Error('no luck')
    })
    loop.start()
    await world.advanceBy(10_000)
    expect(turns).toEqual([0, 100, 300, 700])
    expect(world.logged.map(({ level }) => level)).toEqual(['error', 'error', 'error'])
    await loop.stop()
  })

  it('ends when the ledger is closed', async () => {
    const { world, loop, turns } = setUp(() => {
      throw new LedgerClosed()
    })
    loop.start()
    await world.advanceBy(1_000_000)
    expect([turns, loop.isStopped, world.logged]).toEqual([[0], true, []])
  })

  it('stops when asked, as often as one likes, and stays so', async () => {
    const { world, loop, turns } = setUp(() => 10)
    loop.start()
    await world.advanceBy(0)
    await Promise.all([loop.stop(), loop.stop()])
    loop.start()
    loop.wake()
    await world.advanceBy(1000)
    expect(turns).toEqual([0])
    await new WakefulLoop('never started', world, async () => null).stop()
  })
})
