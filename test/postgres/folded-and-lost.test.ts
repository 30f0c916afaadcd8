import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { anyWrites, survivesCrash } from '../tables/folded.ts'
import { freshSchema, type OwnServer, say, startServer } from './server.ts'

let server: OwnServer

beforeAll(async () => {
  // What nobody waits for is on the disk when it has to be, and not a moment later by itself.
  server = await startServer({ isDurable: true, flags: ['-c', 'wal_writer_delay=10s'] })
})

afterAll(async () => {
  await server.stop()
})

it('what was put in its place is there once when the server loses power before that was durable', async () => {
  let returned = 0
  await fc.assert(
    fc.asyncProperty(anyWrites, async (writes) => {
      const schemas = { inPlace: freshSchema(), tailed: freshSchema() }
      const open = (schema: string) => openPostgresTables(server.url, realWorld, { schema })
      const openBoth = async () => ({
        inPlace: await open(schemas.inPlace),
        tailed: await open(schemas.tailed),
      })
      const before = await openBoth()
      let after = before
      try {
        await survivesCrash(before, writes, async () => {
          await server.crash()
          const [row] = await say(server.url, `SELECT seq FROM "${schemas.tailed}".head`)
          if (Number(row?.seq) === 0) returned++
          after = await openBoth()
          return after
        })
      } finally {
        for (const { inPlace, tailed } of new Set([before, after]))
          await Promise.allSettled([inPlace.close(), tailed.close()])
      }
    }),
    { numRuns: 3 },
  )
  expect(returned).toBeGreaterThan(0)
})
