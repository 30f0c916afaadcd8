import assert from 'node:assert/strict'
import { type Check, type Topic, withoutBatches, withoutExactCounts } from '../check.ts'
import { onJob, submitJob, TENANT } from '../commands.ts'
import { createGroup, eventOf, followGroup, sealGroup } from '../group-commands.ts'
import { auditAll, findAll, moves, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { countsOf } from './counts.ts'

const RUN = { kind: 'run', tenant_id: TENANT, id: 'r' } as const
const WORKSTREAM = { kind: 'workstream', tenant_id: TENANT, id: 'w' } as const

async function jobIds(scene: Scene, where: { readonly run_id?: string; readonly workstream_id?: string }) {
  const jobs = await findAll(scene.store, { kind: 'job', tenant_id: TENANT, where })
  return jobs.map(({ job_id }) => job_id).toSorted()
}

const checks: readonly Check[] = [
  {
    name: 'A60 makes a run and a workstream with the first job that names them',
    async run(scene) {
      await scene.do(submitJob('a', { run_id: 'r', workstream_id: 'w' }))
      await scene.do(submitJob('b', { workstream_id: 'w' }))
      await scene.do(submitJob('c', { run_id: 'r' }))
      await scene.do(submitJob('d', { run_id: 'r', tenant_id: 'Zeta' }))
      const run = await scene.store.get(RUN)
      assert.equal(run?.state, 'pending')
      assert.equal((await scene.store.get(WORKSTREAM))?.run_id, 'r')
      assert.deepEqual(await jobIds(scene, { run_id: 'r' }), ['a', 'b', 'c'])
      assert.deepEqual(await jobIds(scene, { workstream_id: 'w' }), ['a', 'b'])
      assert.equal((await findAll(scene.store, { kind: 'run' })).length, 2)
      const told = await auditAll(scene.store, { kind: 'run', tenant_id: TENANT })
      assert.deepEqual(moves(told), ['run r: null → pending'])
    },
  },
  {
    name: 'A60 makes it once, however many submit at the same time',
    async run(scene) {
      const stores = await scene.writers()
      const ids = Array.from({ length: 12 }, (_, n) => `j${String(n).padStart(2, '0')}`)
      const answers = await Promise.all(
        ids.map((id, n) =>
          scene.act(submitJob(id, { run_id: 'r', workstream_id: 'w' }), stores[n % stores.length]),
        ),
      )
      assert(answers.every(({ ok }) => ok))
      assert.deepEqual(await jobIds(scene, { run_id: 'r' }), ids)
      assert.equal((await auditAll(scene.store, { kind: 'run' })).length, 1)
      assert.equal((await auditAll(scene.store, { kind: 'workstream' })).length, 1)
    },
  },
  {
    name: 'takes no job into what is sealed or has ended, and leaves nothing of it behind',
    async run(scene) {
      await scene.do(submitJob('a', { run_id: 'r', workstream_id: 'w' }))
      const sealed = await scene.do(sealGroup('run', 'r'))
      assert.equal(sealed.sealed, true)
      for (const more of [{ run_id: 'r' }, { workstream_id: 'w' }, { run_id: 'r', workstream_id: 'new' }]) {
        assert.equal((await scene.refusalOf(submitJob('b', more))).code, 'RUN_CLOSED')
      }
      assert.equal(await scene.store.get({ ...WORKSTREAM, id: 'new' }), null)
      assert.deepEqual(await jobIds(scene, {}), ['a'])
      await scene.do(submitJob('b'))
    },
  },
  {
    name: 'either takes a job in or is sealed before it, when both are asked for at once',
    async run(scene) {
      const [first = scene.store, second = scene.store] = await scene.writers()
      for (let round = 0; round < 8; round++) {
        const run_id = `r${round}`
        await scene.do(createGroup('run', run_id))
        const [submitted, sealed] = await Promise.all([
          scene.act(submitJob(`j${round}`, { run_id }), first),
          scene.act(sealGroup('run', run_id), second),
        ])
        assert(sealed.ok)
        const cursors = async (kind: 'job' | 'run', event: 'moved' | 'noted', id: string) =>
          (await auditAll(scene.store, { kind, event, id })).map(({ seq }) => seq)
        const [joined] = await cursors('job', 'moved', `j${round}`)
        const [closed = 0] = await cursors('run', 'noted', run_id)
        assert.equal(submitted.ok, joined !== undefined)
        if (scene.store.capabilities.order !== 'total' || joined === undefined) continue
        assert(joined < closed, 'nothing joins what is sealed')
      }
    },
  },
  {
    name: 'is found and counted by its state, which follows its jobs',
    excuse: withoutExactCounts,
    async run(scene) {
      for (const id of ['r', 's']) await scene.do(createGroup('run', id))
      await scene.do(sealGroup('run', 's'))
      const running = await scene.do(followGroup('run', 'r', { open: true, started: true }))
      assert.equal(running.state, 'running')
      const ended = await scene.do(followGroup('run', 's', { sealed: true }))
      assert.equal(ended.state, 'succeeded')
      assert.deepEqual(await countsOf(scene.store, 'run'), { running: 1, succeeded: 1 })
      const found = await findAll(scene.store, { kind: 'run', where: { state: ['pending', 'running'] } })
      assert.deepEqual(
        found.map(({ run_id }) => run_id),
        ['r'],
      )
      const stale = { if_match: 'other' }
      assert.equal((await scene.refusalOf(sealGroup('run', 'r', stale))).code, 'STALE_ETAG')
      await scene.do(sealGroup('run', 'r', { if_match: running.etag }))
    },
  },
  {
    name: 'finds the workstreams of a run',
    async run(scene) {
      for (const [id, run_id] of [
        ['a', 'r'],
        ['b', 'r'],
        ['c', 's'],
        ['d', null],
      ] as const) {
        await scene.do(createGroup('workstream', id, { run_id }))
      }
      const found = await findAll(scene.store, {
        kind: 'workstream',
        tenant_id: TENANT,
        where: { run_id: 'r' },
      })
      assert.deepEqual(found.map(({ workstream_id }) => workstream_id).toSorted(), ['a', 'b'])
    },
  },
  {
    name: 'makes a run, takes jobs in and seals it in one commit, or does none of it',
    excuse: withoutBatches,
    async run(scene) {
      const jobs = ['a', 'b'].map((id) => submitJob(id, { run_id: 'r', workstream_id: 'w' }))
      const refused = await scene.batch([...jobs, sealGroup('run', 'r'), submitJob('c', { run_id: 'r' })])
      assert.equal(refused.ok, false)
      assert.equal(await scene.store.get(RUN), null)
      assert.deepEqual(await jobIds(scene, {}), [])
      await scene.doAll([...jobs, sealGroup('run', 'r')])
      assert.equal((await scene.store.get(RUN))?.sealed, true)
      assert.deepEqual(await jobIds(scene, { run_id: 'r' }), ['a', 'b'])
    },
  },
  {
    name: 'tells what happened to it, also after its end',
    async run(scene) {
      await scene.do(createGroup('run', 'r', { metadata: { who: 'ada' } }))
      await scene.do(sealGroup('run', 'r'))
      await scene.do(followGroup('run', 'r', { sealed: true }))
      const before = await scene.store.get(RUN)
      for (let n = 0; n < 120; n++) await scene.do(eventOf('run', 'r', `event-${n}`))
      assert.deepEqual(await scene.store.get(RUN), before)
      assert.equal((await auditAll(scene.store, { kind: 'run', id: 'r', event: 'noted' })).length, 121)
    },
  },
  {
    name: 'is what it was when the store is opened again',
    reopens: true,
    async run(scene) {
      await scene.do(submitJob('a', { run_id: 'r', workstream_id: 'w' }))
      await scene.do(createGroup('run', 's', { metadata: { a: ['ü', null] } }))
      await scene.do(onJob('cancelJob', 'a'))
      await scene.do(sealGroup('run', 'r'))
      await scene.do(followGroup('run', 'r', { sealed: true, cancelled: true }))
      const whole = async () =>
        plain([
          await findAll(scene.store, { kind: 'run' }),
          await findAll(scene.store, { kind: 'workstream' }),
        ])
      const before = await whole()
      await scene.reopen()
      assert.deepEqual(await whole(), before)
      await scene.store.maintain()
      await scene.reopen()
      assert.deepEqual(await whole(), before)
      assert.equal((await scene.refusalOf(submitJob('b', { run_id: 'r' }))).code, 'RUN_CLOSED')
      await scene.do(submitJob('c', { run_id: 's' }))
      assert.deepEqual(await scene.store.check(), [])
    },
  },
]

export const groups: Topic = { topic: 'groups', checks }
