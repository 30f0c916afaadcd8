// Jobs of a real pg-boss in a real PostgreSQL.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLedger } from '../../src/open-ledger.ts'
import { Shell } from '../e2e/cli-run.ts'
import { freshSchema, say, testServer } from '../postgres/server.ts'
import { byText, Importing } from './importing.ts'
import { fillPgBoss, PG_BOSS, withBoss } from './pg-boss-scene.ts'

let url: string
beforeAll(async () => {
  url = (await testServer()).url
})

const rowsOf = async (schema: string) => ({
  jobs: await say(
    url,
    `SELECT to_jsonb(j) || jsonb_build_object('xmin', j.xmin) FROM ${schema}.job j ORDER BY id`,
  ),
  schedules: await say(url, `SELECT s.*, xmin FROM ${schema}.schedule s ORDER BY 1`),
})

describe('taking over pg-boss', () => {
  it.each(PG_BOSS)('takes over jobs of schema %i in every state, once', async (version, make) => {
    using shell = new Shell()
    const schema = freshSchema()
    await withBoss(make, { url, schema }, fillPgBoss)
    const source = await rowsOf(schema)
    const importing = new Importing(shell, ['pg-boss', url, '--schema', schema, '--as', 'app'])

    const dry = await importing.report('--dry-run', '--report', shell.path('dry.json'))
    expect(Object.keys(shell.contents())).toEqual(['dry.json'])
    expect(dry).toMatchObject({ version: `schema ${version}`, found: 10, taken: 6, left: 4, refused: 0 })
    expect(dry.queues.mail).toMatchObject({
      waiting: { found: 2, taken: 2 },
      delayed: { found: 2, taken: 2 },
      failed: { found: 1, left: 1 },
      completed: { found: 1, left: 1 },
      cancelled: { found: 1, left: 1 },
      schedule: { found: 1, taken: 1 },
    })
    expect(dry.differences.map(({ what }) => what.split(' ')[0])).toContain('singletonKey')
    expect(await importing.failure()).toEqual({ status: 4, code: 'IMPORT_ACTIVE_JOBS' })

    const more = ['--active', 'leave', '--report', shell.path('report.md')]
    const report = await importing.report(...more)
    expect({ ...report, dry_run: true, report: dry.report }).toEqual(dry)
    expect(readFileSync(shell.path('report.md'), 'utf8')).toContain('| all |  | 10 | 6 | 0 | 4 | 0 |')
    expect(await importing.report(...more)).toMatchObject({ taken: 0, known: 6, left: 4 })
    const ended = await importing.report(...more, '--states', 'failed,completed')
    expect(ended).toMatchObject({
      taken: 2,
      queues: { mail: { failed: { taken: 1 }, completed: { taken: 1 } } },
    })
    expect(await rowsOf(schema)).toEqual(source)

    await mailIsAsItWas(importing)
    expect((await importing.work(['mail', 'rest'])).toSorted(byText)).toEqual([
      { queue: 'mail', step_type: 'mail', input: { to: 'ann' } },
      { queue: 'mail', step_type: 'mail', input: { to: 'bob' } },
      { queue: 'rest', step_type: 'rest', input: { n: 1 } },
    ])
  })

  it('takes jobs after those that they wait for', async () => {
    using shell = new Shell()
    const schema = freshSchema()
    const [, make] = PG_BOSS[0] as (typeof PG_BOSS)[0]
    await withBoss(make, { url, schema }, async (boss) => {
      for (const name of ['cut', 'join']) await boss.createQueue(name)
      const flow = (boss as unknown as { flow(jobs: readonly object[]): Promise<unknown> }).flow.bind(boss)
      await flow([
        { ref: 'one', name: 'cut', data: { scene: 1 } },
        { ref: 'two', name: 'cut', data: { scene: 2 } },
        { ref: 'all', name: 'join', data: { film: 1 }, dependsOn: ['one', 'two'] },
      ])
    })
    const importing = new Importing(shell, ['pg-boss', url, '--schema', schema])
    expect(await importing.report('--dry-run', '--queue', 'join')).toMatchObject({
      taken: 0,
      left_because: [{ what: 'it waits for a job that is not taken over', count: 1 }],
    })
    expect(await importing.report()).toMatchObject({ taken: 3, queues: { join: { blocked: { taken: 1 } } } })
    const done = await importing.work(['cut', 'join'])
    expect(done.map(({ queue }) => queue)).toEqual(['cut', 'cut', 'join'])
  })

  it('goes on where it was killed, and takes nothing over twice', async () => {
    using shell = new Shell()
    const schema = freshSchema()
    const [, make] = PG_BOSS[0] as (typeof PG_BOSS)[0]
    await withBoss(make, { url, schema }, (boss) => boss.createQueue('many'))
    await say(
      url,
      `INSERT INTO ${schema}.job (name, data) SELECT 'many', jsonb_build_object('n', n) FROM generate_series(1, 1000) n`,
    )
    const importing = new Importing(shell, ['pg-boss', url, '--schema', schema])
    await importing.goesOnWhenKilled(1000)
  })

  it('says what to do about a place or a version that it does not know', async () => {
    using shell = new Shell()
    const schema = freshSchema()
    const importing = new Importing(shell, ['pg-boss', url, '--schema', schema])
    expect(await importing.failure()).toEqual({ status: 3, code: 'IMPORT_NO_SOURCE' })
    await say(
      url,
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.version (version int); INSERT INTO ${schema}.version VALUES (99)`,
    )
    expect(await importing.failure('--dry-run')).toEqual({ status: 2, code: 'IMPORT_UNKNOWN_VERSION' })
    const nowhere = new Importing(shell, ['pg-boss', 'postgres://u:secret@127.0.0.1:1/x'])
    const { status, stderr } = await nowhere.run()
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('ECONNREFUSED') })
    expect(stderr).not.toContain('secret')
    expect(shell.contents()).toEqual({})
  })
})

async function mailIsAsItWas({ ledger: folder }: Importing): Promise<void> {
  await using ledger = await openLedger(folder)
  const { items } = await ledger.jobs.list()
  const jobTo = (to: string) => items.find(({ payload }) => (payload as { to?: string }).to === to)
  const policyOf = async (to: string) => (await ledger.jobs.show(jobTo(to)?.job_id ?? ''))?.steps[0]?.policy
  const retried = jobTo('retried')
  expect(retried?.job_id).toMatch(/^pg-boss:app:mail:[0-9a-f-]{36}$/)
  expect(Date.parse(retried?.run_at ?? '') - Date.now()).toBeGreaterThan(50 * 60_000)
  expect(await policyOf('retried')).toMatchObject({ max_attempts: 3, backoff: { kind: 'list' } })
  expect(await policyOf('later')).toMatchObject({
    max_attempts: 3,
    backoff: { kind: 'list', delaysMs: [5000] },
  })
  expect(await policyOf('ann')).toMatchObject({ timeout_ms: 90_000 })
  expect(jobTo('bob')).toMatchObject({ priority: 1, state: 'QUEUED' })
  expect(jobTo('gone')).toMatchObject({ state: 'FAILED_FINAL', error_message: 'there is no such address' })
  expect(await ledger.jobs.wait(jobTo('sent')?.job_id ?? '')).toEqual({ sent: 1 })
  expect(await ledger.schedules.get('pg-boss:app:mail')).toMatchObject({
    cron: '30 2 * * *',
    timezone: 'Europe/Berlin',
    catch_up: 'none',
    request: { request_type: 'mail', payload: { kind: 'digest' } },
  })
}
