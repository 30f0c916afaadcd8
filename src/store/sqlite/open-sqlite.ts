import { basename, dirname, resolve } from 'node:path'
import { FileNotFound } from '../../errors/file-errors.ts'
import { systemClock } from '../../world/clock.ts'
import { systemTimers } from '../../world/timers.ts'
import type { World } from '../../world/world.ts'
import { errorOf } from './errors.ts'
import { faultOf } from './fault.ts'
import { openWriting } from './open-writing.ts'
import { SYNCED_AFTERWARDS } from './prepare-database.ts'
import { SqliteTables } from './sqlite-tables.ts'

export interface SqliteOptions {
  /** Makes the file when there is none, which is the default; else that is an error. */
  readonly create?: boolean | undefined
  /** How long a write waits for other processes. */
  readonly busyMs?: number | undefined
  /** How long work that was taken is kept for whoever took it. */
  readonly sessionMs?: number | undefined
  /** How long the history is kept, in milliseconds; for ever unless told. */
  readonly keepHistoryMs?: number | undefined
}

const BUSY_MS = 30_000
const SESSION_MS = 10_000

/** Of the connection that does what is small. */
const SMALL_CACHE_KB = 16 * 1024

export async function openSqliteTables(
  path: string,
  { disk }: Pick<World, 'disk'>,
  options: SqliteOptions = {},
): Promise<SqliteTables> {
  const { create = true, busyMs = BUSY_MS, sessionMs = SESSION_MS } = options
  const file = resolve(path)
  const folder = dirname(file)
  const isNew = !(await disk.list(folder)).includes(basename(file))
  if (isNew && !create) {
    throw new FileNotFound(
      path,
      `Look for a misspelt name, or make a ledger there: waybill init sqlite:${path}`,
    )
  }
  if (isNew) await disk.makeFolder(folder)
  const db = await openWriting(
    { path: file, create, busyMs, cacheKb: SMALL_CACHE_KB, now: systemClock.now() },
    systemTimers,
  ).catch((error: unknown) => {
    throw errorOf(faultOf(error), file)
  })
  db.exec(SYNCED_AFTERWARDS)
  // The name has to last as long as what is written under it.
  if (isNew) await disk.syncFolder(folder)
  return new SqliteTables(db, { path: file, busyMs, sessionMs, timers: systemTimers })
}
