import { openLedger } from '../../src/open-ledger.ts'
import { registerTwoServers } from '../fixtures/two-servers.ts'
import { freshSchema, testServer } from './server.ts'

const schema = freshSchema()

registerTwoServers(async (options) =>
  openLedger((await testServer()).url, { ...options, postgres: { schema } }),
)
