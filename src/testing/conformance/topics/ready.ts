import assert from 'node:assert/strict'
import { decideJob } from '../../../core/job/decide.ts'
import { MINUTE_MS, toIso } from '../../../core/time.ts'
import type { Topic } from '../check.ts'
import { failure, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { LIMITED, LIMITED_PUSH, PUSHED } from '../protocols.ts'
import type { Scene } from '../scene.ts'
import { advance, advanceAll, claim, claimJob, takeDirectives } from '../work.ts'

const QUEUES = ['read']

async function claimedIds(scene: Scene, limit: number): Promise<readonly string[]> {
  return (await claim(scene.store, { queues: QUEUES, limit })).map(({ job }) => job.job_id)
}

async function readyIds(scene: Scene, queues: readonly string[], perGroup: number) {
  return scene.store.ready(queues, perGroup, (heads) => heads.map(({ key }) => key.id))
}

export const ready: Topic = {
  topic: 'ready',
  checks: [
    {
      name: 'A67 hands out urgent work first, and the oldest of the same urgency',
      async run(scene) {
        const submitted = [
          ['low-1', 3],
          ['normal-2', 2],
          ['high-2', 1],
          ['critical-1', 0],
          ['normal-1', 2],
          ['high-1', 1],
        ] as const
        for (const [id, priority] of submitted) {
          await scene.do(submitJob(id, { priority }))
          await scene.pass(1)
        }
        const first = await claimedIds(scene, 2)
        assert.deepEqual(first, ['critical-1', 'high-2'])
        assert.deepEqual(await claimedIds(scene, 10), ['high-1', 'normal-2', 'normal-1', 'low-1'])
      },
    },
    {
      name: 'A67 breaks ties of time and urgency by id',
      async run(scene) {
        for (const id of ['c', 'a', 'd', 'b']) await scene.do(submitJob(id))
        for (const id of ['a', 'b', 'c', 'd']) assert.deepEqual(await claimedIds(scene, 1), [id])
      },
    },
    {
      name: 'shows the heads of every group of every queue that is asked for, and takes nothing',
      async run(scene) {
        for (const id of ['a1', 'a2', 'a3']) await scene.do(submitJob(id))
        for (const id of ['b1', 'b2']) await scene.do(submitJob(id, { protocol: LIMITED }))
        await scene.do(submitJob('z1', { tenant_id: 'Zeta' }))
        await scene.do(submitJob('p1', { protocol: PUSHED }))
        const heads = await readyIds(scene, QUEUES, 2)
        assert.deepEqual(heads.toSorted(), ['a1', 'a2', 'b1', 'b2', 'z1'])
        assert.deepEqual((await readyIds(scene, QUEUES, 1)).toSorted(), ['a1', 'b1', 'z1'])
        assert.deepEqual(await readyIds(scene, ['push:ocr'], 5), ['p1'])
        assert.deepEqual(await readyIds(scene, [], 5), [])
        assert.deepEqual(await readyIds(scene, ['nobody'], 5), [])
        assert.deepEqual((await readyIds(scene, ['read', 'push:ocr', 'read'], 1)).length, 4)
        assert.deepEqual((await readyIds(scene, QUEUES, 2)).toSorted(), heads.toSorted())
      },
    },
    {
      name: 'shows with every head what it is ready for',
      async run(scene) {
        await scene.do(submitJob('j', { protocol: LIMITED, priority: 1 }))
        const [head] = await scene.store.ready(QUEUES, 1, (heads) => heads)
        const job = await scene.store.get({ kind: 'job', tenant_id: TENANT, id: 'j' })
        assert.deepEqual(head?.key, { kind: 'job', tenant_id: TENANT, id: 'j' })
        assert.deepEqual(head?.ready, job?.ready)
        assert.deepEqual(head?.ready.limits, [{ key: 'gpu', max: 1 }])
      },
    },
    {
      name: 'lets tenants take turns',
      async run(scene) {
        for (let i = 0; i < 6; i++) await scene.do(submitJob(`a${i}`))
        for (let i = 0; i < 2; i++) await scene.do(submitJob(`z${i}`, { tenant_id: 'Zeta' }))
        const tenantsOf = async (limit: number, running: ReadonlyMap<string, number>) =>
          (await claim(scene.store, { queues: QUEUES, limit, running })).map(({ job }) => job.tenant_id)
        assert.deepEqual((await tenantsOf(3, new Map([[TENANT, 1]]))).toSorted(), ['Zeta', 'Zeta', TENANT])
        assert.deepEqual(await tenantsOf(9, new Map()), new Array(5).fill(TENANT))
      },
    },
    {
      name: 'finds the work of the tenants that are named, however much others have',
      async run(scene) {
        // Names that begin alike, before and after the one that is wanted.
        const others = Array.from({ length: 30 }, (_, i) => `Zet${'a'.repeat(i % 3)}${i}`)
        for (const tenant_id of others) await scene.do(submitJob('other', { tenant_id, priority: 0 }))
        for (const id of ['z1', 'z2', 'z3']) await scene.do(submitJob(id, { tenant_id: 'Zeta', priority: 3 }))
        await scene.do(submitJob('z4', { tenant_id: 'Zeta', protocol: LIMITED, priority: 3 }))
        await scene.do(submitJob('zz', { tenant_id: 'zz', priority: 3 }))
        await scene.do(submitJob('zz-p', { tenant_id: 'zz', protocol: PUSHED }))
        const claimed = async (tenants: readonly string[], limit: number) =>
          (await claim(scene.store, { queues: QUEUES, tenants, limit, most: 4 * limit })).map(
            ({ job }) => `${job.tenant_id} ${job.job_id}`,
          )
        assert.deepEqual(await claimed([], 5), [])
        assert.deepEqual(await claimed(['nobody', 'Zet', 'Z', 'Zetaa'], 5), [])
        assert.deepEqual(await claimed(['Zeta'], 1), ['Zeta z1'])
        assert.deepEqual(await claimed(['zz', 'Zeta', 'zz'], 2), ['Zeta z2', 'zz zz'])
        assert.deepEqual((await claimed(['zz', 'Zeta'], 9)).toSorted(), ['Zeta z3', 'Zeta z4'])
        assert.deepEqual(await claimed(['zz', 'Zeta'], 9), [])
        const directives = { queues: ['push:ocr'], limit: 9 }
        assert.deepEqual(await takeDirectives(scene.store, { ...directives, tenants: ['Zeta'] }), [])
        assert.equal((await takeDirectives(scene.store, { ...directives, tenants: ['zz'] })).length, 1)
        assert.equal((await claim(scene.store, { queues: QUEUES, limit: 99 })).length, others.length)
      },
    },
    {
      name: 'keeps to a limit, tells the chooser how many hold it, and goes on with the rest',
      async run(scene) {
        for (const id of ['l1', 'l2']) await scene.do(submitJob(id, { protocol: LIMITED }))
        await scene.do(submitJob('free'))
        assert.deepEqual((await claimedIds(scene, 5)).toSorted(), ['free', 'l1'])
        const seen: number[] = []
        await scene.store.sweep(
          {
            what: 'ready',
            queues: QUEUES,
            perGroup: 5,
            pick: (_, { used }) => {
              seen.push(used(TENANT, 'gpu'), used('Zeta', 'gpu'), used(TENANT, 'other'))
              return []
            },
          },
          advance,
        )
        assert.deepEqual(seen.slice(-3), [1, 0, 0])
        assert.deepEqual(await claimedIds(scene, 5), [])
        const step = await scene.store.get({ kind: 'step', tenant_id: TENANT, id: 'l1/read' })
        assert(step !== null)
        await scene.do(report(step, SUCCESS))
        assert.deepEqual(await claimedIds(scene, 5), ['l2'])
      },
    },
    {
      name: 'refuses by itself what was chosen and cannot be had',
      async run(scene) {
        for (const id of ['l1', 'l2']) await scene.do(submitJob(id, { protocol: LIMITED }))
        const swept = await scene.store.sweep(
          { what: 'ready', queues: QUEUES, perGroup: 5, pick: (heads) => heads },
          ({ id }, given) => decideJob(onJob('claimStep', id), given),
        )
        assert.deepEqual(
          swept.map(({ key, outcome }) => [key.id, outcome.ok ? 'ok' : outcome.refusal.code]),
          [
            ['l1', 'ok'],
            ['l2', 'CONCURRENCY_LIMIT'],
          ],
        )
      },
    },
    {
      name: 'holds work back until its time, then hands it out',
      async run(scene) {
        const run_at = toIso(scene.world.clock.now() + MINUTE_MS)
        await scene.do(submitJob('later', { run_at, priority: 0 }))
        assert.deepEqual(await claimedIds(scene, 5), [])
        await scene.pass(MINUTE_MS)
        assert.deepEqual(await advanceAll(scene.store, 'due'), ['later'])
        assert.deepEqual(await claimedIds(scene, 5), ['later'])
      },
    },
    {
      name: 'hands a failed attempt out again after its backoff',
      async run(scene) {
        await scene.do(submitJob('j'))
        await scene.do(report(await claimJob(scene, 'j'), failure('RETRYABLE')))
        assert.deepEqual(await readyIds(scene, QUEUES, 5), [])
        await scene.pass(MINUTE_MS)
        await advanceAll(scene.store, 'due')
        const [work] = await claim(scene.store, { queues: QUEUES })
        assert.deepEqual([work?.job.job_id, work?.step.attempt_no], ['j', 2])
      },
    },
    {
      name: 'hands out directives, also those that waited for a slot',
      async run(scene) {
        await scene.do(submitJob('p', { protocol: PUSHED }))
        for (const id of ['l1', 'l2']) await scene.do(submitJob(id, { protocol: LIMITED_PUSH }))
        const queues = ['push:ocr', 'push:send']
        const rows = await takeDirectives(scene.store, { queues, limit: 5 })
        assert.deepEqual(rows.map(({ job_id }) => job_id).toSorted(), ['l1', 'p'])
        assert.deepEqual(await takeDirectives(scene.store, { queues, limit: 5 }), [])
        assert.deepEqual(await readyIds(scene, queues, 5), ['l2'])
      },
    },
    {
      name: 'forgets work that was cancelled',
      async run(scene) {
        for (const id of ['a', 'b']) await scene.do(submitJob(id))
        await scene.do(onJob('cancelJob', 'a'))
        assert.deepEqual(await readyIds(scene, QUEUES, 5), ['b'])
      },
    },
  ],
}
