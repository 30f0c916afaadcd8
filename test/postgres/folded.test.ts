import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import { openPostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { anyWrites, comesToTheSame, isShownTheSame } from '../tables/folded.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'

let server: TestServer

beforeAll(async () => {
  server = await testServer()
})

afterAll(async () => {
  await server.stop()
})

it('what is put from the tail where it is found is as if it had been written there', async () => {
  const open = () => openPostgresTables(server.url, realWorld, { schema: freshSchema() })
  await fc.assert(
    fc.asyncProperty(anyWrites, async (writes) => {
      const [inPlace, tailed] = await Promise.all([open(), open()])
      try {
        await comesToTheSame({ inPlace, tailed }, writes)
      } finally {
        await Promise.all([inPlace.close(), tailed.close()])
      }
    }),
    { numRuns: 5 },
  )
})

it('views show what is in the tail as what is where it is found', async () => {
  await fc.assert(
    fc.asyncProperty(anyWrites, async (writes) => {
      const schema = freshSchema()
      const tables = await openPostgresTables(server.url, realWorld, { schema })
      try {
        await isShownTheSame(tables, writes, (view) => say(server.url, `SELECT * FROM "${schema}".${view}`))
      } finally {
        await tables.close()
      }
    }),
    { numRuns: 3 },
  )
})
