// One Azurite for all files of the suite: starting one takes as long as most of them.
import { startAzurite, type TestTables } from './azurite.ts'

let tables: TestTables | undefined

export async function setup(): Promise<void> {
  if (process.env.WAYBILL_TEST_AZURE_TABLES !== undefined) return
  tables = await startAzurite()
  process.env.WAYBILL_TEST_AZURE_TABLES = tables.account
}

export async function teardown(): Promise<void> {
  await tables?.stop()
}
