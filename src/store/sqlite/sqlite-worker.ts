// The thread that has the database: everything is read and written here, so that nobody else waits for the disk.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../world/clock.ts'
import { systemTimers } from '../../world/timers.ts'
import type { FromThread, Handlers, Request, ThreadData, ToldFault } from './calls.ts'
import { Connection } from './connection.ts'
import { Fault, faultOf } from './fault.ts'
import { handlersOf } from './handlers.ts'
import { News } from './news.ts'
import { configure, prepareDatabase } from './prepare-database.ts'
import { Writer } from './writer.ts'

const WRITE_CACHE_KB = 64 * 1024
const READ_CACHE_KB = 32 * 1024

/** Who opens a ledger at the same time may be in the way even of those who would wait. */
const OPEN_PAUSE_MS = 10

const data = workerData as ThreadData

function say(message: FromThread): void {
  parentPort?.postMessage(message)
}

function told(error: unknown): ToldFault {
  const { fault, message } = faultOf(error)
  return { fault, message }
}

async function openWriting(): Promise<Connection> {
  for (let waited = 0; ; waited += OPEN_PAUSE_MS) {
    let db: Connection | undefined
    try {
      db = new Connection(data.path, { readOnly: false, busyMs: data.busyMs })
      prepareDatabase(db, { create: data.create, now: systemClock.now() })
      configure(db, WRITE_CACHE_KB)
      // From here on the queue waits, and not the thread.
      db.exec('PRAGMA busy_timeout = 0')
      return db
    } catch (error) {
      db?.close()
      if (faultOf(error).fault !== 'busy' || waited >= data.busyMs) throw error
    }
    await new Promise<void>((resolve) => systemTimers.after(OPEN_PAUSE_MS, resolve))
  }
}

function openReading(): Connection {
  const db = new Connection(data.path, { readOnly: true, busyMs: data.busyMs })
  configure(db, READ_CACHE_KB)
  return db
}

async function serve(): Promise<void> {
  const writes = await openWriting()
  const reads = openReading()
  const writer = new Writer(writes, systemTimers, data)
  // Its own changes are made on the other connection, which is not told of them.
  const news = new News(data.path, writes, systemTimers, () => say({ news: true }))
  const underWay = new Set<Promise<void>>()
  const handlers: Handlers = {
    ...handlersOf(reads, writer, systemTimers),
    close: async () => {
      news.close()
      writer.close()
      await Promise.all(underWay)
      reads.close()
      writes.close()
    },
  }
  const answer = async ({ id, verb, given }: Request) => {
    try {
      const handle = handlers[verb] as (...given: readonly unknown[]) => unknown
      say({ id, answer: await handle(...given) })
    } catch (error) {
      say({ id, error: told(error) })
    }
  }
  parentPort?.on('message', (request: Request) => {
    const answered = answer(request)
    if (request.verb === 'close') return
    underWay.add(answered)
    void answered.finally(() => underWay.delete(answered))
  })
  say({ opened: true })
}

try {
  await serve()
} catch (error) {
  say({ failed: told(error instanceof Fault ? error : faultOf(error)) })
}
