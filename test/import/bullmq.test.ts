// Jobs of a real BullMQ in a real Redis.
import { readFileSync, writeFileSync } from 'node:fs'
import * as bullmq6 from 'bullmq'
import * as bullmq5 from 'bullmq-5'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLedger } from '../../src/open-ledger.ts'
import { Shell } from '../e2e/cli-run.ts'
import { whyNoProgram } from '../e2e/debian-package.ts'
import { type BullmqModule, fillBullmq, manyJobs } from './bullmq-scene.ts'
import { byText, Importing } from './importing.ts'
import { RedisServer } from './redis-server.ts'

const whyNot = await whyNoProgram('redis-server')

let server: RedisServer
beforeAll(async () => {
  if (whyNot === null) server = await RedisServer.start()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const VERSIONS: readonly (readonly [string, BullmqModule])[] = [
  ['6', bullmq6],
  ['5', bullmq5 as unknown as BullmqModule],
]

// Why it is skipped is in its name.
describe.skipIf(whyNot !== null)(`taking over BullMQ${whyNot === null ? '' : ` (${whyNot})`}`, () => {
  it.each(VERSIONS)('takes over jobs of BullMQ %s in every state, once', async (major, bullmq) => {
    using shell = new Shell()
    const prefix = `v${major}`
    await fillBullmq(bullmq, server, prefix)
    const source = await server.contents()
    const importing = new Importing(shell, ['bullmq', server.url, '--prefix', prefix])

    // A dry run says what will be, and writes nothing but its report.
    const dry = await importing.report('--dry-run', '--report', shell.path('dry.json'))
    expect(Object.keys(shell.contents())).toEqual(['dry.json'])
    expect(dry).toMatchObject({
      from: 'bullmq',
      dry_run: true,
      found: 19,
      taken: 12,
      known: 0,
      left: 7,
      refused: 0,
    })
    expect(dry.version).toMatch(new RegExp(`^${major}\\.`))
    expect(dry.queues.mail).toMatchObject({
      waiting: { found: 5, taken: 5 },
      delayed: { found: 5, taken: 3, left: 2 },
      failed: { found: 1, left: 1 },
      completed: { found: 1, left: 1 },
      schedule: { found: 3, taken: 2, left: 1 },
    })
    expect(dry.queues.video).toMatchObject({
      waiting: { found: 1, taken: 1 },
      blocked: { found: 1, taken: 1 },
      completed: { found: 1, left: 1 },
    })
    expect(dry.queues.busy).toMatchObject({ active: { found: 1, left: 1 } })
    expect(importing.records('dry.json')).toHaveLength(19)

    // In earnest, jobs that somebody works on are not taken from under their hands.
    expect(await importing.failure()).toEqual({ status: 4, code: 'IMPORT_ACTIVE_JOBS' })
    expect(await importing.failure('--active', 'wait', '--wait', '0s')).toEqual({
      status: 4,
      code: 'IMPORT_ACTIVE_JOBS',
    })
    const protocols = shell.path('waybill.protocols.json')
    const more = ['--active', 'leave', '--write-protocols', protocols, '--report', shell.path('report.md')]
    const report = await importing.report(...more)
    expect({ ...report, dry_run: true, report: dry.report, protocols: null }).toEqual(dry)
    expect(readFileSync(shell.path('report.md'), 'utf8')).toContain('| all |  | 19 | 12 | 0 | 7 | 0 |')
    const again = await importing.report(...more)
    expect(again).toMatchObject({ found: 19, taken: 0, known: 12, left: 7, refused: 0 })
    expect(await server.contents()).toEqual(source)
    // What a worker needs to submit the jobs of the schedules.
    expect(JSON.parse(readFileSync(protocols, 'utf8')).protocols).toContainEqual(
      expect.objectContaining({
        request_type: 'mail.digest',
        steps: [
          expect.objectContaining({ service: 'mail', policy: expect.objectContaining({ max_attempts: 2 }) }),
        ],
      }),
    )

    await mailIsAsItWas(importing.ledger, prefix)
    const done = await importing.work(['mail', 'video', 'busy'])
    expect(done.toSorted(byText)).toEqual(
      [
        { queue: 'mail', step_type: 'newsletter', input: { to: 'all' } },
        { queue: 'mail', step_type: 'tell', input: { to: 'crew' } },
        { queue: 'mail', step_type: 'welcome', input: { to: 'ann' } },
        { queue: 'mail', step_type: 'welcome', input: { to: 'bob', steps: { run: 'not a step of ours' } } },
        { queue: 'mail', step_type: 'welcome', input: { to: 'cy' } },
        { queue: 'video', step_type: 'cut', input: { scene: 2 } },
        { queue: 'video', step_type: 'join', input: { film: 1 } },
      ].toSorted(byText),
    )
    // What its children were is done before it.
    expect(done.at(-1)).toMatchObject({ step_type: 'join' })
  })

  it('takes over what ended as jobs that have ended, which can be run again', async () => {
    using shell = new Shell()
    await server.clear()
    await fillBullmq(bullmq6, server, 'bull')
    const importing = new Importing(shell, [
      'bullmq',
      server.url,
      '--states',
      'failed,completed',
      '--active',
      'take',
    ])
    const report = await importing.report('--queue', 'mail=post', '--queue', 'busy', '--tenant', 'acme')
    expect(report).toMatchObject({
      taken: 3,
      queues: { mail: { failed: { taken: 1 }, completed: { taken: 1 } } },
    })
    expect(await importing.report('--queue', '*', '--tenant', 'acme')).toMatchObject({ taken: 1, known: 3 })
    await using ledger = await openLedger(importing.ledger, { tenant_id: 'acme' })
    expect(await ledger.jobs.get('bullmq:bull:mail:3')).toMatchObject({
      state: 'FAILED_FINAL',
      request_type: 'post.welcome',
      error_message: 'there is no such address',
      metadata: { imported: { from: 'bullmq', id: '3', queue: 'mail', state: 'failed', attempts_made: 1 } },
    })
    expect(await ledger.jobs.wait('bullmq:bull:mail:2')).toEqual({ sent: 1 })
    await using _worker = ledger.work({ post: async ({ input }) => input })
    const rerun = await ledger.jobs.again('bullmq:bull:mail:3')
    expect(await rerun.result()).toEqual({ to: 'lost' })
  })

  it('answers requests as a protocol says that is given for them, and tells two databases apart', async () => {
    using shell = new Shell()
    await server.clear()
    await manyJobs(bullmq6, server, 2)
    const protocol = {
      protocol_id: 'counting.v2',
      request_type: 'many.count',
      steps: ['first', 'second'].map((step_id) => ({
        step_id,
        step_type: 'count',
        service: step_id,
        delivery: 'pull',
      })),
    }
    writeFileSync(shell.path('own.json'), JSON.stringify([protocol]))
    const importing = new Importing(shell, ['bullmq', server.url, '--protocols', shell.path('own.json')])
    expect(await importing.report()).toMatchObject({ taken: 2 })
    const done = await importing.work(['first', 'second'])
    expect(done.map(({ queue }) => queue).toSorted()).toEqual(['first', 'first', 'second', 'second'])
    // Another Redis, with jobs of the same ids.
    await server.clear()
    await manyJobs(bullmq6, server, 2)
    const other = await importing.report()
    expect(other).toMatchObject({ taken: 0, known: 0, refused: 2 })
    expect(other.refused_because[0]?.what).toContain('--as')
    expect(await importing.report('--as', 'other')).toMatchObject({ taken: 2, refused: 0 })
  })

  it('goes on where it was killed, and takes nothing over twice', async () => {
    using shell = new Shell()
    await server.clear()
    await manyJobs(bullmq6, server, 1000)
    const importing = new Importing(shell, ['bullmq', server.url])
    await importing.goesOnWhenKilled(1000)
  })

  it('says what to do about a place or a version that it does not know', async () => {
    using shell = new Shell()
    await server.clear()
    const importing = new Importing(shell, ['bullmq', server.url])
    expect(await importing.failure()).toEqual({ status: 3, code: 'IMPORT_NO_SOURCE' })
    await server.set('bull:mail:meta', 'version', 'bullmq:99.0.0')
    expect(await importing.failure('--dry-run')).toEqual({ status: 2, code: 'IMPORT_UNKNOWN_VERSION' })
    const nowhere = new Importing(shell, ['bullmq', 'redis://:secret@127.0.0.1:1'])
    const { status, stderr } = await nowhere.run()
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('ECONNREFUSED') })
    expect(stderr).not.toContain('secret')
    expect(shell.contents()).toEqual({})
  })
})

async function mailIsAsItWas(folder: string, source: string): Promise<void> {
  await using ledger = await openLedger(folder)
  const step = async (id: string) => (await ledger.jobs.show(`bullmq:${source}:mail:${id}`))?.steps[0]
  const retried = await ledger.jobs.get(`bullmq:${source}:mail:1`)
  expect(retried).toMatchObject({ state: 'QUEUED', payload: { to: 'retried' }, tags: ['from:bullmq'] })
  // It failed once, and waits an hour; then it has three attempts, with two and four hours between them.
  expect(Date.parse(retried?.run_at ?? '') - Date.now()).toBeGreaterThan(50 * 60_000)
  expect((await step('1'))?.policy).toEqual({
    max_attempts: 3,
    backoff: { kind: 'list', delaysMs: [7_200_000, 14_400_000] },
  })
  expect((await step('8'))?.policy).toEqual({ max_attempts: 3, backoff: { kind: 'list', delaysMs: [1000] } })
  expect((await step('4'))?.policy).toEqual({
    max_attempts: 1,
    backoff: { kind: 'none', baseMs: 0, capMs: 0 },
  })
  expect(await ledger.jobs.get(`bullmq:${source}:mail:7`)).toMatchObject({ priority: 3 })
  expect(await ledger.schedules.get(`bullmq:${source}:mail:nightly`)).toMatchObject({
    cron: '30 2 * * *',
    timezone: 'Europe/Berlin',
    request: { request_type: 'mail.digest', payload: { kind: 'digest' } },
  })
  expect(await ledger.schedules.get(`bullmq:${source}:mail:often`)).toMatchObject({ cron: '*/15 * * * *' })
}
