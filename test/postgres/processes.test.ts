import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { isLong, numberFrom, withSeed } from '../crash/random/seeds.ts'
import { mustShare, mustSurviveKills } from '../fixtures/many-processes.ts'
import { freshSchema, type OwnServer, startServer } from './server.ts'

const TIMEOUT_MS = 120_000

describe('many processes on a ledger in PostgreSQL', () => {
  let server: OwnServer

  beforeAll(async () => {
    server = await startServer()
  })

  afterAll(() => server.stop())

  const some = (processes: number, jobs: number) => ({
    url: server.url,
    ledger: { postgres: { schema: freshSchema() } },
    processes,
    jobs,
  })

  it('do each of many jobs once, eight at a time', { timeout: TIMEOUT_MS }, () =>
    mustShare(some(8, isLong ? 8000 : 2000)),
  )

  it('are killed, and every job ends all the same', { timeout: TIMEOUT_MS }, async () => {
    const seed = numberFrom('WAYBILL_SEED') ?? randomInt(2 ** 31)
    await withSeed(seed, () =>
      mustSurviveKills(some(4, isLong ? 4000 : 1000), isLong ? 24 : 8, new SeededRandom(seed)),
    )
  })
})
