import { afterAll } from 'vitest'
import { openLedger } from '../../src/open-ledger.ts'
import { registerTwoServers } from '../fixtures/two-servers.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'

const prefix = freshPrefix()

// Registered first, and so done last.
afterAll(() => dropTables(prefix))

registerTwoServers(async (options) => openLedger((await testTables()).address(prefix), options))
