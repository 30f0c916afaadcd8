import { describe, it } from 'vitest'
import { type StoreSubject, storeConformance } from 'waybill/testing'

/** The suite over one engine, as vitest tests. */
export function registerConformance(subject: StoreSubject): void {
  const byTopic = Object.groupBy(storeConformance(subject), ({ topic }) => topic)
  for (const [topic, tests = []] of Object.entries(byTopic)) {
    describe(`${subject.name}: ${topic}`, () => {
      for (const test of tests) {
        it(test.name, { timeout: 2 * test.limitMs }, async (context) => {
          const reason = test.skip ?? (await test.run()).excused
          if (reason !== null) context.skip(`${reason}`)
        })
      }
    })
  }
}
