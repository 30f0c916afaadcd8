// When a connection was lost on which a dozen callers had asked something, each of them ended it once more, and Node warned
// of a leak of listeners.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { type LossyProxy, startProxy } from './proxy.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'

let server: TestServer
let proxy: LossyProxy

beforeAll(async () => {
  server = await testServer()
  proxy = await startProxy(server.url)
})

afterAll(async () => {
  await proxy.close()
  await server.stop()
})

it('a connection that many wait for is ended once', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  const tables = await openPostgresTables(proxy.url, realWorld, { schema: freshSchema() })
  const { seq } = await tables.head()
  let cuts = 0
  proxy.isReset = true
  proxy.cutsAnswer = () => cuts++ === 0
  const heads = await Promise.all(Array.from({ length: 100 }, () => tables.head()))
  expect(new Set(heads.map((head) => head.seq))).toEqual(new Set([seq]))
  expect(cuts).toBeGreaterThan(0)
  await tables.close()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})
