// Node has no flock. SQLite locks its files by the kernel, so that a lock ends with its process, also one killed, and
// Node brings SQLite: a lock here is an empty database in a transaction that excludes everybody else and writes nothing.
//
// The kernel's locks are by process and file: closing any other descriptor of the file would end the lock too. So nobody
// may open a file that serves as a lock but through here, not even to read it.
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { DiskLock } from './disk.ts'

/** The low byte of SQLite's error codes; the rest says which kind of busy. */
const SQLITE_BUSY = 5

/** Databases are closed when they are collected as garbage; a lock lasts even if nobody holds on to it. */
const held = new Set<DatabaseSync>()

export async function lockFile(path: string): Promise<DiskLock | null> {
  // Loaded here, so that nobody pays for SQLite who does not lock.
  const { DatabaseSync } = await import('node:sqlite')
  // An absolute path: SQLite would take one that begins with `file:` for an address.
  const database = new DatabaseSync(resolve(path), { timeout: 0 })
  try {
    // In memory, or there would be a journal beside the file that a killed process leaves behind.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return null
    throw error
  }
  held.add(database)
  return {
    release: async () => {
      if (held.delete(database)) database.close()
    },
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode ?? 0
  return (code & 0xff) === SQLITE_BUSY
}
