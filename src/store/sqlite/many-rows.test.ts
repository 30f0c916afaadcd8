import { afterEach, beforeEach, expect, it } from 'vitest'
import { newJob } from '../../../test/tables/sample-set.ts'
import type { NewJob, ReadyKey } from '../tables/tables.ts'
import { Connection } from './connection.ts'
import { Fault } from './fault.ts'
import { TABLES_1 } from './schema.ts'
import { insertJobs } from './write-aggregates.ts'
import { changeReady } from './write-work.ts'

let db: Connection

beforeEach(() => {
  db = new Connection(':memory:', { readOnly: false, busyMs: 0 })
  db.exec(TABLES_1)
})

afterEach(() => {
  db.close()
})

/** Enough of each for statements of every size, and others in between. */
const HOLDS = ['x']
const SOME = Array.from({ length: 2 * 50 + 10 + 2 + 1 }, (_, nth) => `job-${1000 + nth}`)

const jobOf = (job_id: string, parts: Partial<NewJob> = {}) =>
  newJob(job_id, { holds: HOLDS, fixed: `{"job":"${job_id}"}`, ...parts })

function written(): readonly unknown[] {
  const sql = `SELECT tenant_id, job_id, version, state, ended_state, changed_at, protocol_id, holds, log, fixed FROM job ORDER BY job_id`
  return db.all(sql)
}

it('inserts jobs that are alike as it inserts each of them alone', () => {
  const jobs = [
    ...SOME.map((id) => jobOf(id)),
    jobOf('k-1', { is_ended: true, state: 'SUCCEEDED' }),
    ...SOME.map((id) => jobOf(`l${id}`, { isTold: true, protocol_id: 'p2' })),
    jobOf('m-1', { moving: '{}' }),
  ]
  insertJobs(db, jobs, ',7')
  const together = written()
  expect(together).toHaveLength(jobs.length)
  db.run('DELETE FROM job')
  for (const job of jobs) insertJobs(db, [job], ',7')
  expect(written()).toEqual(together)
})

it('says so when one of many is there already', () => {
  const [first] = SOME
  insertJobs(db, [jobOf(SOME[30] as string)], '')
  const write = () =>
    insertJobs(
      db,
      SOME.map((id) => jobOf(id)),
      '',
    )
  expect(write).toThrow(Fault)
  expect(write).toThrow(first)
})

it('puts what is ready in one place as it puts each of them alone', () => {
  const keyOf = (job_id: string, rank: number): ReadyKey => {
    return { queue: 'q', tenant_id: 't', group: 'g', rank, job_id }
  }
  const adds = [...SOME.map((id) => keyOf(id, 1)), keyOf('other', 1.5), ...SOME.map((id) => keyOf(id, 2))]
  changeReady(db, { adds, drops: [] })
  // Once more changes nothing.
  changeReady(db, { adds, drops: [] })
  const sql = 'SELECT queue, tenant_id, grp AS "group", rank, job_id FROM ready ORDER BY rank, job_id'
  expect(db.all(sql).map((row) => ({ ...(row as ReadyKey) }))).toEqual(adds)
})
