// One measurement of one system in a process of its own: `measure.ts '<Task as JSON>'`.
import { systemOf } from './catalogue.ts'
import { nextPayload, type Opened, type Place } from './system.ts'
import { type Figures, fill, type Sizes, WORKLOADS } from './workloads.ts'

export interface Task {
  readonly system: string
  /** A workload; or `history`, which makes what `startup` opens. */
  readonly workload: string
  readonly place: Place
  readonly sizes: Sizes
}

export interface Said {
  readonly figures: Figures
}

/** The part of a history that is done for real where the rest is copied. */
const REAL_HISTORY = 0.01

const { system, workload, place, sizes } = JSON.parse(process.argv[2] ?? '') as Task
const open = await systemOf(system).load()
// Whoever shows the results is gone, and so is the reason to go on.
process.on('disconnect', () => process.exit(1))
const figures = await run()
// Some leave timers and connections behind. What they hold is removed anyway.
process.send?.({ figures } satisfies Said, () => process.exit(0))

async function run(): Promise<Figures> {
  if (workload === 'startup') return startUp()
  const opened = await open(place)
  const said = workload === 'history' ? await history(opened) : await WORKLOADS[workload]?.(opened, sizes)
  await opened.close()
  return said ?? {}
}

/** From just before it is opened to a first job that it has, and one that its worker has begun. */
async function startUp(): Promise<Figures> {
  const start = performance.now()
  const opened = await open(place)
  await opened.submit(nextPayload(), 'one')
  const ready = performance.now()
  const begun = await new Promise<number>((resolve, reject) => {
    const onStart = () => resolve(performance.now())
    opened
      .work({ sort: 'one', count: 1, onStart })
      .then(async ({ done, stop }) => {
        await done
        await stop()
      })
      .catch(reject)
  })
  await opened.close()
  return { ready: ready - start, begun: begun - start, process: ready }
}

async function history(opened: Opened): Promise<Figures> {
  const { multiplyHistory } = opened
  const jobs = multiplyHistory === undefined ? sizes.maxJobs : Math.round(sizes.maxJobs * REAL_HISTORY)
  await fill(opened, jobs)
  const { done, stop } = await opened.work({ sort: 'one', count: jobs, onStart: () => {} })
  await done
  await stop()
  await multiplyHistory?.(sizes.maxJobs / jobs - 1)
  // It is a history of long ago: a snapshot of every night is there, and what a server tidies up is tidied up.
  await opened.settle?.()
  if (place.postgres !== null) await vacuum(place.postgres)
  return { jobs: sizes.maxJobs }
}

async function vacuum(url: string): Promise<void> {
  // Only here: others do not wait for it when they start.
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
}
