import { EventEmitter } from 'node:events'
import { Logger, makeWorkerUtils, run, type WorkerEvents } from 'graphile-worker'
import { Countdown, type Opened, type Payload, type Place } from '../system.ts'

/** The settings of its own measurements: https://worker.graphile.org/docs/performance */
const DEFAULT = { concurrentJobs: 24, maxPoolSize: 25 }
const BATCHED = {
  ...DEFAULT,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
}

const logger = new Logger(() => () => {})

export function openDefault(place: Place): Promise<Opened> {
  return openWith(place, DEFAULT)
}

export function openBatched(place: Place): Promise<Opened> {
  return openWith(place, BATCHED)
}

async function openWith({ postgres }: Place, settings: GraphileConfig.WorkerOptions): Promise<Opened> {
  const preset = { worker: { ...settings, connectionString: postgres ?? '' } }
  const utils = await makeWorkerUtils({ preset, logger })
  await utils.migrate()
  return {
    submit: (payload) => utils.addJob('one', payload),
    submitMany: (payloads) => utils.addJobs(payloads.map((payload) => ({ identifier: 'one', payload }))),
    work: async ({ count, onStart }) => {
      const countdown = new Countdown(count)
      const events: WorkerEvents = new EventEmitter()
      events.on('job:complete', () => countdown.tick())
      const runner = await run({
        preset,
        logger,
        events,
        noHandleSignals: true,
        taskList: { one: (payload) => onStart(payload as Payload) },
      })
      return { done: countdown.done, stop: () => runner.stop() }
    },
    close: async () => utils.release(),
  }
}
