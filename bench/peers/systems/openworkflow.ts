import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'
import { BackendSqlite } from 'openworkflow/sqlite'
import { Countdown, type Opened, type Payload, type Place, type WorkOptions } from '../system.ts'
import { multiplyRows } from './multiply-rows.ts'

/** Runs at once: each slot claims for itself. */
const CONCURRENCY = 100

type Backend = BackendPostgres | BackendSqlite

export async function openPostgres({ postgres, isHistory }: Place): Promise<Opened> {
  const url = postgres ?? ''
  const opened = openOn(await BackendPostgres.connect(url))
  if (!isHistory) return opened
  const table = 'openworkflow.workflow_runs'
  return { ...opened, multiplyHistory: (copies) => multiplyRows(url, table, 'id', copies) }
}

export async function openSqlite({ folder, isHistory }: Place): Promise<Opened> {
  const path = `${folder}/openworkflow.db`
  const opened = openOn(BackendSqlite.connect(path))
  return isHistory ? { ...opened, multiplyHistory: async (copies) => multiplySqlite(path, copies) } : opened
}

function openOn(backend: Backend): Opened {
  let onJob = (_payload: Payload): void => {}
  const workflows = new OpenWorkflow({ backend })
  const one = workflows.defineWorkflow<Payload, null>({ name: 'one' }, async ({ input }) => {
    onJob(input)
    return null
  })
  const three = workflows.defineWorkflow<Payload, null>({ name: 'three' }, async ({ input, step }) => {
    await step.run({ name: 'first' }, async () => null)
    await step.run({ name: 'second' }, async () => null)
    await step.run({ name: 'third' }, async () => null)
    onJob(input)
    return null
  })
  return {
    submit: (payload, sort) => (sort === 'one' ? one : three).run(payload),
    submitMany: null,
    work: async ({ count, onStart }: WorkOptions) => {
      const countdown = new Countdown(count)
      onJob = (payload) => {
        onStart(payload)
        countdown.tick()
      }
      const worker = workflows.newWorker({ concurrency: CONCURRENCY })
      await worker.start()
      return { done: countdown.done.then(() => untilWritten(backend)), stop: () => worker.stop() }
    },
    close: () => backend.stop(),
  }
}

/** The last line of a workflow comes before its end is written. */
async function untilWritten(backend: Backend): Promise<void> {
  for (;;) {
    const { pending, running } = await backend.countWorkflowRuns()
    if (pending + running === 0) return
    await new Promise((tick) => setTimeout(tick, 1))
  }
}

function multiplySqlite(path: string, copies: number): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA synchronous = OFF')
  db.function('another_id', () => randomUUID())
  const names = db.prepare("SELECT name FROM pragma_table_info('workflow_runs')").all()
  const columns = names.map(({ name }) => `"${name}"`).join(', ')
  const values = names.map(({ name }) => (name === 'id' ? 'another_id()' : `"${name}"`)).join(', ')
  db.prepare(
    `WITH RECURSIVE copies (nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM copies WHERE nth < ?)
     INSERT INTO workflow_runs (${columns}) SELECT ${values} FROM workflow_runs CROSS JOIN copies`,
  ).run(Math.round(copies))
  db.close()
}
