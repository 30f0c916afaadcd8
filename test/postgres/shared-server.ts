// One PostgreSQL for all files of the suite: starting one takes as long as most of them. Whoever ends connections of others
// starts a server of its own.
import { startServer } from './server.ts'

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.WAYBILL_TEST_POSTGRES !== undefined) return undefined
  const server = await startServer()
  process.env.WAYBILL_TEST_POSTGRES = server.url
  return () => server.stop()
}
