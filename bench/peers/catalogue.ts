// All systems that are measured, and what one has to know of each to read its figures. None is loaded from here: a
// process loads the one that it measures.
import type { Opened, Place } from './system.ts'

export type WorkloadName = 'alone' | 'crowd' | 'bulk' | 'drain' | 'both' | 'latency' | 'steps' | 'startup'

export type ServerName = 'postgres' | 'redis-everysec' | 'redis-always' | 'restate'

export interface System {
  readonly name: string
  readonly title: string
  /** Whose version is shown; null for what comes with Node and for Waybill itself. */
  readonly packages: readonly string[]
  readonly server: ServerName | null
  readonly settings: string
  /** What is where when the submit returns. */
  readonly durable: string
  /** What is left of a job that is done. */
  readonly history: string
  readonly leftOut: { readonly [name in WorkloadName]?: string }
  /** Systems that wait a lot need many jobs to show what they can do. */
  readonly leastJobsTimes?: number
  readonly load: () => Promise<(place: Place) => Promise<Opened>>
}

const ON_DISK = 'on disk'
const AUDIT_LOG = 'every change, who made it and when, in the audit log'
const ONE_PROCESS = 'handlers in the same process, concurrency 500, bulk by `ledger.batch`'
const NO_STEPS = 'it has no jobs of several steps'

const NO_BULK = 'it has no way to submit many at once'
const STEPS_KEPT = 'the last state of the job, and the result of every step'

const WAYBILL: readonly System[] = [
  {
    name: 'waybill-journal',
    title: 'Waybill on journal',
    packages: ['waybill'],
    server: null,
    settings: `a folder; ${ONE_PROCESS}`,
    durable: `${ON_DISK} (fdatasync)`,
    history: AUDIT_LOG,
    leftOut: {},
    load: async () => (await import('./systems/waybill.ts')).loadJournal(),
  },
  {
    name: 'waybill-sqlite',
    title: 'Waybill on SQLite',
    packages: ['waybill'],
    server: null,
    settings: ONE_PROCESS,
    durable: `${ON_DISK} (WAL, synchronous=FULL)`,
    history: AUDIT_LOG,
    leftOut: {},
    load: async () => (await import('./systems/waybill.ts')).loadSqlite(),
  },
  {
    name: 'waybill-postgres',
    title: 'Waybill on PostgreSQL',
    packages: ['waybill', 'pg'],
    server: 'postgres',
    settings: ONE_PROCESS,
    durable: `${ON_DISK} (commit)`,
    history: AUDIT_LOG,
    leftOut: {},
    load: async () => (await import('./systems/waybill.ts')).loadPostgres(),
  },
]

const BULLMQ = {
  packages: ['bullmq', 'ioredis'],
  settings: 'one worker, concurrency 50; addBulk; FlowProducer for three steps; finished jobs are kept',
  history: 'the last state of the job: data, result, times; until it is removed',
  leftOut: {},
  load: async () => (await import('./systems/bullmq.ts')).open,
} as const

const PLAINJOB = {
  packages: ['plainjob', 'better-sqlite3'],
  server: null,
  history: 'the last state of the job, for 7 days',
  leftOut: { steps: NO_STEPS },
} as const

const GRAPHILE = {
  packages: ['graphile-worker', 'pg'],
  server: 'postgres',
  durable: `${ON_DISK} (commit)`,
  history: 'nothing: the job is deleted',
  leftOut: {
    steps: `${NO_STEPS}; a job may add another, which is no answer to the first`,
    startup: 'it keeps no finished jobs',
  },
} as const

const PEERS: readonly System[] = [
  {
    ...BULLMQ,
    name: 'bullmq-everysec',
    title: 'BullMQ, everysec',
    server: 'redis-everysec',
    durable: 'in memory; on disk within a second or two',
  },
  {
    ...BULLMQ,
    name: 'bullmq-always',
    title: 'BullMQ, always',
    server: 'redis-always',
    durable: `${ON_DISK} (fsync)`,
  },
  {
    ...PLAINJOB,
    name: 'plainjob-default',
    title: 'plainjob',
    settings: 'WAL, synchronous=NORMAL as it sets; one worker, asks every 1 ms',
    durable: 'in the file; on disk at the next checkpoint',
    load: async () => (await import('./systems/plainjob.ts')).openDefault,
  },
  {
    ...PLAINJOB,
    name: 'plainjob-full',
    title: 'plainjob, FULL',
    settings: 'WAL, synchronous=FULL; one worker, asks every 1 ms',
    durable: `${ON_DISK} (WAL, synchronous=FULL)`,
    load: async () => (await import('./systems/plainjob.ts')).openFull,
  },
  {
    name: 'pg-boss',
    title: 'pg-boss',
    packages: ['pg-boss', 'pg'],
    server: 'postgres',
    settings:
      'batches of 1,000 by 2 workers, burst, LISTEN/NOTIFY, asks every 0.5 s besides; insert for bulk; flow for three steps, looked after every second',
    leastJobsTimes: 5,
    durable: `${ON_DISK} (commit)`,
    history: 'the last state of the job, for 7 days',
    leftOut: {},
    load: async () => (await import('./systems/pg-boss.ts')).open,
  },
  {
    ...GRAPHILE,
    name: 'graphile-default',
    title: 'graphile-worker',
    settings: 'concurrency 24, pool of 25; addJobs for bulk',
    load: async () => (await import('./systems/graphile-worker.ts')).openDefault,
  },
  {
    ...GRAPHILE,
    name: 'graphile-batched',
    title: 'graphile-worker, batched',
    settings:
      'concurrency 24, pool of 25, local queue of 500, completions in batches without delay; addJobs for bulk',
    load: async () => (await import('./systems/graphile-worker.ts')).openBatched,
  },
  {
    name: 'dbos',
    title: 'DBOS',
    packages: ['@dbos-inc/dbos-sdk', 'pg'],
    server: 'postgres',
    settings:
      'what waits is in a queue (concurrency 100, asked every 10 ms), what is submitted while somebody works is started at once; bulk: many enqueues in one transaction',
    durable: `${ON_DISK} (commit)`,
    history: STEPS_KEPT,
    leftOut: {},
    load: async () => (await import('./systems/dbos.ts')).open,
  },
  {
    name: 'openworkflow-postgres',
    title: 'openworkflow, PostgreSQL',
    packages: ['openworkflow', 'postgres'],
    server: 'postgres',
    settings: 'one worker, concurrency 100',
    durable: `${ON_DISK} (commit)`,
    history: STEPS_KEPT,
    leftOut: { bulk: NO_BULK },
    load: async () => (await import('./systems/openworkflow.ts')).openPostgres,
  },
  {
    name: 'openworkflow-sqlite',
    title: 'openworkflow, SQLite',
    packages: ['openworkflow'],
    server: null,
    settings: 'one worker, concurrency 100',
    durable: `${ON_DISK} (WAL, synchronous=FULL)`,
    history: STEPS_KEPT,
    leftOut: { bulk: NO_BULK },
    load: async () => (await import('./systems/openworkflow.ts')).openSqlite,
  },
  {
    name: 'restate',
    title: 'Restate',
    packages: ['@restatedev/restate-sdk', '@restatedev/restate-sdk-clients'],
    server: 'restate',
    settings: 'one node with its defaults; handlers over HTTP/2',
    durable: `${ON_DISK} (fsync of its log)`,
    history: 'the journal of the job with the result of every step, for a day',
    leftOut: {
      bulk: NO_BULK,
      drain: 'it begins what it is given at once; nothing waits for a worker',
      startup: 'what is kept is opened by its server, not by the process that does the work',
    },
    load: async () => (await import('./systems/restate.ts')).open,
  },
]

const ONLY_ALONE = 'it is a limit, not a queue'
const RAW = {
  packages: [],
  history: 'the row',
  leftOut: Object.fromEntries(
    (['crowd', 'bulk', 'drain', 'both', 'latency', 'steps', 'startup'] as const).map((name) => [
      name,
      ONLY_ALONE,
    ]),
  ),
} as const

const LIMITS: readonly System[] = [
  {
    ...RAW,
    name: 'raw-file',
    title: 'append 200 bytes, fdatasync',
    server: null,
    settings: 'one file',
    durable: `${ON_DISK} (fdatasync)`,
    load: async () => (await import('./systems/raw.ts')).openFile,
  },
  {
    ...RAW,
    name: 'raw-sqlite',
    title: 'bare commit, SQLite',
    server: null,
    settings: 'node:sqlite, one row of 200 bytes',
    durable: `${ON_DISK} (WAL, synchronous=FULL)`,
    load: async () => (await import('./systems/raw.ts')).openSqlite,
  },
  {
    ...RAW,
    name: 'raw-postgres',
    title: 'bare commit, PostgreSQL',
    server: 'postgres',
    settings: 'one row of 200 bytes, prepared',
    durable: `${ON_DISK} (commit)`,
    load: async () => (await import('./systems/raw.ts')).openPostgres,
  },
]

/** In the order of the tables. */
export const SYSTEMS: readonly System[] = [...WAYBILL, ...PEERS, ...LIMITS]

/** Who stands for what is to be had on PostgreSQL. */
export const POSTGRES_PEERS: readonly string[] = PEERS.filter(({ server }) => server === 'postgres').map(
  ({ name }) => name,
)

export function systemOf(name: string): System {
  const system = SYSTEMS.find((one) => one.name === name)
  if (system === undefined) throw new Error(`there is no system ${name}`)
  return system
}
