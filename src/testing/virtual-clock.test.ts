import { describe, expect, it } from 'vitest'
import { VirtualClock } from './virtual-clock.ts'

describe('virtual clock', () => {
  it('stands still until time is told to pass', async () => {
    const clock = new VirtualClock(1000)
    expect(clock.now()).toBe(1000)
    await clock.advanceBy(500)
    expect(clock.now()).toBe(1500)
  })

  it('fires timers in the order of their times, each at its own', async () => {
    const clock = new VirtualClock(0)
    const fired: string[] = []
    const note = (name: string) => () => void fired.push(`${name} ${clock.now()}`)
    clock.after(30, note('late'))
    clock.after(10, note('early'))
    clock.after(10, note('as early, but second'))
    clock.after(31, note('too late'))
    expect(clock.nextTimer).toBe(10)
    await clock.advanceBy(30)
    expect(fired).toEqual(['early 10', 'as early, but second 10', 'late 30'])
    expect(clock.nextTimer).toBe(31)
  })

  it('shows whole milliseconds, as a clock does, when a timer is set for a part of one', async () => {
    const clock = new VirtualClock(0)
    const fired: number[] = []
    clock.after(0.25, () => void fired.push(clock.now()))
    clock.after(1.5, () => void fired.push(clock.now()))
    await clock.advanceBy(2)
    expect(fired).toEqual([1, 2])
  })

  it('fires what a timer sets in turn, and lets promises settle in between', async () => {
    const clock = new VirtualClock(0)
    const fired: number[] = []
    const tick = () => {
      void Promise.resolve().then(() => {
        fired.push(clock.now())
        clock.after(10, tick)
      })
    }
    clock.after(10, tick)
    await clock.advanceBy(35)
    expect(fired).toEqual([10, 20, 30])
    expect([clock.now(), clock.nextTimer]).toEqual([35, 40])
  })

  it('forgets a timer that was cancelled', async () => {
    const clock = new VirtualClock(0)
    let fired = false
    const timer = clock.after(10, () => {
      fired = true
    })
    timer.cancel()
    timer.cancel()
    await clock.advanceBy(20)
    expect([fired, clock.nextTimer]).toEqual([false, null])
  })

  it('fires at once what lies in the past', async () => {
    const clock = new VirtualClock(100)
    let at = 0
    clock.after(-50, () => {
      at = clock.now()
    })
    await clock.advanceBy(0)
    expect(at).toBe(100)
  })

  it('waits for promises however many follow one another', async () => {
    const clock = new VirtualClock(0)
    let fired = 0
    const slowly = async () => {
      for (let turn = 0; turn < 1000; turn++) await Promise.resolve()
      await new Promise<void>((resolve) => process.nextTick(resolve))
      fired = clock.now()
    }
    clock.after(1, () => void slowly())
    clock.after(2, () => {})
    await clock.advanceBy(2)
    expect(fired).toBe(1)
  })

  it('can be set, forward and back; timers go by the time that passes', async () => {
    const clock = new VirtualClock(100)
    const fired: number[] = []
    const note = () => void fired.push(clock.now())
    clock.after(10, note)
    clock.jumpTo(1000)
    expect([clock.now(), clock.nextTimer]).toEqual([1000, 1010])
    await clock.advanceBy(9)
    expect(fired).toEqual([])
    await clock.advanceBy(1)
    clock.after(10, note)
    clock.jumpTo(5)
    await clock.advanceBy(10)
    expect(fired).toEqual([1010, 15])
  })
})
