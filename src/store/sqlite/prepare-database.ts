import type { Connection } from './connection.ts'
import { Fault } from './fault.ts'
import { APPLICATION_ID, MIGRATION_TABLE, sqliteMigrations } from './migrations.ts'

/** Before it, a database with a write-ahead log could be damaged when it was written and checkpointed at once. */
const OLDEST_SQLITE = [3, 51, 3] as const

export function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (part < oldest) throw new Fault('too-old', version)
  }
}

/** Settings of a connection. Those of the database itself are made with it. */
export function configure(db: Connection, cacheKb: number): void {
  db.exec(`PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY`)
  db.exec(`PRAGMA cache_size = -${cacheKb}; PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG}`)
}

/**
 * For a connection whose writes are made durable by `DataSync`, for several at once. The write-ahead log stays whole whatever
 * happens, and is synced all the same before anything of it is taken over.
 */
export const SYNCED_AFTERWARDS = 'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0'

/** The write-ahead log is cut down to this when it has been taken over. */
const LARGEST_IDLE_LOG = 64 * 1024 * 1024

/** Makes the tables, or brings them up to date, if nobody else just does. */
export function prepareDatabase(db: Connection, { create, now }: { create: boolean; now: number }): void {
  const version = db.get<{ version: string }>('SELECT sqlite_version() AS version')?.version
  refuseOldSqlite(version ?? '0')
  refuseOthers(db, create)
  if (db.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode !== 'wal') {
    throw new Fault('no-wal', 'the file system has no shared memory')
  }
  if (versionOf(db) !== newest()) migrate(db, now)
}

function refuseOthers(db: Connection, create: boolean): void {
  const id = db.get<{ application_id: number }>('PRAGMA application_id')?.application_id
  if (id === APPLICATION_ID) return
  const isEmpty = db.get('SELECT 1 FROM sqlite_schema LIMIT 1') === undefined
  if (!isEmpty) throw new Fault('not-a-ledger', 'it is a database of something else')
  if (!create) throw new Fault('not-a-ledger', 'it is empty')
}

function migrate(db: Connection, now: number): void {
  db.run('BEGIN IMMEDIATE')
  try {
    const from = versionOf(db)
    if (from > newest()) throw new Fault('unknown-format', String(from))
    if (from === 0) db.exec(`PRAGMA application_id = ${APPLICATION_ID}; ${MIGRATION_TABLE}`)
    for (const { version, name, sql } of sqliteMigrations()) {
      if (version <= from) continue
      db.exec(sql)
      db.run('INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)', version, name, now)
    }
    db.exec(`PRAGMA user_version = ${newest()}`)
    db.run('COMMIT')
  } catch (error) {
    db.run('ROLLBACK')
    throw error
  }
}

function versionOf(db: Connection): number {
  return db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
}

function newest(): number {
  return sqliteMigrations().at(-1)?.version ?? 0
}
