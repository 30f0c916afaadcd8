import assert from 'node:assert/strict'
import { decideJob } from '../../../core/job/decide.ts'
import { MINUTE_MS, SECOND_MS, toIso } from '../../../core/time.ts'
import type { Topic } from '../check.ts'
import { heartbeat, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { auditAll } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { advance, advanceAll, advancePage, claimJob } from '../work.ts'

const LEASE_MS = 15 * MINUTE_MS

/** Jobs that become due one second after the other. */
async function submitDelayed(scene: Scene, ids: readonly string[], tenant_id = TENANT): Promise<void> {
  for (const [i, id] of ids.entries()) {
    const run_at = toIso(scene.world.clock.now() + (i + 1) * SECOND_MS)
    await scene.do(submitJob(id, { run_at, tenant_id }))
  }
}

async function dueIds(scene: Scene, limit = 100): Promise<readonly string[]> {
  return (await advancePage(scene.store, 'due', limit)).map(({ key }) => key.id)
}

export const due: Topic = {
  topic: 'due',
  checks: [
    {
      name: 'has no timer where nothing waits for time',
      async run(scene) {
        assert.equal(await scene.store.nextDue(), null)
        await scene.do(submitJob('j'))
        assert.equal(await scene.store.nextDue(), null)
        assert.deepEqual(await dueIds(scene), [])
      },
    },
    {
      name: 'fires a timer at its time and not a millisecond before',
      async run(scene) {
        const at = scene.world.clock.now() + SECOND_MS
        await submitDelayed(scene, ['j'])
        assert.equal(await scene.store.nextDue(), at)
        await scene.pass(SECOND_MS - 1)
        assert.deepEqual(await dueIds(scene), [])
        await scene.pass(1)
        assert.deepEqual(await dueIds(scene), ['j'])
        assert.deepEqual(await dueIds(scene), [])
        assert.equal(await scene.store.nextDue(), null)
      },
    },
    {
      name: 'names the earliest timer of all tenants',
      async run(scene) {
        const now = scene.world.clock.now()
        await submitDelayed(scene, ['a', 'b'])
        assert.equal(await scene.store.nextDue(), now + SECOND_MS)
        await scene.do(submitJob('z', { tenant_id: 'Zeta', run_at: toIso(now + 10) }))
        assert.equal(await scene.store.nextDue(), now + 10)
        await scene.do(onJob('cancelJob', 'z', { tenant_id: 'Zeta' }))
        assert.equal(await scene.store.nextDue(), now + SECOND_MS)
        await scene.do(onJob('cancelJob', 'a'))
        assert.equal(await scene.store.nextDue(), now + 2 * SECOND_MS)
      },
    },
    {
      name: 'names no later timer when an earlier one will do',
      async run(scene) {
        const now = scene.world.clock.now()
        const orEarlier = async () =>
          (await scene.store.nextDue({ orEarlier: true })) ?? Number.POSITIVE_INFINITY
        const isNotLate = async () =>
          assert.ok((await orEarlier()) <= ((await scene.store.nextDue()) as number))
        await submitDelayed(scene, ['a', 'b'])
        await isNotLate()
        await scene.do(submitJob('z', { tenant_id: 'Zeta', run_at: toIso(now + 10) }))
        assert.equal(await orEarlier(), now + 10)
        await scene.do(onJob('cancelJob', 'z', { tenant_id: 'Zeta' }))
        await isNotLate()
        // When that time has come there is nothing, and it is not named again.
        await scene.pass(10)
        assert.equal(await orEarlier(), now + SECOND_MS)
      },
    },
    {
      name: 'hands out due work in pages, each piece once, until none is left',
      async run(scene) {
        const ids = Array.from({ length: 7 }, (_, i) => `j${i}`)
        await submitDelayed(scene, ids)
        await submitDelayed(scene, ['z'], 'Zeta')
        await scene.pass(6 * SECOND_MS)
        const fired = await advanceAll(scene.store, 'due', 2)
        assert.deepEqual(fired.toSorted(), [...ids.slice(0, 6), 'z'])
        await scene.pass(SECOND_MS)
        assert.deepEqual(await dueIds(scene), ['j6'])
      },
    },
    {
      name: 'A15 moves the timer with a heartbeat',
      async run(scene) {
        await scene.do(submitJob('j'))
        const step = await claimJob(scene, 'j')
        await scene.pass(LEASE_MS - 1)
        await scene.do(heartbeat(step))
        await scene.pass(LEASE_MS - 1)
        assert.deepEqual(await dueIds(scene), [])
        await scene.pass(1)
        assert.deepEqual(await dueIds(scene), ['j'])
        const lost = await scene.store.get({ kind: 'step', tenant_id: TENANT, id: 'j/read' })
        assert.deepEqual([lost?.state, lost?.last_error_code], ['FAILED_RETRY', 'LEASE_EXPIRED'])
      },
    },
    {
      name: 'leaves no timer behind when a job ends',
      async run(scene) {
        await scene.do(submitJob('j', { expires_at: toIso(scene.world.clock.now() + LEASE_MS) }))
        await scene.do(report(await claimJob(scene, 'j'), SUCCESS))
        assert.equal(await scene.store.nextDue(), null)
        await scene.pass(2 * LEASE_MS)
        assert.deepEqual(await dueIds(scene), [])
      },
    },
    {
      name: 'decides on each by itself: one refusal does not touch the others',
      async run(scene) {
        await submitDelayed(scene, ['a', 'b', 'c'])
        await scene.pass(MINUTE_MS)
        const swept = await scene.store.sweep({ what: 'due', limit: 10 }, (key, given) =>
          key.id === 'b'
            ? decideJob(onJob('advanceJob', 'b', { if_match: 'stale' }), given)
            : advance(key, given),
        )
        const outcomes = swept.map(({ key, outcome }) => `${key.id} ${outcome.ok}`)
        assert.deepEqual(outcomes.toSorted(), ['a true', 'b false', 'c true'])
        assert.deepEqual(await dueIds(scene), ['b'])
      },
    },
    {
      name: 'fires a timer once, however many ask at the same time',
      async run(scene) {
        const ids = ['a', 'b', 'c', 'd']
        for (const id of ids) await scene.do(submitJob(id))
        for (const id of ids) await claimJob(scene, id)
        await scene.pass(LEASE_MS)
        const stores = await scene.writers()
        const askers = Array.from({ length: 8 }, (_, i) =>
          advancePage(stores[i % stores.length] ?? scene.store, 'due', 3),
        )
        await scene.within(Promise.all(askers), 'eight timekeepers')
        await advanceAll(scene.store, 'due')
        const lost = await auditAll(scene.store, { kind: 'step', state: 'FAILED_RETRY' })
        assert.deepEqual(lost.map(({ job_id }) => job_id).toSorted(), ids)
      },
    },
  ],
}
