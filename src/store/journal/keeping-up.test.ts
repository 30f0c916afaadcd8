import { expect, it } from 'vitest'
import { VirtualClock } from '../../testing/virtual-clock.ts'
import { heapBytes } from '../../world/heap.ts'
import { KeepingUp, mostBytes } from './keeping-up.ts'

const KIBIBYTE = 1024
const MOST = 1000 * KIBIBYTE

/** How long nothing is decided after each of some writes, in milliseconds. */
async function pauses(
  kibibytes: readonly number[],
  isUnderWay: boolean,
  before = 0,
): Promise<readonly number[]> {
  const clock = new VirtualClock(0)
  const journal = { deltaBytes: before * KIBIBYTE }
  let held: Promise<void> | null = null
  const hold = (until: Promise<void>) => {
    held = until
    void until.then(() => {
      held = null
    })
  }
  const keepingUp = new KeepingUp(journal, { hold }, clock, () => MOST)
  const found: number[] = []
  for (const more of kibibytes) {
    journal.deltaBytes += more * KIBIBYTE
    held = null
    keepingUp.written(isUnderWay)
    const start = clock.now()
    while (held !== null) await clock.advanceBy(1)
    found.push(clock.now() - start)
  }
  return found
}

it('lets whoever writes go on, as long as there is little or nothing that would catch up', async () => {
  expect(await pauses([100, 800, 100], true)).toEqual([0, 0, 0])
  expect(await pauses([1500, 800, 100], false)).toEqual([0, 0, 0])
})

it('makes them wait about as long as a snapshot of it takes when there is much, and longer when there is far too much', async () => {
  expect(await pauses([1000, 160, 320, 520, 20, 100], true)).toEqual([0, 20, 40, 65, 20, 100])
})

it('puts short waits together', async () => {
  expect(await pauses([1008, 32, 32, 32], true)).toEqual([126, 0, 0, 12])
})

it('lets nobody wait for what was there when it was opened, nor for more than a second at a time', async () => {
  expect(await pauses([160, 160], true, 1800)).toEqual([20, 160])
  expect(await pauses([2500, 100], true)).toEqual([1000, 1000])
})

it('begins later where there is more memory, and never with very little', () => {
  expect(mostBytes(1)).toBe(16 * KIBIBYTE * KIBIBYTE)
  expect(mostBytes(2 * KIBIBYTE * KIBIBYTE)).toBe(32 * KIBIBYTE * KIBIBYTE)
  expect(mostBytes(heapBytes())).toBe(heapBytes() / 6)
})
