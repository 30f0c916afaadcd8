import { SchemaTooNew } from '../../errors/postgres-errors.ts'
import type { World } from '../../world/world.ts'
import { AzureTablesStore } from './azure-tables-store.ts'
import { LAYOUT, LEDGER, leaseOfRow, META, metaOfRow, metaRow, REGISTERED_LANES } from './ledger-rows.ts'
import { monthOfRow, NOTED_MONTHS } from './months.ts'
import type { Row, TableService } from './service.ts'
import { ALL_TABLES, INDEX } from './table-names.ts'

export interface OpeningOptions {
  readonly pollMs?: number | undefined
  readonly keepHistoryMs?: number | undefined
  readonly shards?: number | undefined
}

const DEFAULT_POLL_MS = 2000
const DEFAULT_SHARDS = 1

/** The ledger in the tables of a service, which is made where there is none. */
export async function openOn(
  service: TableService,
  world: World,
  options: OpeningOptions = {},
): Promise<AzureTablesStore> {
  const rows = (await ledgerRows(service)) ?? (await makeLedger(service, world, options))
  const found = rows.find(({ rk }) => rk === META) as Row
  const meta = metaOfRow(found)
  if (meta.layout > LAYOUT) throw new SchemaTooNew('tables', { found: meta.layout, known: LAYOUT })
  const within = ({ rk }: Row, { from, before }: { readonly from: string; readonly before: string }) =>
    rk >= from && rk < before
  return new AzureTablesStore({
    service,
    world,
    meta,
    leases: rows.filter((row) => within(row, REGISTERED_LANES)).map(leaseOfRow),
    months: rows.filter((row) => within(row, NOTED_MONTHS)).map(monthOfRow),
    pollMs: options.pollMs ?? DEFAULT_POLL_MS,
    keepHistoryMs: options.keepHistoryMs ?? null,
  })
}

async function ledgerRows(service: TableService): Promise<readonly Row[] | null> {
  await service.createTables([INDEX])
  const { rows } = await service.query(INDEX, { pk: LEDGER })
  return rows.some(({ rk }) => rk === META) ? rows : null
}

async function makeLedger(
  service: TableService,
  world: World,
  { shards = DEFAULT_SHARDS }: OpeningOptions,
): Promise<readonly Row[]> {
  await service.createTables(ALL_TABLES)
  const meta = metaRow({ layout: LAYOUT, created_at: world.clock.now(), shards })
  // Whoever makes it at the same time makes the same.
  await service.write(INDEX, LEDGER, [meta])
  return (await service.query(INDEX, { pk: LEDGER })).rows
}
