import { basename, dirname, resolve } from 'node:path'
import { FileNotFound } from '../../errors/file-errors.ts'
import type { World } from '../../world/world.ts'
import { SqliteTables } from './sqlite-tables.ts'
import { Thread } from './thread.ts'

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
  const thread = await Thread.open({ path: file, create, busyMs, sessionMs })
  // The name has to last as long as what is written under it.
  if (isNew) await disk.syncFolder(folder)
  return new SqliteTables(thread)
}
