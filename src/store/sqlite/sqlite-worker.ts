// The thread that has the database: everything is read and written here, so that nobody else waits for the disk.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../world/clock.ts'
import { systemTimers } from '../../world/timers.ts'
import type { FromThread, Handlers, Request, ThreadData, ToldFault } from './calls.ts'
import { Connection } from './connection.ts'
import { Fault, faultOf } from './fault.ts'
import { handlersOf } from './handlers.ts'
import { openWriting } from './open-writing.ts'
import { configure, SYNCED_AFTERWARDS } from './prepare-database.ts'
import { Writer } from './writer.ts'

const WRITE_CACHE_KB = 64 * 1024
const READ_CACHE_KB = 32 * 1024

const data = workerData as ThreadData

function say(message: FromThread): void {
  parentPort?.postMessage(message)
}

function told(error: unknown): ToldFault {
  const { fault, message } = faultOf(error)
  return { fault, message }
}

function openReading(): Connection {
  const db = new Connection(data.path, { readOnly: true, busyMs: data.busyMs })
  configure(db, READ_CACHE_KB)
  return db
}

async function serve(): Promise<void> {
  const { path, busyMs } = data
  const now = systemClock.now()
  const writes = await openWriting(
    { path, busyMs, create: false, cacheKb: WRITE_CACHE_KB, now },
    systemTimers,
  )
  // As at hand: whoever asked makes it durable, and says when it is time to take over what is in the write-ahead log.
  writes.exec(SYNCED_AFTERWARDS)
  const reads = openReading()
  const writer = new Writer(writes, systemTimers, data)
  const underWay = new Set<Promise<void>>()
  const handlers: Handlers = {
    ...handlersOf(reads, writer, systemTimers),
    close: async () => {
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
