import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import { Countdown, type Opened, type Payload, type Place, type Sort, type WorkOptions } from '../system.ts'
import { multiplyRows } from './multiply-rows.ts'

const QUEUE = 'jobs'
const NO_QUEUE = 'nothing'

/** It asks the queue again after so long; a second unless told otherwise. */
const POLL_MS = 10
const CONCURRENCY = 100

const QUIET = { info: () => {}, debug: () => {}, warn: () => {}, error: console.error }

let onJob = (_payload: Payload): void => {}

const WORKFLOWS: { readonly [sort in Sort]: (payload: Payload) => Promise<null> } = {
  one: DBOS.registerWorkflow(
    async (payload: Payload) => {
      onJob(payload)
      return null
    },
    { name: 'one' },
  ),
  three: DBOS.registerWorkflow(
    async (payload: Payload) => {
      await DBOS.runStep(async () => null, { name: 'first' })
      await DBOS.runStep(async () => null, { name: 'second' })
      await DBOS.runStep(async () => null, { name: 'third' })
      onJob(payload)
      return null
    },
    { name: 'three' },
  ),
}

/**
 * What is submitted while nobody works waits in a queue, which a launched process takes from by itself: so that one is
 * launched which does not listen. While somebody works, workflows are started right there, as its documentation does.
 */
export async function open({ postgres, isHistory }: Place): Promise<Opened> {
  const url = postgres ?? ''
  await launch(url, NO_QUEUE)
  await DBOS.registerQueue(QUEUE, { workerConcurrency: CONCURRENCY, minPollingIntervalMs: POLL_MS })
  const client = await DBOSClient.create({ systemDatabaseUrl: url, logger: QUIET, applicationName: 'bench' })
  const state = { waiting: 0, isWorking: false }
  const enqueued = { queueName: QUEUE, workflowName: 'one' }
  return {
    submit: (payload, sort) => {
      if (state.isWorking) return DBOS.startWorkflow(WORKFLOWS[sort])(payload)
      state.waiting++
      return client.enqueue(enqueued, payload)
    },
    submitMany: async (payloads) => {
      state.waiting += payloads.length
      await inTransaction(url, async (transaction) => {
        await Promise.all(
          payloads.map((payload) => client.enqueueInTransaction(transaction, enqueued, payload)),
        )
      })
    },
    work: (options) => work(url, options, state),
    ...(isHistory
      ? { multiplyHistory: (copies) => multiplyRows(url, 'dbos.workflow_status', 'workflow_uuid', copies) }
      : {}),
    close: async () => {
      await DBOS.shutdown()
      await client.destroy()
    },
  }
}

async function launch(url: string, queue: string): Promise<void> {
  DBOS.setConfig({
    name: 'bench',
    applicationVersion: 'bench',
    systemDatabaseUrl: url,
    logger: QUIET,
    listenQueues: [queue],
  })
  await DBOS.launch()
}

async function work(
  url: string,
  { count, onStart }: WorkOptions,
  state: { waiting: number; isWorking: boolean },
) {
  const countdown = new Countdown(count)
  onJob = (payload) => {
    onStart(payload)
    countdown.tick()
  }
  if (state.waiting > 0) {
    await DBOS.shutdown()
    await launch(url, QUEUE)
  }
  state.isWorking = true
  return {
    done: countdown.done.then(() => untilWritten(url)),
    stop: async () => {
      if (state.waiting > 0) {
        await DBOS.shutdown()
        await launch(url, NO_QUEUE)
      }
      state.waiting = 0
      state.isWorking = false
    },
  }
}

/** The last line of a workflow comes before its end is written. */
async function untilWritten(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const text = "SELECT 1 FROM dbos.workflow_status WHERE status IN ('PENDING', 'ENQUEUED') LIMIT 1"
  while ((await client.query(text)).rowCount !== 0) await new Promise((tick) => setTimeout(tick, 1))
  await client.end()
}

async function inTransaction(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await use(client)
  await client.query('COMMIT')
  await client.end()
}
