// Jobs of a real Graphile Worker in a real PostgreSQL.
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openLedger } from '../../src/open-ledger.ts'
import { Shell } from '../e2e/cli-run.ts'
import { freshSchema, say, testServer } from '../postgres/server.ts'
import { CRONTAB, fillGraphile, GRAPHILE } from './graphile-scene.ts'
import { byText, Importing } from './importing.ts'

let url: string
beforeAll(async () => {
  url = (await testServer()).url
})

const rowsOf = (schema: string) => say(url, `SELECT j.*, xmin FROM ${schema}._private_jobs j ORDER BY id`)

describe('taking over Graphile Worker', () => {
  it.each(GRAPHILE)('takes over jobs of migration %i in every state, once', async (version, graphile) => {
    using shell = new Shell()
    const schema = freshSchema()
    const scene = await fillGraphile(graphile, { url, schema })
    const source = await rowsOf(schema)
    const importing = new Importing(shell, ['graphile-worker', url, '--schema', schema, '--as', 'app'])
    writeFileSync(shell.path('crontab'), CRONTAB)
    const crontab = ['--crontab', shell.path('crontab')]

    const bare = await importing.report('--dry-run')
    expect(bare.queues.nightly).toMatchObject({ schedule: { found: 1, left: 1 } })
    const dry = await importing.report('--dry-run', ...crontab, '--report', shell.path('dry.json'))
    expect(Object.keys(shell.contents())).toEqual(['crontab', 'dry.json'])
    expect(dry).toMatchObject({ version: `migration ${version}`, found: 10, taken: 7, left: 3, refused: 0 })
    expect(dry.queues).toMatchObject({
      mail: {
        waiting: { found: 3, taken: 3 },
        delayed: { found: 2, taken: 2 },
        failed: { found: 1, left: 1 },
        schedule: { found: 2, taken: 1, left: 1 },
      },
      busy: { active: { found: 1, left: 1 } },
      sweep: { schedule: { found: 1, taken: 1 } },
    })
    expect(await importing.failure()).toEqual({ status: 4, code: 'IMPORT_ACTIVE_JOBS' })

    const more = ['--active', 'leave', '--report', shell.path('report.md'), ...crontab]
    const report = await importing.report(...more)
    expect({ ...report, dry_run: true, report: dry.report }).toEqual(dry)
    expect(readFileSync(shell.path('report.md'), 'utf8')).toContain('| all |  | 10 | 7 | 0 | 3 | 0 |')
    expect(await importing.report(...more)).toMatchObject({ taken: 0, known: 7, left: 3 })
    expect(await importing.report(...more, '--states', 'failed')).toMatchObject({ taken: 1 })
    expect(await rowsOf(schema)).toEqual(source)

    await mailIsAsItWas(importing)
    expect((await importing.work(['mail', 'sweep'])).toSorted(byText)).toEqual([
      { queue: 'mail', step_type: 'mail', input: { to: 'ann' } },
      { queue: 'mail', step_type: 'mail', input: { to: 'bob' } },
      { queue: 'mail', step_type: 'mail', input: { to: 'cy' } },
    ])
    // When the one that was being worked on has ended, there is nothing to wait for, and nothing of it left.
    const waiting = importing.report('--active', 'wait')
    await scene.release()
    expect(await waiting).toMatchObject({ taken: 0, queues: { mail: { waiting: { known: 3 } } } })
  })

  it('goes on where it was killed, and takes nothing over twice', async () => {
    using shell = new Shell()
    const schema = freshSchema()
    const [, graphile] = GRAPHILE[0] as (typeof GRAPHILE)[0]
    const worker = await graphile.makeWorkerUtils({ connectionString: url, schema })
    await worker.migrate()
    await worker.addJobs(Array.from({ length: 1000 }, (_, n) => ({ identifier: 'many', payload: { n } })))
    await worker.release()
    await new Importing(shell, ['graphile-worker', url, '--schema', schema]).goesOnWhenKilled(1000)
  })

  it('says what to do about a place, a version or a crontab that it does not know', async () => {
    using shell = new Shell()
    const schema = freshSchema()
    const importing = new Importing(shell, ['graphile-worker', url, '--schema', schema])
    expect(await importing.failure()).toEqual({ status: 3, code: 'IMPORT_NO_SOURCE' })
    await say(
      url,
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.migrations (id int); INSERT INTO ${schema}.migrations VALUES (99)`,
    )
    expect(await importing.failure('--dry-run')).toEqual({ status: 2, code: 'IMPORT_UNKNOWN_VERSION' })
    writeFileSync(shell.path('crontab'), 'every night mail\n')
    const crontab = ['--crontab', shell.path('crontab')]
    expect(await importing.failure(...crontab)).toEqual({ status: 2, code: 'INVALID_INPUT' })
  })

  it('does not take for nothing what a user may not see', async () => {
    using shell = new Shell()
    const schema = freshSchema()
    const [, graphile] = GRAPHILE[0] as (typeof GRAPHILE)[0]
    const worker = await graphile.makeWorkerUtils({ connectionString: url, schema })
    await worker.migrate()
    await worker.release()
    const user = `u_${schema}`
    const rights = `GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`
    await say(url, `CREATE USER ${user} PASSWORD 'secret'; ${rights}`)
    const theirs = Object.assign(new URL(url), { username: user, password: 'secret' }).href
    const importing = new Importing(shell, ['graphile-worker', theirs, '--schema', schema])
    expect(await importing.failure()).toEqual({ status: 3, code: 'IMPORT_NO_SOURCE' })
  })
})

async function mailIsAsItWas({ ledger: folder }: Importing): Promise<void> {
  await using ledger = await openLedger(folder)
  const { items } = await ledger.jobs.list()
  const jobTo = (to: string) => items.find(({ payload }) => (payload as { to?: string }).to === to)
  const stepOf = async (to: string) => (await ledger.jobs.show(jobTo(to)?.job_id ?? ''))?.steps[0]
  expect(jobTo('ann')).toMatchObject({ priority: 2, tags: ['from:graphile-worker', 'slow'] })
  expect(jobTo('bob')).toMatchObject({ priority: 1 })
  expect(await stepOf('bob')).toMatchObject({ queue: 'mail', limits: [{ key: 'serial:one by one', max: 1 }] })
  // After the second attempt it waits e² seconds, and e³ after the third.
  expect((await stepOf('retried'))?.policy).toEqual({
    max_attempts: 3,
    backoff: { kind: 'list', delaysMs: [7389, 20086] },
  })
  expect(Date.parse(jobTo('later')?.run_at ?? '') - Date.now()).toBeGreaterThan(50 * 60_000)
  expect(jobTo('gone')).toMatchObject({ state: 'FAILED_FINAL', error_message: 'there is no such address' })
  expect(await ledger.schedules.get('graphile-worker:app:nightly')).toMatchObject({
    cron: '30 2 * * *',
    timezone: 'UTC',
    catch_up: 'all',
    request: { request_type: 'mail', priority: 'high', payload: { kind: 'digest' } },
  })
}
