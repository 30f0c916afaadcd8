import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationTableSql, postgresMigrations } from '../../src/store/postgres/migrations/migrations.ts'
import { openPostgresTables, type PostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { NOTHING_WANTED } from '../../src/store/tables/tables.ts'
import { realWorld } from '../../src/world/world.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'
import { changedJob, newJob, setOf } from './sets.ts'

/** The last version in which writes were lists of columns. */
const BEFORE_ROWS = 3

describe('tables of an earlier version', () => {
  let server: TestServer
  let tables: PostgresTables
  const schema = freshSchema()
  const s = `"${schema}"`

  beforeAll(async () => {
    server = await testServer()
    await say(server.url, `CREATE SCHEMA ${s}; ${migrationTableSql(s)}`)
    for (const { version, name, sql } of postgresMigrations(schema)) {
      if (version > BEFORE_ROWS) break
      await say(server.url, sql)
      await say(server.url, `INSERT INTO ${s}.migration VALUES ($1, $2, now())`, [version, name])
    }
    const { tenant_id, job_id, state, changed_at, request_type, protocol_id, fixed } = newJob('old')
    await say(
      server.url,
      `INSERT INTO ${s}.job (tenant_id, job_id, version, state, changed_at, request_type, protocol_id, open_rows)
       VALUES ($1, $2, 1, $3, $4, $5, $6, 0)`,
      [tenant_id, job_id, state, changed_at, request_type, protocol_id],
    )
    await say(server.url, `INSERT INTO ${s}.born VALUES ($1, $2, $3)`, [tenant_id, job_id, fixed])
    tables = await openPostgresTables(server.url, realWorld, { schema })
  })

  afterAll(async () => {
    await tables.close()
    await server.stop()
  })

  const fixedOf = async (id: string) =>
    (await tables.load({ ...NOTHING_WANTED, jobs: [{ kind: 'job', tenant_id: 'default', id }] })).jobs[0]
      ?.fixed

  it('are brought up to date, and jobs in them are read, shown and changed as before', async () => {
    expect(await fixedOf('old')).toBe(newJob('old').fixed)
    await tables.write(setOf({ jobs: [changedJob('old', 1)] }))
    expect(await fixedOf('old')).toBe(newJob('old').fixed)
    const steps = await say(
      server.url,
      `SELECT step_id FROM ${s}.steps WHERE job_id = 'old' ORDER BY step_index`,
    )
    expect(steps).toEqual([{ step_id: 's1' }, { step_id: 's2' }])
  })

  it('take new jobs, and work on those that are there', async () => {
    const young = newJob('young')
    const place = { queue: 'q1', tenant_id: 'default', group: '', rank: 1, job_id: 'young' }
    const claims = [{ tenant_id: 'default', key: 'k', owner: 'young' }]
    await tables.write(setOf({ newJobs: [young], claims, ready: { adds: [place], drops: [] } }))
    expect(await fixedOf('young')).toBe(young.fixed)
    const heads = await tables.heads({ queues: ['q1'], perGroup: 10 })
    expect(heads.map(({ job_id }) => job_id)).toEqual(['young'])
    const shown = await say(server.url, `SELECT job_id FROM ${s}.jobs ORDER BY job_id`)
    expect(shown.map(({ job_id }) => job_id)).toEqual(['old', 'young'])
  })
})
