// A suite that cannot fail proves nothing. Each engine here has one mistake in it, and the suite must notice.
import { describe, expect, it } from 'vitest'
import { storeConformance } from 'waybill/testing'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import type { Fault } from './faults/fault.ts'
import { READING_FAULTS } from './faults/reading.ts'
import { WORKING_FAULTS } from './faults/working.ts'
import { WRITING_FAULTS } from './faults/writing.ts'

/** A fault may make a store hang; there is no need to wait long to be sure of it. */
const PATIENCE_MS = 500

async function topicsThatFail({ name, plant }: Fault): Promise<readonly string[]> {
  const tests = storeConformance({
    name,
    open: async (world) => plant(new MemoryStore(world), world),
    patienceMs: PATIENCE_MS,
    histories: { runs: 40, steps: 40, seed: 7 },
  })
  const failed = new Set<string>()
  for (const { topic, skip, run } of tests) {
    if (skip === undefined) await run().catch(() => failed.add(topic))
  }
  return [...failed]
}

describe.each([
  ['writing', WRITING_FAULTS],
  ['reading', READING_FAULTS],
  ['working', WORKING_FAULTS],
])('a fault in %s', (_, faults) => {
  it.concurrent.each(faults)('is noticed: $name', { timeout: 60_000 }, async (fault) => {
    const failed = await topicsThatFail(fault)
    expect(failed).toEqual(expect.arrayContaining([...fault.caughtBy]))
  })
})
