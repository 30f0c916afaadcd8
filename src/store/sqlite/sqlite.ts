import type { World } from '../../world/world.ts'
import type { Store } from '../store.ts'
import { TableStore } from '../tables/table-store.ts'
import { openSqliteTables, type SqliteOptions } from './open-sqlite.ts'
import { sqlitePath } from './sqlite-url.ts'

/** A ledger in a file that several processes of one machine may have open. */
export async function openSqlite(url: string, world: World, options: SqliteOptions = {}): Promise<Store> {
  const tables = await openSqliteTables(sqlitePath(url), world, options)
  try {
    return await TableStore.on({
      engine: 'sqlite',
      watch: 'push',
      tables,
      world,
      clock: world.clock,
      keepHistoryMs: options.keepHistoryMs ?? null,
    })
  } catch (error) {
    await tables.close()
    throw error
  }
}
