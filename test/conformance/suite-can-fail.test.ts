// A suite that cannot fail proves nothing. Each engine here has one mistake in it, and the suite must notice.
import { describe, expect, it } from 'vitest'
import { type ConformanceTest, type StoreSubject, storeConformance } from 'waybill/testing'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import type { Fault } from './faults/fault.ts'
import { READING_FAULTS } from './faults/reading.ts'
import { WORKING_FAULTS } from './faults/working.ts'
import { WRITING_FAULTS } from './faults/writing.ts'

/** A fault may make a store hang; there is no need to wait long to be sure of it. */
const PATIENCE_MS = 1000

/** The first test of a topic that fails. */
async function firstFailure(tests: readonly ConformanceTest[], topic: string): Promise<string | undefined> {
  for (const test of tests) {
    if (test.topic !== topic || test.skip !== undefined) continue
    const failed = await test.run().then(
      () => false,
      () => true,
    )
    if (failed) return test.name
  }
  return undefined
}

function broken({ name, plant }: Fault): StoreSubject {
  return {
    name,
    open: async (world) => plant(new MemoryStore(world), world),
    patienceMs: PATIENCE_MS,
    histories: { runs: 100, steps: 60, seed: 7 },
  }
}

describe.each([
  ['writing', WRITING_FAULTS],
  ['reading', READING_FAULTS],
  ['working', WORKING_FAULTS],
])('a fault in %s', (_, faults) => {
  describe.each(faults)('$name', (fault) => {
    const tests = storeConformance(broken(fault))

    it.each(fault.caughtBy)('is noticed by the tests of %s', { timeout: 60_000 }, async (topic) => {
      expect(await firstFailure(tests, topic)).toBeDefined()
    })
  })
})
