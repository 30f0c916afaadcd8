import { type Clock, systemClock } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import type { Store } from '../store.ts'
import type { AzureTablesOptions } from './azure-tables-options.ts'
import { connectTables, type DataTablesService } from './data-tables-service.ts'
import { LEDGER, META } from './ledger-rows.ts'
import { openOn } from './opening.ts'
import { INDEX } from './table-names.ts'

/** Answers tell the time in whole seconds: less than this is no difference. */
const NOTICEABLE_MS = 1500

/** A ledger in the tables of an Azure storage account. */
export async function openAzureTables(
  url: string,
  world: World,
  options: AzureTablesOptions = {},
): Promise<Store> {
  const service = await connectTables(url, world, options)
  try {
    const clock = await clockFor(service, world, options.clockSkewMs)
    return await openOn(service, { ...world, clock }, { ...options, address: service.address })
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Leases are given by one machine and ended by another, so all go by the service's time; unless a test has its own. */
async function clockFor(
  service: DataTablesService,
  world: World,
  skewMs: number | undefined,
): Promise<Clock> {
  const { clock, logger } = world
  if (clock !== systemClock) return clock
  if (skewMs !== undefined) return ahead(clock, skewMs)
  await service.get(INDEX, LEDGER, META).catch(() => null)
  const measured = service.serverAheadMs() ?? 0
  if (Math.abs(measured) < NOTICEABLE_MS) return clock
  logger.warn({ ahead_ms: measured }, 'The clock of this machine is not that of the service, which counts')
  return ahead(clock, measured)
}

function ahead(clock: Clock, ms: number): Clock {
  return { now: () => clock.now() + ms }
}
