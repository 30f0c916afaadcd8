import { randomInt } from 'node:crypto'
import { describe, it } from 'vitest'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { numberFrom, withSeed } from '../crash/random/seeds.ts'
import { scratch } from '../e2e/scratch.ts'
import { mustShare, mustSurviveKills } from '../fixtures/many-processes.ts'

describe('several processes on a ledger in SQLite', () => {
  it('do each of many jobs once', async () => {
    using place = scratch('sqlite')
    await mustShare({ url: `sqlite:${place.folder}/ledger.db`, ledger: {}, processes: 4, jobs: 1000 })
  })

  it('are killed, and every job ends all the same', async () => {
    using place = scratch('sqlite')
    const ledger = { url: `sqlite:${place.folder}/ledger.db`, ledger: {}, processes: 4, jobs: 600 }
    const seed = numberFrom('WAYBILL_SEED') ?? randomInt(2 ** 31)
    await withSeed(seed, () => mustSurviveKills(ledger, 6, new SeededRandom(seed)))
  })
})
