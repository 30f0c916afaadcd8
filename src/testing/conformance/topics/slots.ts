import assert from 'node:assert/strict'
import type { SlotChange } from '../../../core/decision.ts'
import { HOUR_MS, toIso } from '../../../core/time.ts'
import type { Topic } from '../check.ts'
import { failure, onJob, recordPublishFailure, report, SUCCESS, submitJob } from '../commands.ts'
import { MIXED, PUSHED } from '../protocols.ts'
import { changeSlots, release, take } from '../raw-decisions.ts'
import type { Scene } from '../scene.ts'
import { advanceAll, claimJob } from '../work.ts'

const KEY = { key: 'line', max: 2 }

/** Whether the change went through. */
async function change(scene: Scene, ...slots: readonly SlotChange[]): Promise<boolean> {
  return (await scene.store.transact([], changeSlots(...slots))).ok
}

export const slots: Topic = {
  topic: 'slots',
  checks: [
    {
      name: 'gives out as many as there are, and one more after a release',
      async run(scene) {
        assert.equal(await change(scene, take({ ...KEY, owner: 'a' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'b' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'c' })), false)
        assert.equal(await change(scene, release({ key: 'line', owner: 'a' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'c' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'a' })), false)
      },
    },
    {
      name: 'takes and releases once per owner, however often it is asked',
      async run(scene) {
        for (let i = 0; i < 3; i++) assert.equal(await change(scene, take({ ...KEY, owner: 'a' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'b' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'a' })), true, 'it holds one already')
        for (let i = 0; i < 3; i++) await change(scene, release({ key: 'line', owner: 'a' }))
        await change(scene, release({ key: 'line', owner: 'never held one' }))
        assert.equal(await change(scene, take({ ...KEY, owner: 'c' })), true)
        assert.equal(await change(scene, take({ ...KEY, owner: 'd' })), false)
      },
    },
    {
      name: 'leaves a slot to its owner when there are fewer than there were',
      async run(scene) {
        for (const owner of ['a', 'b']) await change(scene, take({ ...KEY, owner }))
        assert.equal(await change(scene, take({ key: 'line', max: 1, owner: 'a' })), true)
        assert.equal(await change(scene, take({ key: 'line', max: 1, owner: 'c' })), false)
        await change(scene, release({ key: 'line', owner: 'a' }))
        assert.equal(await change(scene, take({ key: 'line', max: 1, owner: 'a' })), false)
      },
    },
    {
      name: 'keeps keys and tenants apart',
      async run(scene) {
        const one = { key: 'line', max: 1, owner: 'a' }
        assert.equal(await change(scene, take(one)), true)
        assert.equal(await change(scene, take({ ...one, tenant_id: 'Zeta' })), true)
        assert.equal(await change(scene, take({ ...one, key: 'other' })), true)
        await change(scene, release({ key: 'line', owner: 'a', tenant_id: 'Zeta' }))
        assert.equal(await change(scene, take({ ...one, owner: 'b' })), false)
        assert.equal(await change(scene, take({ ...one, owner: 'b', tenant_id: 'Zeta' })), true)
      },
    },
    {
      name: 'makes the changes of one decision in their order, all or none',
      async run(scene) {
        const one = { key: 'line', max: 1 }
        const [a, b] = [
          { ...one, owner: 'a' },
          { ...one, owner: 'b' },
        ]
        assert.equal(await change(scene, take(a), take(b)), false, 'its own takes count')
        assert.equal(await change(scene, take(a), take(a)), true, 'twice is once')
        assert.equal(await change(scene, release(a), take(b)), true, 'its own releases count')
        assert.equal(await change(scene, take(a), release(b)), false, 'but only those before')
        assert.equal(await change(scene, take({ ...a, key: 'free' }), take(a)), false)
        assert.equal(await change(scene, take({ ...b, key: 'free' })), true, 'nothing of it was taken')
      },
    },
    {
      name: 'gives out no more than there are, however many ask at once',
      async run(scene) {
        const stores = await scene.writers()
        const racing = Array.from({ length: 20 }, (_, i) => {
          const store = stores[i % stores.length] ?? scene.store
          return store.transact([], changeSlots(take({ key: 'line', max: 5, owner: `racer-${i}` })))
        })
        const outcomes = await scene.within(Promise.all(racing), 'twenty racers')
        assert.equal(outcomes.filter(({ ok }) => ok).length, 5)
      },
    },
    {
      name: 'A9 keeps a tenant to its jobs in flight, also under concurrent submits',
      async run(scene) {
        const stores = await scene.writers()
        const submits = Array.from({ length: 12 }, (_, i) =>
          scene.act(submitJob(`j${i}`, { inFlightLimit: 4 }), stores[i % stores.length]),
        )
        const outcomes = await scene.within(Promise.all(submits), 'twelve submits')
        assert.equal(outcomes.filter(({ ok }) => ok).length, 4)
        for (const outcome of outcomes) assert(outcome.ok || outcome.refusal.code === 'IN_FLIGHT_LIMIT')
        await scene.do(submitJob('theirs', { tenant_id: 'Zeta', inFlightLimit: 4 }))
      },
    },
    {
      name: 'A9 frees the slot of a job, however it ends',
      async run(scene) {
        const limit = { inFlightLimit: 1 }
        const endings: readonly [string, (id: string) => Promise<unknown>][] = [
          ['success', async (id) => scene.do(report(await claimJob(scene, id), SUCCESS))],
          ['failure', async (id) => scene.do(report(await claimJob(scene, id), failure('NON_RETRYABLE')))],
          ['cancel', (id) => scene.do(onJob('cancelJob', id))],
          ['expiry', () => scene.pass(2 * HOUR_MS).then(() => advanceAll(scene.store, 'due'))],
        ]
        for (const [id, end] of endings) {
          const expires_at = toIso(scene.world.clock.now() + HOUR_MS)
          await scene.do(submitJob(id, { expires_at, ...limit }))
          assert.equal((await scene.refusalOf(submitJob('too many', limit))).code, 'IN_FLIGHT_LIMIT')
          await end(id)
        }
        await scene.do(submitJob('last', limit))
      },
    },
    {
      name: 'A9 frees the slot of a job whose directive could not be published',
      async run(scene) {
        const limit = { inFlightLimit: 1 }
        await scene.do(submitJob('j', { protocol: MIXED, ...limit }))
        for (let tries = 0; tries < 2; tries++) {
          const row = await scene.do(onJob('takeOutbox', 'j'))
          await scene.do(recordPublishFailure('j', row.outbox_id))
          await scene.pass(HOUR_MS)
          await advanceAll(scene.store, 'due')
        }
        const job = await scene.store.get({ kind: 'job', tenant_id: 'acme', id: 'j' })
        assert.equal(job?.state, 'FAILED_FINAL')
        await scene.do(submitJob('next', { protocol: PUSHED, ...limit }))
      },
    },
  ],
}
