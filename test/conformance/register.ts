import { randomInt } from 'node:crypto'
import { afterAll, describe, it } from 'vitest'
import { type StoreSubject, storeConformance } from 'waybill/testing'
import { isLong } from '../crash/random/seeds.ts'

/** Which tests of the suite have their turn; and what is said of the others. */
interface Turn {
  readonly has: (nth: number) => boolean
  readonly otherwise: string
}

/** One of so many, by chance these or those; all of them where there is time. */
export function oneOf(so: number, wholeSuite: string): Turn {
  const every = isLong ? 1 : so
  const turn = randomInt(every)
  return {
    has: (nth) => nth % every === turn,
    otherwise: `not its turn: npm run ${wholeSuite} has all of it`,
  }
}

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
