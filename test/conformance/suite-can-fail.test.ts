// A suite that cannot fail proves nothing. Each engine here has one mistake in it, and the suite must notice.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ConformanceTest, type StoreSubject, storeConformance, type VirtualWorld } from 'waybill/testing'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { oneOf } from '../fixtures/turns.ts'
import type { Fault } from './faults/fault.ts'
import { FORGETTING_FAULTS } from './faults/forgetting.ts'
import { LIMITING_FAULTS } from './faults/limiting.ts'
import { READING_FAULTS } from './faults/reading.ts'
import { WORKING_FAULTS } from './faults/working.ts'
import { WRITING_FAULTS } from './faults/writing.ts'
import { LazyBacking, LazyStore } from './lazy-store.ts'

/** Every other one, by chance. */
const turn = oneOf(2, 'test:conformance:long')
let tried = 0

/** Faults are planted in the records too. */
const SOFT = { freezes: false }

/** A fault may make a store hang; there is no need to wait long to be sure of it. */
const PATIENCE_MS = 1000

/** Histories go on until one shows the fault: on a busy machine that takes a while, and is no sign of anything. */
const PATIENCE_WITH_HISTORIES_MS = 8 * PATIENCE_MS

/** Not having finished is no finding. */
const TOO_SLOW = /^Time for \d+ of/

/** The first test of a topic that fails. */
async function firstFailure(tests: readonly ConformanceTest[], topic: string): Promise<string | undefined> {
  for (const test of tests) {
    if (test.topic !== topic || test.skip !== undefined) continue
    const error = await test.run().then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    if (error !== undefined && !TOO_SLOW.test(error.message)) return test.name
  }
  return undefined
}

const LIMITS = {
  patienceMs: PATIENCE_MS,
  histories: { runs: 100, steps: 60, seed: 7, shrink: false },
} as const

function broken({ name, plant }: Fault): StoreSubject {
  return { name, open: async (world) => plant(new MemoryStore(world, SOFT), world), ...LIMITS }
}

/** Sound until it is opened for the second time. */
function forgetful({ name, plant }: Fault): StoreSubject {
  const kept = new WeakMap<VirtualWorld, LazyBacking>()
  return {
    name,
    open: async (world) => {
      const backing = new LazyBacking(new MemoryStore(world, SOFT))
      kept.set(world, backing)
      return new LazyStore(backing)
    },
    reopen: async (world) => {
      const backing = kept.get(world) ?? new LazyBacking(new MemoryStore(world, SOFT))
      return plant(new LazyStore(backing), world)
    },
    ...LIMITS,
  }
}

describe.each([
  { kind: 'writing', faults: WRITING_FAULTS, subjectOf: broken },
  { kind: 'reading', faults: READING_FAULTS, subjectOf: broken },
  { kind: 'working', faults: WORKING_FAULTS, subjectOf: broken },
  { kind: 'limiting', faults: LIMITING_FAULTS, subjectOf: broken },
  { kind: 'remembering', faults: FORGETTING_FAULTS, subjectOf: forgetful },
])('a fault in $kind', ({ faults, subjectOf }) => {
  describe.each(faults)('$name', (fault) => {
    it.for(fault.caughtBy)('is noticed by the tests of %s', { timeout: 60_000 }, async (topic, context) => {
      if (!turn.has(tried++)) context.skip('not its turn: npm run test:conformance:long has all of it')
      const patienceMs = topic === 'histories' ? PATIENCE_WITH_HISTORIES_MS : PATIENCE_MS
      const tests = storeConformance({ ...subjectOf(fault), patienceMs })
      expect(await firstFailure(tests, topic)).toBeDefined()
    })
  })
})

describe('a history that fails', () => {
  const [fault] = WRITING_FAULTS
  const failure = async (histories: StoreSubject['histories']) => {
    const subject = { ...broken(fault as Fault), histories: { steps: 20, ...histories } }
    const test = storeConformance(subject).find(({ topic }) => topic === 'histories')
    return test?.run().then(
      () => '',
      (error: Error) => error.message,
    )
  }
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('says how to play it again, and fails the same way then', async () => {
    // Not made small: how far that comes is a matter of time, and a busy machine has less of it the second time.
    const first = (await failure({ shrink: false })) ?? ''
    const [, seed = '', runs = ''] = /WAYBILL_SEED=(-?\d+) WAYBILL_RUNS=(\d+)/.exec(first) ?? []
    expect(seed).not.toBe('')
    vi.stubEnv('WAYBILL_SEED', seed)
    vi.stubEnv('WAYBILL_RUNS', runs)
    expect(await failure({ seed: 1, runs: 1, shrink: false })).toBe(first)
  })

  it('refuses a seed that is no number', async () => {
    vi.stubEnv('WAYBILL_SEED', 'lucky')
    expect(await failure({})).toMatch(/WAYBILL_SEED must be a whole number/)
  })

  it('says so when there was not time for all of them', async () => {
    const memory = {
      name: 'memory',
      open: async (world: VirtualWorld) => new MemoryStore(world),
      patienceMs: 100,
    }
    const tests = storeConformance({ ...memory, histories: { runs: 1_000_000 } })
    const test = tests.find(({ topic }) => topic === 'histories')
    await expect(test?.run()).rejects.toThrow(TOO_SLOW)
  })
})
