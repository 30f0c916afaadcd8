// Two callers in one process decided on the same version of a record, each in a group of its own, while neither was written. The
// first was written, and the second was late, as it should be. But whoever watches the database for the simulation went by versions
// alone, and told of both with the first write: the laws heard of a decision that was never written, and found a record that had
// changed under an etag that it had already.
import { expect, it } from 'vitest'
import type { LedgerRecord } from '../../src/core/aggregate.ts'
import { decide } from '../../src/core/command.ts'
import type { SteerQueue } from '../../src/core/queue/decide.ts'
import type { WriteSet, Written } from '../../src/store/tables/tables.ts'
import { steerQueue } from '../../src/testing/conformance/commands.ts'
import { storeInTables } from '../fixtures/tables-ledger.ts'
import { worldOfTurns } from '../fixtures/world-of-turns.ts'
import { ObservedDatabase, ObservedTableStore, ObservedTables } from './observed-tables.ts'

/** What is to be written has been decided, and waits here until two of them do. */
class MeetingTables extends ObservedTables {
  readonly #first = Promise.withResolvers<void>()
  readonly #both = Promise.withResolvers<void>()
  #waiting = 0

  get firstWaits(): Promise<void> {
    return this.#first.promise
  }

  override async write(set: WriteSet): Promise<Written> {
    this.#waiting++
    this.#first.resolve()
    if (this.#waiting === 2) this.#both.resolve()
    await this.#both.promise
    return super.write(set)
  }
}

it('nobody is told of a decision with the write of another on the same version', async () => {
  const told: LedgerRecord[] = []
  const database = new ObservedDatabase()
  const tables = new MeetingTables(database, { turn: async () => {} })
  const inner = await storeInTables(worldOfTurns(), tables)
  const store = new ObservedTableStore(inner, tables, database, {
    commit: ({ change }) => told.push(...change.puts),
    ignored: () => {},
  })
  // They do not say which queue they are about, so the second does not wait for the first.
  const steer = (more: Partial<SteerQueue>) => {
    const command = steerQueue('read', more)
    return store.transact([], (given) => decide(command, given))
  }
  const pausing = steer({ state: 'paused' })
  await tables.firstWaits
  await Promise.all([pausing, steer({ concurrency: 2 })])
  expect(told).toMatchObject([
    { etag: '1', state: 'paused', concurrency: null },
    { etag: '2', state: 'paused', concurrency: 2 },
  ])
  await store.close()
})
