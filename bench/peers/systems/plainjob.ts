import Database from 'better-sqlite3'
import { better, defineQueue, defineWorker } from 'plainjob'
import { Countdown, type Opened, type Place } from '../system.ts'

const QUIET = { error: console.error, warn: () => {}, info: () => {}, debug: () => {} }

/** It asks again after so long when there was nothing to do; a second unless told otherwise. */
const POLL_MS = 1

export function openDefault(place: Place): Promise<Opened> {
  return openWith(place, null)
}

export function openFull(place: Place): Promise<Opened> {
  return openWith(place, 'FULL')
}

async function openWith({ folder, isHistory }: Place, synchronous: string | null): Promise<Opened> {
  const connection = better(new Database(`${folder}/plainjob.db`))
  const queue = defineQueue({ connection, logger: QUIET })
  // It sets NORMAL itself.
  if (isHistory || synchronous !== null) connection.pragma(`synchronous = ${isHistory ? 'OFF' : synchronous}`)
  return {
    submit: async (payload) => queue.add('one', payload),
    submitMany: async (payloads) => queue.addMany('one', [...payloads]),
    work: async ({ count, onStart }) => {
      const countdown = new Countdown(count)
      const worker = defineWorker('one', async ({ data }) => onStart(JSON.parse(data)), {
        queue,
        logger: QUIET,
        pollIntervall: POLL_MS,
        onCompleted: () => countdown.tick(),
      })
      const ended = worker.start()
      return {
        done: countdown.done,
        stop: async () => {
          await worker.stop()
          await ended
        },
      }
    },
    close: async () => queue.close(),
  }
}
