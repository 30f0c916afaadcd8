import { describe, expect, it } from 'vitest'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import type { StoreSubject } from './subject.ts'
import { type ConformanceTest, storeConformance } from './suite.ts'

const memory: StoreSubject = { name: 'memory', open: async (world) => new MemoryStore(world) }

function named(tests: readonly ConformanceTest[], name: string): ConformanceTest {
  const test = tests.find((candidate) => candidate.name === name)
  expect(test).toBeDefined()
  return test as ConformanceTest
}

describe('storeConformance', () => {
  it('gives every test a name of its own and a limit', () => {
    const tests = storeConformance(memory)
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length)
    for (const { limitMs } of tests) expect(limitMs).toBeGreaterThan(0)
  })

  it('skips what the subject is excused from, with its reason', () => {
    const skip = [{ reason: 'it is slow on Sundays', tests: ['ends every watch'] }]
    const tests = storeConformance({ ...memory, skip })
    expect(named(tests, 'ends every watch').skip).toBe('it is slow on Sundays')
    expect(named(tests, 'finishes what is pending').skip).toBeUndefined()
  })

  it('refuses to skip a test that does not exist, or without a reason', () => {
    const unknown = [{ reason: 'why not', tests: ['no such test'] }]
    expect(() => storeConformance({ ...memory, skip: unknown })).toThrow(/does not exist: no such test/)
    const silent = [{ reason: ' ', tests: ['ends every watch'] }]
    expect(() => storeConformance({ ...memory, skip: silent })).toThrow(/without a reason/)
  })

  it('does not ask a store to be opened again that nothing outlives', () => {
    const skipped = storeConformance(memory).filter(({ topic }) => topic === 'reopen')
    expect(skipped.map(({ skip }) => skip)).toEqual(skipped.map(() => 'nothing outlives this store'))
    const reopen = memory.open
    const asked = storeConformance({ ...memory, reopen }).filter(({ topic }) => topic === 'reopen')
    expect(asked.map(({ skip }) => skip)).toEqual(asked.map(() => undefined))
  })

  it('excuses an engine from what it declares it cannot do', async () => {
    const open: StoreSubject['open'] = async (world) => {
      const store = new MemoryStore(world)
      return Object.assign(store, { capabilities: { ...store.capabilities, batch: false } })
    }
    const tests = storeConformance({ ...memory, open }).filter(({ topic }) => topic === 'batch')
    for (const test of tests) {
      expect(await test.run()).toEqual({ excused: 'the engine declares that it has no batches' })
    }
  })

  it('fails a test that hangs, and says what was awaited', async () => {
    const open: StoreSubject['open'] = async (world) =>
      Object.assign(new MemoryStore(world), { nextDue: () => new Promise<null>(() => {}) })
    const tests = storeConformance({ ...memory, open, patienceMs: 20 })
    const name = 'has no timer where nothing waits for time'
    await expect(named(tests, name).run()).rejects.toThrow(`${name}: nothing for 20 ms`)
  })

  it('cleans up after every test, also after one that fails', async () => {
    let cleaned = 0
    const cleanUp = async () => {
      cleaned++
    }
    const open: StoreSubject['open'] = async (world) =>
      Object.assign(new MemoryStore(world), { nextDue: () => Promise.reject(new Error('broken')) })
    const tests = storeConformance({ ...memory, open, cleanUp })
    await expect(named(tests, 'has no timer where nothing waits for time').run()).rejects.toThrow('broken')
    await named(tests, 'finishes what is pending').run()
    expect(cleaned).toBe(2)
  })
})
