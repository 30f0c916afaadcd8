import { randomInt } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { MINUTE_MS } from '../../src/core/time.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { numberFrom, withSeed } from '../crash/random/seeds.ts'
import { mustOutliveSubmitters, mustSurviveKills } from '../fixtures/many-processes.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'

describe('many processes on a ledger in Azure tables', () => {
  let prefix: string

  beforeEach(() => {
    prefix = freshPrefix()
  })

  afterEach(() => dropTables(prefix))

  const some = async (processes: number, jobs: number) => ({
    url: (await testTables()).address(prefix),
    ledger: {},
    processes,
    jobs,
  })

  it('do each job once that others submit, one of whom is killed', async () => {
    const later = { azureTables: { clockSkewMs: 2 * MINUTE_MS } }
    await mustOutliveSubmitters(await some(2, 60), later)
  })

  it('are killed, and every job ends all the same', async () => {
    const seed = numberFrom('WAYBILL_SEED') ?? randomInt(2 ** 31)
    await withSeed(seed, async () => mustSurviveKills(await some(2, 60), 2, new SeededRandom(seed)))
  })
})
