// Ledgers are copied into PostgreSQL and out of it, whole or going on where it was cut off.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { StoreSubject } from 'waybill/testing'
import { openJournal } from '../../src/store/journal/journal.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import type { VirtualWorld } from '../../src/testing/virtual-world.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { registerCopies } from '../conformance/copying.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { freshSchema, say, testServer } from './server.ts'

const journal = { snapshotSchedule: null } as const

/** A schema of its own for every world. */
const schemas = new Map<object, string>()

async function inPostgres(world: VirtualWorld): Promise<Store> {
  const { url } = await testServer()
  const schema = schemas.get(world.disk) ?? freshSchema()
  schemas.set(world.disk, schema)
  return openPostgres(url, world, { schema })
}

const folder = quickFolder('waybill-copies-')
const files = new Map<object, string>()

function inSqlite(world: VirtualWorld): Promise<Store> {
  const file = files.get(world.disk) ?? join(folder, `${files.size}.db`)
  files.set(world.disk, file)
  return openSqlite(`sqlite:${file}`, { ...world, disk: nodeDisk })
}

afterAll(async () => {
  const { url } = await testServer()
  for (const schema of schemas.values()) await say(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  rmSync(folder, { recursive: true, force: true })
})

const POSTGRES: StoreSubject = { name: 'postgres', open: inPostgres }

registerCopies({
  sources: [
    { name: 'memory', open: async (world) => new MemoryStore(world) },
    { name: 'journal', open: (world) => openJournal('/ledger', world, journal) },
    { name: 'sqlite', open: inSqlite },
    POSTGRES,
  ],
  targets: [{ name: 'postgres', open: inPostgres, lasts: true }],
  runs: 1,
})

registerCopies({
  sources: [POSTGRES],
  targets: [
    { name: 'memory', open: async (world) => new MemoryStore(world), lasts: false },
    { name: 'journal', open: (world) => openJournal('/copy', world, journal), lasts: true },
    { name: 'sqlite', open: inSqlite, lasts: true },
  ],
  runs: 1,
})
