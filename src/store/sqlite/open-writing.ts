import { heldPause } from '../../world/pause.ts'
import type { Timers } from '../../world/timers.ts'
import { Connection } from './connection.ts'
import { faultOf } from './fault.ts'
import { configure, prepareDatabase } from './prepare-database.ts'

/** Who opens a ledger at the same time may be in the way even of those who would wait. */
const OPEN_PAUSE_MS = 10

interface OpenWriting {
  readonly path: string
  readonly create: boolean
  readonly busyMs: number
  readonly cacheKb: number
  readonly now: number
}

/** A connection that writes, to tables that are as they should be. It does not wait for others by itself. */
export async function openWriting(
  { path, create, busyMs, cacheKb, now }: OpenWriting,
  timers: Timers,
): Promise<Connection> {
  for (let waited = 0; ; waited += OPEN_PAUSE_MS) {
    let db: Connection | undefined
    try {
      db = new Connection(path, { readOnly: false, busyMs })
      prepareDatabase(db, { create, now })
      configure(db, cacheKb)
      // From here on the queue waits, and not the thread.
      db.exec('PRAGMA busy_timeout = 0')
      return db
    } catch (error) {
      db?.close()
      if (faultOf(error).fault !== 'busy' || waited >= busyMs) throw error
    }
    await heldPause(timers, OPEN_PAUSE_MS)
  }
}
