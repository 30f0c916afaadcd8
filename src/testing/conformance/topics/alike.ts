import assert from 'node:assert/strict'
import type { JobAggregate } from '../../../core/aggregate.ts'
import { HOUR_MS } from '../../../core/time.ts'
import type { Topic } from '../check.ts'
import { failure, freshJob, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { auditAll, findAll, moves, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { advanceAll, claimJob, succeed } from '../work.ts'

const load = (scene: Scene, id: string) => scene.store.load({ kind: 'job', tenant_id: TENANT, id })

/** What is not its own: its name, its request, its place and its times. */
function inCommon(aggregate: JobAggregate | null): unknown {
  assert(aggregate !== null)
  return [aggregate.job, ...aggregate.steps, ...aggregate.outbox].map((record) =>
    Object.fromEntries(
      Object.entries(plain(record)).filter(([field]) => !OWN.has(field) && !field.endsWith('_at')),
    ),
  )
}

const OWN = new Set([
  'job_id',
  'idempotency_hash',
  'input_ref',
  'output_ref',
  'payload',
  'state_since',
  'ready',
  'lease_id',
  'etag',
  // It may say by when.
  'last_error_message',
])

/** What was told of a job, without its name. */
async function wayOf(scene: Scene, id: string): Promise<readonly string[]> {
  return moves(await auditAll(scene.store, { job_id: id })).map((move) => move.replaceAll(id, ''))
}

/** More than a store takes the trouble for. */
const MANY = 24
const FEW = 5

const OTHER_WAYS: { readonly [name: string]: (scene: Scene, id: string) => Promise<void> } = {
  cancelled: async (scene, id) => {
    const step = await claimJob(scene, id)
    await scene.do(onJob('cancelJob', id))
    await scene.do(report(step, SUCCESS))
  },
  failed: async (scene, id) => {
    await scene.do(report(await claimJob(scene, id), failure('RETRYABLE')))
  },
  late: async (scene, id) => {
    const step = await claimJob(scene, id)
    await scene.pass(2 * HOUR_MS)
    await advanceAll(scene.store, 'due')
    await scene.act(report(step, SUCCESS))
  },
}

/** A store may keep jobs that are submitted alike in a form of its own; nobody is to notice. */
export const alike: Topic = {
  topic: 'jobs that are submitted alike',
  checks: [
    {
      name: 'have the same records as one that is like no other',
      async run(scene) {
        const ids = ['alike-1', 'alike-2', 'alike-3']
        for (const id of ids) await scene.do(freshJob(id))
        await scene.do(submitJob('like-no-other'))
        const other = inCommon(await load(scene, 'like-no-other'))
        for (const id of ids) {
          const aggregate = await load(scene, id)
          assert.deepEqual(inCommon(aggregate), other)
          const { job, steps } = aggregate as JobAggregate
          const own = { job_id: id, input_ref: `in/${id}`, output_ref: `out/${id}` }
          for (const part of [job, ...steps]) assert.deepEqual({ ...plain(part), ...own }, plain(part))
          assert.deepEqual(plain(job.payload), { for: id })
        }
        assert.equal((await scene.store.counts('job')).QUEUED, 4)
      },
    },
    {
      name: 'are found, told of and counted',
      async run(scene) {
        for (const id of ['a', 'b', 'c']) await scene.do(freshJob(id))
        const steps = await findAll(scene.store, { kind: 'step', where: { state: 'PENDING' } })
        assert.deepEqual(
          (await findAll(scene.store, { kind: 'job', where: { state: 'QUEUED' } })).map(
            ({ job_id }) => job_id,
          ),
          ['a', 'b', 'c'],
        )
        assert.equal(steps.length, (await scene.store.counts('step')).PENDING)
        assert.deepEqual(moves(await auditAll(scene.store, { kind: 'job' })), [
          'job a: null → QUEUED',
          'job b: null → QUEUED',
          'job c: null → QUEUED',
        ])
        assert.deepEqual(await scene.store.check(), [])
      },
    },
    {
      name: 'count once, one by one and many at a time, also later and elsewhere',
      async run(scene) {
        const again = (id: string) => freshJob(id, { input_ref: 'in', output_ref: 'out', payload: { n: 1 } })
        await scene.do(again('first'))
        await scene.do(freshJob('b'))
        assert.equal((await scene.do(again('second'))).job_id, 'first')
        await scene.store.maintain()
        if (scene.subject.reopen !== undefined) await scene.reopen()
        assert.equal((await scene.do(again('third'))).job_id, 'first')
        if (!scene.store.capabilities.batch) return
        const answers = await scene.doAll([freshJob('c'), again('fourth'), freshJob('d')])
        assert.deepEqual(
          answers.map((answer) => (answer as { job_id: string }).job_id),
          ['c', 'first', 'd'],
        )
      },
    },
    {
      name: 'are not taken above the limit, and not in part',
      async run(scene) {
        const limited = (id: string) => freshJob(id, { inFlightLimit: 3 })
        await scene.do(limited('a'))
        await scene.do(limited('b'))
        if (scene.store.capabilities.batch) {
          assert.equal((await scene.batch([limited('x'), limited('y')])).ok, false)
          await scene.doAll([limited('c')])
        } else await scene.do(limited('c'))
        const refused = await scene.act(limited('d'))
        assert.equal(refused.ok ? null : refused.refusal.code, 'IN_FLIGHT_LIMIT')
        assert.equal((await findAll(scene.store, { kind: 'job' })).length, 3)
      },
    },
    {
      name: 'are taken, done and cancelled like any other',
      async run(scene) {
        for (const id of ['a', 'b', 'c']) await scene.do(freshJob(id))
        await scene.do(onJob('cancelJob', 'b'))
        await succeed(scene, 'a')
        const states = (await findAll(scene.store, { kind: 'job' })).map(({ job_id, state }) => [
          job_id,
          state,
        ])
        assert.deepEqual(states, [
          ['a', 'SUCCEEDED'],
          ['b', 'CANCELLED'],
          ['c', 'QUEUED'],
        ])
        assert.deepEqual(await scene.store.check(), [])
      },
    },
    {
      name: 'go the same way, and are then as one is that is like no other',
      async run(scene) {
        const ids = Array.from({ length: MANY }, (_, n) => `alike-${n}`)
        for (const id of ids) await scene.do(freshJob(id))
        await scene.do(submitJob('like-no-other'))
        const all = [...ids, 'like-no-other']
        for (const id of all) await succeed(scene, id)
        const ways = async () =>
          Promise.all(all.map(async (id) => [inCommon(await load(scene, id)), await wayOf(scene, id)]))
        const other = (await ways()).at(-1)
        for (const way of await ways()) assert.deepEqual(way, other)
        assert.equal((await scene.store.counts('job')).SUCCEEDED, all.length)
        assert.equal((await scene.store.counts('step')).SUCCEEDED, all.length)
        assert.deepEqual(await scene.store.check(), [])
        if (scene.subject.reopen === undefined) return
        await scene.reopen()
        for (const way of await ways()) assert.deepEqual(way, other)
      },
    },
    {
      name: 'may go another way from wherever they are',
      async run(scene) {
        for (let n = 0; n < FEW; n++) {
          await scene.do(freshJob(`before-${n}`))
          await succeed(scene, `before-${n}`)
        }
        for (const [name, go] of Object.entries(OTHER_WAYS)) {
          const ids = [`alike-${name}`, `other-${name}`] as const
          const gone = async (id: string) => {
            await go(scene, id)
            return [inCommon(await load(scene, id)), await wayOf(scene, id)]
          }
          await scene.do(freshJob(ids[0]))
          await scene.do(submitJob(ids[1]))
          const [one, other] = [await gone(ids[0]), await gone(ids[1])]
          assert.deepEqual(one, other)
        }
        assert.deepEqual(await scene.store.check(), [])
      },
    },
    {
      name: 'are there when it is opened again',
      async run(scene) {
        if (scene.subject.reopen === undefined) return
        for (const id of ['a', 'b']) await scene.do(freshJob(id))
        if (scene.store.capabilities.batch) await scene.doAll([freshJob('c'), freshJob('d')])
        const before = await findAll(scene.store, { kind: 'job' })
        const steps = await findAll(scene.store, { kind: 'step' })
        await scene.reopen()
        assert.deepEqual(plain(await findAll(scene.store, { kind: 'job' })), plain(before))
        assert.deepEqual(plain(await findAll(scene.store, { kind: 'step' })), plain(steps))
        assert.deepEqual(await scene.store.check(), [])
      },
    },
  ],
}
