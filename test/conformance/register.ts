import { afterAll, describe, it } from 'vitest'
import { type StoreSubject, storeConformance } from 'waybill/testing'
import type { Turn } from '../fixtures/turns.ts'

/** The suite over one engine, as vitest tests. What is left out is said, with its reason. */
export function registerConformance(subject: StoreSubject, turn?: Turn): void {
  const leftOut = new Map<string, number>()
  const all = storeConformance(subject)
  const byTopic = Object.groupBy(all, ({ topic }) => topic)
  for (const [topic, tests = []] of Object.entries(byTopic)) {
    describe(`${subject.name}: ${topic}`, () => {
      for (const test of tests) {
        it(test.name, { timeout: 2 * test.limitMs }, async (context) => {
          const isOff = turn?.has(all.indexOf(test)) === false
          const reason = test.skip ?? (isOff ? turn.otherwise : (await test.run()).excused)
          if (reason === null) return
          leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
          context.skip(reason)
        })
      }
    })
  }
  afterAll(() => {
    for (const [reason, count] of leftOut) console.log(`${subject.name}: ${count} left out: ${reason}`)
  })
}
