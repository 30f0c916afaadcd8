import { afterAll, describe, it } from 'vitest'
import { type StoreSubject, storeConformance } from 'waybill/testing'

/** The suite over one engine, as vitest tests. What is left out is said, with its reason. */
export function registerConformance(subject: StoreSubject): void {
  const leftOut = new Map<string, number>()
  const byTopic = Object.groupBy(storeConformance(subject), ({ topic }) => topic)
  for (const [topic, tests = []] of Object.entries(byTopic)) {
    describe(`${subject.name}: ${topic}`, () => {
      for (const test of tests) {
        it(test.name, { timeout: 2 * test.limitMs }, async (context) => {
          const reason = test.skip ?? (await test.run()).excused
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
