import { expect, it } from 'vitest'
import { storeInTables } from '../../../test/fixtures/tables-ledger.ts'
import { worldOfTurns } from '../../../test/fixtures/world-of-turns.ts'
import { MemoryDatabase } from '../../../test/tables/memory-database.ts'
import { MemoryTables } from '../../../test/tables/memory-tables.ts'
import { refuse } from '../../core/decision.ts'
import type { ReadyHead } from '../../core/pick.ts'
import { DEFAULT_SETTINGS } from '../../ledger/settings.ts'
import { LiveLedger } from '../../runtime/live-ledger.ts'
import { PULLED } from '../../testing/conformance/protocols.ts'
import {
  Conflict,
  type Loaded,
  type OnSeen,
  type TakenWork,
  type TakeWork,
  type Wanted,
  type WriteSet,
  type Written,
} from './tables.ts'

/** Counts what the database is asked. */
class CountedTables extends MemoryTables {
  looks = 0
  writes: WriteSet[] = []
  /** Jobs that were read. */
  reads = 0

  override take(select: TakeWork, also?: Wanted): Promise<TakenWork> {
    if (select.what === 'ready') this.looks++
    return super.take(select, also)
  }

  override load(wanted: Wanted): Promise<Loaded> {
    this.reads += wanted.jobs.length
    return super.load(wanted)
  }

  override write(set: WriteSet, onSeen?: OnSeen): Promise<Written> {
    this.writes.push(set)
    return super.write(set, onSeen)
  }
}

async function open(database: MemoryDatabase, world = worldOfTurns()) {
  const tables = new CountedTables(database)
  const store = await storeInTables(world, tables)
  const ledger = new LiveLedger(store, { ...DEFAULT_SETTINGS, inFlightLimit: 1000 }, world, {
    openMs: 0,
    outputs: null,
  })
  ledger.jobs.register(PULLED)
  return { tables, ledger, store, world }
}

let requests = 0

/** Another one each time. */
const request = () =>
  ({
    tenant_id: 'acme',
    request_type: 'READ',
    input_ref: `in-${++requests}`,
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
  }) as const

const QUEUES = ['read']

it('a worker takes what it waits for with the write that makes it ready', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  const { promise, resolve } = Promise.withResolvers<string>()
  const worker = ledger.work({ read: ({ job }) => resolve(job.job_id) })
  const { job_id } = await ledger.jobs.submit(request())
  expect(await promise).toBe(job_id)
  const [first] = tables.writes
  expect(first).toMatchObject({ newJobs: [{ job_id, state: 'IN_PROGRESS' }], ready: { adds: [], drops: [] } })
  expect(tables.looks).toBe(0)
  await worker.stop()
  await ledger.close()
})

it('what this process left ready is taken without looking for it', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  const jobs = await Promise.all([1, 2, 3].map(() => ledger.jobs.submit(request())))
  const works = await ledger.jobs.claim({ queues: QUEUES, limit: 5 })
  expect(works.map(({ job }) => job.job_id).sort()).toEqual(jobs.map(({ job_id }) => job_id).sort())
  expect(await ledger.jobs.claim({ queues: QUEUES })).toEqual([])
  expect(tables.looks).toBe(0)
  await ledger.close()
})

it('what somebody else left is found, and afterwards all is known again', async () => {
  const database = new MemoryDatabase()
  const { ledger, tables, world } = await open(database)
  const other = await open(database, world)
  const foreign = await other.ledger.jobs.submit(request())
  const own = await ledger.jobs.submit(request())
  const works = await ledger.jobs.claim({ queues: QUEUES, limit: 5 })
  expect(works.map(({ job }) => job.job_id)).toEqual([foreign.job_id, own.job_id])
  expect(tables.looks).toBe(1)
  expect(await ledger.jobs.claim({ queues: QUEUES })).toEqual([])
  expect(tables.looks).toBe(1)
  await other.ledger.close()
  await ledger.close()
})

it('what nobody wanted after all is known of as before', async () => {
  const { ledger, store, tables } = await open(new MemoryDatabase())
  const { job_id } = await ledger.jobs.submit(request())
  const all = {
    what: 'ready',
    queues: QUEUES,
    perGroup: 1,
    pick: (heads: readonly ReadyHead[]) => heads,
  } as const
  const refusal = { code: 'JOB_NOT_FOUND', message: 'no', next: 'none', details: {} } as never
  const [swept] = await store.sweep(all, () => refuse(refusal))
  expect(swept).toMatchObject({ key: { id: job_id }, outcome: { ok: false } })
  const [work] = await ledger.jobs.claim({ queues: QUEUES })
  expect(work?.job.job_id).toBe(job_id)
  expect(tables.looks).toBe(0)
  await ledger.close()
})

it('two who know of the same work never both have it', async () => {
  const database = new MemoryDatabase()
  const one = await open(database)
  await Promise.all(Array.from({ length: 20 }, () => one.ledger.jobs.submit(request())))
  const two = await open(database, one.world)
  const claims = [one, two, one, two].map(({ ledger }) => ledger.jobs.claim({ queues: QUEUES, limit: 10 }))
  const ids = (await Promise.all(claims)).flat().map(({ job }) => job.job_id)
  expect(new Set(ids).size).toBe(ids.length)
  const left = await one.ledger.jobs.claim({ queues: QUEUES, limit: 20 })
  expect(ids.length + left.length).toBe(20)
  await two.ledger.close()
  await one.ledger.close()
})

function submitMany(ledger: LiveLedger, count: number) {
  return ledger.batch((make) => Array.from({ length: count }, () => make.submit(request())))
}

it('two who wait together are each written by a group of their own, and what they take is not read', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  await submitMany(ledger, 300)
  tables.writes = []
  const claims = [1, 2].map(() => ledger.jobs.claim({ queues: QUEUES, limit: 150 }))
  const ids = (await Promise.all(claims)).flat().map(({ job }) => job.job_id)
  expect(new Set(ids).size).toBe(300)
  expect(tables.writes.map(({ jobs }) => jobs.length)).toEqual([150, 150])
  expect(tables).toMatchObject({ looks: 0, reads: 0 })
  await ledger.close()
})

it('few who wait together are written by one group', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  await submitMany(ledger, 20)
  tables.writes = []
  await Promise.all([1, 2].map(() => ledger.jobs.claim({ queues: QUEUES, limit: 10 })))
  expect(tables.writes.map(({ jobs }) => jobs.length)).toEqual([20])
  await ledger.close()
})

// The first claim of a process reads the record of its queue. Another one that came meanwhile was shown the same work, found it
// taken, and looked for other work in a session: which took what the next claim was about to, and so on.
it('one who comes while another is reading something takes what is left', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  await submitMany(ledger, 20)
  const first = ledger.jobs.claim({ queues: QUEUES, limit: 10 })
  await new Promise((resolve) => setImmediate(resolve))
  const second = ledger.jobs.claim({ queues: QUEUES, limit: 10 })
  const ids = (await Promise.all([first, second])).flat().map(({ job }) => job.job_id)
  expect(new Set(ids).size).toBe(20)
  expect(tables.looks).toBe(0)
  await ledger.close()
})

// While one of two groups is being written, the other is decided. When the first is lost, whoever waited for it is served all the
// same, and nothing is done twice.
it('a write that is lost while another one is under way is decided again', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  await submitMany(ledger, 300)
  const write = tables.write.bind(tables)
  let writes = 0
  tables.write = async (set, onSeen) => {
    if (++writes > 1) return write(set, onSeen)
    await new Promise((resolve) => setImmediate(resolve))
    throw new Conflict('lost')
  }
  const claims = [1, 2].map(() => ledger.jobs.claim({ queues: QUEUES, limit: 150 }))
  const ids = (await Promise.all(claims)).flat().map(({ job }) => job.job_id)
  expect(new Set(ids).size).toBe(ids.length)
  const left = await ledger.jobs.claim({ queues: QUEUES, limit: 300 })
  expect(ids.length + left.length).toBe(300)
  await ledger.close()
})

it('a job that waits is decided on as it is, whatever became of it meanwhile', async () => {
  const { ledger, tables } = await open(new MemoryDatabase())
  const { job_id } = await ledger.jobs.submit({ ...request(), payload: { text: 'a "b"\n', list: [1, null] } })
  const [work] = await ledger.jobs.claim({ queues: QUEUES })
  expect(work?.job).toMatchObject({ job_id, payload: { text: 'a "b"\n', list: [1, null] } })
  await ledger.jobs.result(work?.step as never, { status: 'SUCCEEDED', output: null }, { tenant_id: 'acme' })
  expect(tables.reads).toBe(0)
  expect(await ledger.jobs.cancel(job_id, { tenant_id: 'acme' })).toMatchObject({ state: 'SUCCEEDED' })
  await ledger.close()
})
