import { NoTables, TableMissing } from '../../errors/azure-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { SchemaTooNew } from '../../errors/postgres-errors.ts'
import type { World } from '../../world/world.ts'
import {
  type AzureTablesOptions,
  DEFAULT_POLL_MS,
  DEFAULT_SHARDS,
  MOST_SHARDS,
} from './azure-tables-options.ts'
import { AzureTablesStore } from './azure-tables-store.ts'
import { LAYOUT, LEDGER, leaseOfRow, META, metaOfRow, metaRow, REGISTERED_LANES } from './ledger-rows.ts'
import { monthOfRow, NOTED_MONTHS } from './months.ts'
import type { Row, TableService } from './service.ts'
import { ALL_TABLES, INDEX } from './table-names.ts'

export interface Opening extends Pick<AzureTablesOptions, 'pollMs' | 'keepHistoryMs' | 'shards' | 'create'> {
  /** Where it is, as it may be shown. */
  readonly address?: string
}

/** The ledger in the tables of a service, which is made where there is none. */
export async function openOn(
  service: TableService,
  world: World,
  options: Opening = {},
): Promise<AzureTablesStore> {
  const rows = (await ledgerRows(service)) ?? (await makeLedger(service, world, options))
  const meta = metaOfRow(rows.find(({ rk }) => rk === META) as Row)
  if (meta.layout > LAYOUT) throw new SchemaTooNew('tables', { found: meta.layout, known: LAYOUT })
  return new AzureTablesStore({
    service,
    world,
    meta,
    leases: within(rows, REGISTERED_LANES).map(leaseOfRow),
    months: within(rows, NOTED_MONTHS).map(monthOfRow),
    pollMs: options.pollMs ?? DEFAULT_POLL_MS,
    keepHistoryMs: options.keepHistoryMs ?? null,
  })
}

/** What is there of a ledger; null when there is none. */
async function ledgerRows(service: TableService): Promise<readonly Row[] | null> {
  try {
    const { rows } = await service.query(INDEX, { pk: LEDGER })
    return rows.some(({ rk }) => rk === META) ? rows : null
  } catch (error) {
    if (error instanceof TableMissing) return null
    throw error
  }
}

async function makeLedger(service: TableService, world: World, options: Opening): Promise<readonly Row[]> {
  const { shards = DEFAULT_SHARDS, create = true, address = 'The account' } = options
  if (!create) throw new NoTables(address)
  if (!Number.isInteger(shards) || shards < 1 || shards > MOST_SHARDS) {
    throw new InvalidInput('shards', `shards is ${shards}`, `Give a whole number from 1 to ${MOST_SHARDS}.`)
  }
  await service.createTables(ALL_TABLES)
  const meta = metaRow({ layout: LAYOUT, created_at: world.clock.now(), shards })
  // Whoever makes it at the same time makes the same.
  await service.write(INDEX, LEDGER, [meta])
  return (await service.query(INDEX, { pk: LEDGER })).rows
}

function within(rows: readonly Row[], { from, before }: { readonly from: string; readonly before: string }) {
  return rows.filter(({ rk }) => rk >= from && rk < before)
}
