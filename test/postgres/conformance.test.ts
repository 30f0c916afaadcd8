// The suite over PostgreSQL: a schema of its own for every test, opened twice where the suite has several writers.
import type { StoreSubject } from 'waybill/testing'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { registerConformance } from '../conformance/register.ts'
import { freshSchema, say, testServer } from './server.ts'

const schemas = new Map<object, string>()

const open: StoreSubject['open'] = async (world) => {
  const { url } = await testServer()
  const schema = schemas.get(world.clock) ?? freshSchema()
  schemas.set(world.clock, schema)
  return openPostgres(url, world, { schema })
}

registerConformance({
  name: 'postgres',
  open,
  reopen: open,
  cleanUp: async () => {
    const { url } = await testServer()
    for (const schema of schemas.values()) await say(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    schemas.clear()
  },
  histories: { runs: 1 },
})
