import assert from 'node:assert/strict'
import { decideJob } from '../../../core/job/decide.ts'
import { pick, type ReadyHead, type WorkView } from '../../../core/pick.ts'
import { EVERYBODY } from '../../../core/queue/record.ts'
import { MINUTE_MS } from '../../../core/time.ts'
import type { LookAtReady, Store } from '../../../store/store.ts'
import { type Check, type Topic, withoutTotalOrder } from '../check.ts'
import { expedite, onJob, report, SUCCESS, steerQueue, submitJob, TENANT } from '../commands.ts'
import { LIMITED, MIXED } from '../protocols.ts'
import { auditAll, findAll } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { advance, claim, claimJob, takeDirectives } from '../work.ts'

const QUEUES = ['read']

async function claimedIds(scene: Scene, limit = 5): Promise<readonly string[]> {
  return (await claim(scene.store, { queues: QUEUES, limit })).map(({ job }) => job.job_id)
}

/** What a chooser would choose: by a look, or as a sweep shows it. */
async function choices(store: Store): Promise<readonly (readonly string[])[]> {
  const looked = await store.ready(QUEUES, 5, see)
  let swept: readonly string[] = []
  const look: LookAtReady<readonly ReadyHead[]> = (heads, view) => {
    swept = see(heads, view)
    return []
  }
  await store.sweep({ what: 'ready', queues: QUEUES, perGroup: 5, pick: look }, advance)
  return [looked, swept]
}

function see(heads: readonly ReadyHead[], view: WorkView): readonly string[] {
  const { chosen, held } = pick(heads, { limit: 5, running: new Map(), view })
  const limits = ['gpu', 'door'].map((key) => `${key} ${view.used(TENANT, key)}`)
  const queue = `${view.queue('read')?.state} ${view.used(EVERYBODY, 'queue:read')}`
  return [
    ...chosen.map(({ key }) => key.id),
    ...held.map(({ head, cause }) => `${head.key.id}: ${cause}`),
    ...limits,
    queue,
  ].toSorted()
}

async function mustHaveBegunNothingAfterThePause(scene: Scene): Promise<void> {
  const told = await auditAll(scene.store, {})
  const pause = told.findIndex(({ kind }) => kind === 'queue')
  assert(pause !== -1, 'the pause is in the history')
  const later = told
    .slice(pause + 1)
    .filter(({ kind, new_state }) => kind === 'step' && new_state !== 'PENDING')
  assert.deepEqual(later, [])
  assert.deepEqual(await claimedIds(scene, 20), [])
}

const checks: readonly Check[] = [
  {
    name: 'keeps what was decided about a queue, for everybody',
    async run(scene) {
      const key = { kind: 'queue', tenant_id: EVERYBODY, id: 'read' } as const
      assert.equal(await scene.store.get(key), null)
      const made = await scene.do(steerQueue('read', { state: 'paused', concurrency: 3 }))
      assert.deepEqual(await scene.store.get(key), made)
      assert.deepEqual(await scene.store.load(key), made)
      await scene.pass(MINUTE_MS)
      const changed = await scene.do(steerQueue('read', { state: 'running', rate: { max: 2, per_ms: 5 } }))
      await scene.do(steerQueue('other', { concurrency: 1 }))
      assert.notEqual(changed.etag, made.etag)
      assert.deepEqual(await scene.store.get(key), changed)
      const names = (await findAll(scene.store, { kind: 'queue' })).map(({ queue }) => queue)
      assert.deepEqual(names, ['other', 'read'])
      const told = await auditAll(scene.store, { kind: 'queue', id: 'read' })
      assert.deepEqual(
        told.map(({ new_state }) => new_state),
        ['paused', 'running'],
      )
      assert.deepEqual(await scene.store.check(), [])
    },
  },
  {
    name: 'hands nothing out of a queue that is paused, and everything when it is resumed',
    async run(scene) {
      for (const id of ['a', 'b']) await scene.do(submitJob(id))
      await scene.do(submitJob('pushed', { protocol: MIXED }))
      for (const queue of ['read', 'send']) await scene.do(steerQueue(queue, { state: 'paused' }))
      assert.deepEqual(await claimedIds(scene), [])
      assert.deepEqual(await takeDirectives(scene.store, { queues: ['push:send'], limit: 5 }), [])
      assert.equal((await scene.refusalOf(onJob('claimStep', 'a'))).code, 'QUEUE_PAUSED')
      assert.equal((await scene.refusalOf(onJob('takeOutbox', 'pushed'))).code, 'QUEUE_PAUSED')
      for (const queue of ['read', 'send']) await scene.do(steerQueue(queue, { state: 'running' }))
      assert.deepEqual(await claimedIds(scene), ['a', 'b'])
      assert.equal((await takeDirectives(scene.store, { queues: ['push:send'], limit: 5 })).length, 1)
    },
  },
  {
    name: 'counts jobs of two tenants with one id as two under the limit of a queue',
    async run(scene) {
      await scene.do(steerQueue('read', { concurrency: 2 }))
      for (const tenant_id of [TENANT, 'Zeta', 'Omega']) await scene.do(submitJob('same', { tenant_id }))
      assert.equal((await claim(scene.store, { queues: QUEUES, limit: 3 })).length, 2)
      const used = () => scene.store.ready(QUEUES, 1, (_, view) => view.used(EVERYBODY, 'queue:read'))
      assert.equal(await used(), 2)
      const [step] = await findAll(scene.store, { kind: 'step', where: { state: 'IN_PROGRESS' } })
      assert(step !== undefined)
      await scene.do(report(step, SUCCESS))
      assert.equal(await used(), 1)
    },
  },
  {
    name: 'hands nothing out once somebody paused the queue, though it was chosen before',
    excuse: withoutTotalOrder,
    async run(scene) {
      for (const id of ['a', 'b']) await scene.do(submitJob(id))
      let pausing: Promise<unknown> = Promise.resolve()
      const swept = await scene.store.sweep(
        {
          what: 'ready',
          queues: QUEUES,
          perGroup: 5,
          pick: (heads) => {
            pausing = scene.meanwhile(scene.do(steerQueue('read', { state: 'paused' })))
            return heads
          },
        },
        ({ id }, given) => decideJob(onJob('claimStep', id), given),
      )
      await pausing
      assert.equal(swept.length, 2)
      for (const { outcome } of swept) assert(outcome.ok || outcome.refusal.code === 'QUEUE_PAUSED')
      await mustHaveBegunNothingAfterThePause(scene)
    },
  },
  {
    name: 'hands nothing out once somebody paused the queue, however many claim at once',
    excuse: withoutTotalOrder,
    async run(scene) {
      for (let n = 0; n < 10; n++) await scene.do(submitJob(`racer-${n}`))
      const stores = await scene.writers()
      const claims = (from: number) =>
        Array.from({ length: 5 }, (_, n) =>
          scene.act(onJob('claimStep', `racer-${from + n}`), stores[n % stores.length]),
        )
      const early = claims(0)
      const paused = scene.act(steerQueue('read', { state: 'paused' }), stores.at(-1))
      const racing = [...early, paused, ...claims(5)]
      await scene.within(Promise.all<unknown>(racing), 'claims and a pause at once')
      await mustHaveBegunNothingAfterThePause(scene)
    },
  },
  {
    name: 'keeps to the limits of a queue over all tenants',
    async run(scene) {
      for (const id of ['a', 'b']) await scene.do(submitJob(id))
      await scene.do(submitJob('z', { tenant_id: 'Zeta' }))
      await scene.do(steerQueue('read', { concurrency: 2 }))
      assert.equal((await claimedIds(scene)).length, 2)
      assert.deepEqual(await claimedIds(scene), [])
      const [running] = await findAll(scene.store, { kind: 'step', where: { state: 'IN_PROGRESS' } })
      assert(running?.queue_slot === true)
      await scene.do(report(running, SUCCESS))
      assert.equal((await claimedIds(scene)).length, 1)
    },
  },
  {
    name: 'shows to a look what it shows to a sweep',
    async run(scene) {
      const agree = async () => {
        const [looked, swept] = await choices(scene.store)
        assert.deepEqual(looked, swept)
        return looked
      }
      for (const id of ['l1', 'l2']) await scene.do(submitJob(id, { protocol: LIMITED }))
      for (const id of ['a', 'b', 'c']) await scene.do(submitJob(id))
      await agree()
      await claimJob(scene, 'l1')
      await scene.do(steerQueue('read', { concurrency: 2 }))
      assert.deepEqual(
        (await agree())?.filter((line) => line.includes(':')),
        ['c: limit', 'l2: limit'],
      )
      await scene.do(expedite('c', ['limits']))
      await agree()
      await scene.do(steerQueue('read', { state: 'paused' }))
      assert.deepEqual(
        (await agree())?.filter((line) => line.endsWith(': paused')),
        ['a: paused', 'b: paused', 'c: paused', 'l2: paused'],
      )
    },
  },
  {
    name: 'still knows after maintenance what was decided about queues',
    async run(scene) {
      await scene.do(submitJob('a'))
      const queue = await scene.do(steerQueue('read', { state: 'paused', concurrency: 1 }))
      await scene.store.maintain()
      await scene.do(submitJob('b'))
      await scene.store.maintain()
      assert.deepEqual(await scene.store.ready(QUEUES, 5, (_, view) => view.queue('read')), queue)
      assert.deepEqual(await claimedIds(scene), [])
      await scene.do(steerQueue('read', { state: 'running' }))
      assert.deepEqual(await claimedIds(scene), ['a'])
    },
  },
  {
    name: 'still knows when it is opened again what was decided about queues',
    reopens: true,
    async run(scene) {
      for (const id of ['a', 'b']) await scene.do(submitJob(id))
      const queue = await scene.do(steerQueue('read', { state: 'paused', concurrency: 1 }))
      for (let times = 0; times < 2; times++) {
        await scene.reopen()
        assert.deepEqual(await scene.store.ready(QUEUES, 5, (_, view) => view.queue('read')), queue)
        assert.equal((await scene.refusalOf(onJob('claimStep', 'a'))).code, 'QUEUE_PAUSED')
        await scene.store.maintain()
      }
      await scene.do(steerQueue('read', { state: 'running' }))
      assert.deepEqual(await claimedIds(scene), ['a'])
      await scene.reopen()
      assert.deepEqual(await claimedIds(scene), [])
    },
  },
]

export const queues: Topic = { topic: 'queues', checks }
