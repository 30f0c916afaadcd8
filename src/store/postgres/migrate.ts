import { NoSchema, SchemaTooNew, SchemaTooOld } from '../../errors/postgres-errors.ts'
import { translated } from './errors.ts'
import type { Link, Server } from './link.ts'
import type { PgClient } from './load-pg.ts'
import {
  type Migration,
  migrationTableSql,
  postgresMigrations,
  quotedSchema,
} from './migrations/migrations.ts'

/** The tables of a ledger, as far as they are there; the transaction decides, so that two who open it at once agree. */
export interface MigrateOptions {
  readonly schema: string
  readonly create: boolean
  readonly migrate: boolean
}

/** Sees to it that all tables are there in the version that this code knows. */
export async function migrated(link: Link, server: Server, options: MigrateOptions): Promise<void> {
  // What is asked here is not counted by the link, which lets the process end while nothing is asked.
  const held = server.world.timers.hold()
  try {
    const client = await link.client()
    try {
      // Nearly always it is: asked at once whether there is any, and which.
      const found = await link.together(client, () => versionAtOnce(client, options.schema))
      if (isUpToDate(found, server, options)) return
      await migrateNow(client, server, options)
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw translated(error, server.address)
    }
  } finally {
    held.cancel()
  }
}

/** Refuses what must not be touched. */
function isUpToDate(found: number, server: Server, options: MigrateOptions): boolean {
  const { schema, create, migrate } = options
  const known = latest(postgresMigrations(schema))
  if (found === known) return true
  if (found === 0 && !create) throw new NoSchema(server.address, schema)
  if (found > known) throw new SchemaTooNew(schema, { found, known })
  if (found > 0 && !migrate) throw new SchemaTooOld(schema, { found, known })
  return false
}

async function migrateNow(client: PgClient, server: Server, options: MigrateOptions): Promise<void> {
  const { schema } = options
  const s = quotedSchema(schema)
  await client.query('BEGIN')
  await client.query(
    'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL client_min_messages = warning',
  )
  // Whoever else opens it waits here until everything is there.
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('waybill migrate ' || $1, 0))", [schema])
  const found = await versionOf(client, schema)
  if (!isUpToDate(found, server, options)) {
    if (found === 0) {
      // Not IF NOT EXISTS: that asks for the right to make schemas also where somebody made it for this user.
      const { rows } = await client.query<{ is: boolean }>('SELECT to_regnamespace($1) IS NULL AS is', [s])
      if (rows[0]?.is === true) await client.query(`CREATE SCHEMA ${s}`)
      await client.query(migrationTableSql(s))
    }
    for (const { version, name, sql } of postgresMigrations(schema)) {
      if (version <= found) continue
      await client.query(sql)
      await client.query(`INSERT INTO ${s}.migration VALUES ($1, $2, now())`, [version, name])
    }
  }
  await client.query('COMMIT')
}

/** 0 when there is no ledger. */
async function versionOf(client: PgClient, schema: string): Promise<number> {
  return (await isThere(client, schema)) ? applied(client, schema) : 0
}

/** The same in one round trip, outside of a transaction: where there is no ledger, the second question fails. */
async function versionAtOnce(client: PgClient, schema: string): Promise<number> {
  const [there, version] = await Promise.allSettled([isThere(client, schema), applied(client, schema)])
  if (there.status === 'rejected') throw there.reason
  if (!there.value) return 0
  if (version.status === 'rejected') throw version.reason
  return version.value
}

async function isThere(client: PgClient, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${quotedSchema(schema)}.migration`,
  ])
  return rows[0]?.there === true
}

async function applied(client: PgClient, schema: string): Promise<number> {
  const { rows } = await client.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM ${quotedSchema(schema)}.migration`,
  )
  return rows[0]?.version ?? 0
}

function latest(migrations: readonly Migration[]): number {
  return Math.max(...migrations.map(({ version }) => version))
}
