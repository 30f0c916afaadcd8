import { describe, expect, it } from 'vitest'
import { virtualWorld } from './virtual-world.ts'

describe('virtual world', () => {
  it('happens the same way again', () => {
    const [one, two, other] = [virtualWorld(), virtualWorld(), virtualWorld({ seed: 2 })]
    const ids = (world: typeof one) => Array.from({ length: 5 }, () => world.ids.next())
    const first = ids(one)
    expect(ids(two)).toEqual(first)
    expect(ids(other)).not.toEqual(first)
    expect(one.random.next()).toBe(two.random.next())
  })

  it('has secrets that are the same again, and do not change how dice fall', () => {
    const [one, two, other] = [virtualWorld(), virtualWorld(), virtualWorld({ seed: 2 })]
    const secret = one.secrets.bytes(32)
    expect(secret).toHaveLength(32)
    expect(one.secrets.bytes(32)).not.toEqual(secret)
    expect(two.secrets.bytes(32)).toEqual(secret)
    expect(other.secrets.bytes(32)).not.toEqual(secret)
    expect(one.random.next()).toBe(virtualWorld().random.next())
  })

  it('makes ids that are all different and sort by the time of their making', async () => {
    const world = virtualWorld({ startMs: 1000 })
    const made: string[] = []
    for (let i = 0; i < 300; i++) {
      made.push(world.ids.next())
      if (i % 7 === 0) await world.advanceBy(1)
    }
    expect(new Set(made).size).toBe(made.length)
    expect(made.toSorted()).toEqual(made)
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('has one time for clock and timers', async () => {
    const world = virtualWorld({ startMs: 500 })
    const fired: number[] = []
    world.timers.after(20, () => void fired.push(world.clock.now()))
    await world.advanceBy(30)
    expect([fired, world.clock.now()]).toEqual([[520], 530])
  })

  it('keeps what was logged and warned about', () => {
    const world = virtualWorld()
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      world.logger[level]({ level }, `at ${level}`)
    world.warn('old name', 'WAYBILL_DEP')
    expect(world.logged.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'debug: at debug',
      'info: at info',
      'warn: at warn',
      'error: at error',
    ])
    expect(world.warned).toEqual([{ message: 'old name', code: 'WAYBILL_DEP' }])
  })

  it('has a disk of its own', async () => {
    const [one, two] = [virtualWorld(), virtualWorld()]
    await one.disk.makeFolder('/ledger')
    expect([await one.disk.list('/'), await two.disk.list('/')]).toEqual([['ledger'], []])
    expect(virtualWorld({ disk: one.disk }).disk).toBe(one.disk)
  })
})
