// Writes as a process sends them to the end of the log, in which jobs that are alike were submitted, claimed and done.
import { DEFAULT_SETTINGS } from '../../src/ledger/settings.ts'
import { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { TableStore } from '../../src/store/tables/table-store.ts'
import type { WriteSet } from '../../src/store/tables/tables.ts'
import type { Tail } from '../../src/store/tables/tail/tail.ts'
import { PULLED } from '../../src/testing/conformance/protocols.ts'
import { worldOfTurns } from '../fixtures/world-of-turns.ts'
import { MemoryDatabase } from './memory-database.ts'
import { MemoryTables } from './memory-tables.ts'

/** More than it takes until what jobs have in common is told apart. */
const MANY = 30

class RecordedTables extends MemoryTables {
  readonly sets: WriteSet[] = []

  override append(...given: Parameters<Tail['append']>) {
    this.sets.push(given[0])
    return super.append(...given)
  }
}

/** @param text what the jobs of a round say */
export async function alikeWrites(text: (nth: number) => string): Promise<readonly WriteSet[]> {
  const world = worldOfTurns()
  const tables = new RecordedTables(new MemoryDatabase())
  const options = {
    engine: 'tables in memory',
    watch: 'push',
    keepHistoryMs: null,
    writesInPlace: 0,
  } as const
  const store = await TableStore.on({ ...options, tables, world, clock: world.clock })
  const ledger = new LiveLedger(store, { ...DEFAULT_SETTINGS, inFlightLimit: 1000 }, world, {
    openMs: 0,
    outputs: null,
  })
  ledger.jobs.register(PULLED)
  const request = (round: string, nth: number) => ({
    tenant_id: 'acme',
    request_type: 'READ',
    input_ref: `in-${round}-${nth}`,
    output_ref: 'out',
    payload: { text: text(nth) },
    schema_version: 'v1' as const,
  })
  for (let round = 0; round < 3; round++) {
    const { promise, resolve } = Promise.withResolvers<void>()
    let left = MANY
    await ledger.batch((make) =>
      Array.from({ length: MANY }, (_, nth) => make.submit(request(String(round), nth))),
    )
    const worker = ledger.work(
      {
        read: ({ input }) => {
          if (--left === 0) resolve()
          return input
        },
      },
      { concurrency: MANY },
    )
    await promise
    await worker.stop()
  }
  for (let nth = 0; nth < MANY; nth++) await ledger.jobs.submit(request('alone', nth))
  await ledger.close()
  return tables.sets
}
