// One PostgreSQL for all files of the suite: starting one takes as long as most of them. Whoever ends connections of others
// starts a server of its own.
import { type OwnServer, startServer } from './server.ts'

let server: OwnServer | undefined

export async function setup(): Promise<void> {
  if (process.env.WAYBILL_TEST_POSTGRES !== undefined) return
  server = await startServer()
  process.env.WAYBILL_TEST_POSTGRES = server.url
}

export async function teardown(): Promise<void> {
  await server?.stop()
}
