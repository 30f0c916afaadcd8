import { describe, it } from 'vitest'
import { type StoreSubject, storeConformance } from 'waybill/testing'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'

const memory: StoreSubject = { name: 'memory', open: async (world) => new MemoryStore(world) }

describe.each(Object.entries(Object.groupBy(storeConformance(memory), ({ topic }) => topic)))(
  'memory: %s',
  (_, tests = []) => {
    for (const test of tests) {
      it(test.name, { timeout: 2 * test.limitMs }, async (context) => {
        const reason = test.skip ?? (await test.run()).excused
        if (reason !== null) context.skip(`${reason}`)
      })
    }
  },
)
