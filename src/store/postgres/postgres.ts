import { systemClock } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import type { Store } from '../store.ts'
import { TableStore } from '../tables/table-store.ts'
import { partsOf } from './address.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { openPostgresTables } from './postgres-tables.ts'

/** A ledger in a schema of a PostgreSQL database. */
export async function openPostgres(url: string, world: World, options: PostgresOptions = {}): Promise<Store> {
  const tables = await openPostgresTables(url, world, options)
  try {
    // Leases are given by one machine and ended by another, so all of them go by the server's time; unless a test has its own.
    const clock = world.clock === systemClock ? await tables.serverClock(world.clock) : world.clock
    return await TableStore.on({
      engine: 'postgres',
      watch: (options.listen ?? partsOf(url).options.listen) === false ? 'poll' : 'push',
      tables,
      world,
      clock,
      keepHistoryMs: options.keepHistoryMs ?? null,
    })
  } catch (error) {
    await tables.close()
    throw error
  }
}
