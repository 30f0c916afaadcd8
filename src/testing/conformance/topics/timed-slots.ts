import assert from 'node:assert/strict'
import type { SlotChange } from '../../../core/decision.ts'
import type { WorkView } from '../../../core/pick.ts'
import { MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { Check, Topic } from '../check.ts'
import { report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { RATED } from '../protocols.ts'
import { changeSlots, release, take } from '../raw-decisions.ts'
import type { Scene } from '../scene.ts'
import { claim, claimJob } from '../work.ts'

const QUEUES = ['read']

async function change(scene: Scene, ...slots: readonly SlotChange[]): Promise<boolean> {
  return (await scene.store.transact([], changeSlots(...slots))).ok
}

/** Takes one of a number, until so many milliseconds from now. */
function takeFor(scene: Scene, owner: string, ms: number, max = 1): Promise<boolean> {
  return change(scene, take({ key: 'door', max, owner, until: scene.world.clock.now() + ms }))
}

function look<T>(scene: Scene, see: (view: WorkView) => T): Promise<T> {
  return scene.store.ready([], 1, (_, view) => see(view))
}

async function shown(scene: Scene) {
  return look(scene, (view) => ({
    used: view.used(TENANT, 'door'),
    freeAt: view.freeAt(TENANT, 'door'),
    holders: view.holders(TENANT, 'door').toSorted(),
  }))
}

const NOBODY = { used: 0, freeAt: null, holders: [] }

const checks: readonly Check[] = [
  {
    name: 'are free by themselves when their time is over, and not a moment before',
    async run(scene) {
      assert.equal(await takeFor(scene, 'a', MINUTE_MS), true)
      await scene.pass(MINUTE_MS - 1)
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), false)
      await scene.pass(1)
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), true)
      assert.equal(await takeFor(scene, 'a', MINUTE_MS), false)
    },
  },
  {
    name: 'are shown with those who hold them and the first time at which one is free',
    async run(scene) {
      const now = scene.world.clock.now()
      assert.deepEqual(await shown(scene), NOBODY)
      await takeFor(scene, 'long', MINUTE_MS, 3)
      await takeFor(scene, 'short', SECOND_MS, 3)
      await change(scene, take({ key: 'door', max: 3, owner: 'for good' }))
      assert.deepEqual(await shown(scene), {
        used: 3,
        freeAt: now + SECOND_MS,
        holders: ['for good', 'long', 'short'],
      })
      await scene.pass(SECOND_MS)
      assert.deepEqual(await shown(scene), {
        used: 2,
        freeAt: now + MINUTE_MS,
        holders: ['for good', 'long'],
      })
      await scene.pass(MINUTE_MS)
      assert.deepEqual(await shown(scene), { used: 1, freeAt: null, holders: ['for good'] })
    },
  },
  {
    name: 'can be held longer, and given back before their time',
    async run(scene) {
      await takeFor(scene, 'a', SECOND_MS)
      assert.equal(await takeFor(scene, 'a', MINUTE_MS), true, 'whoever holds one may hold it longer')
      await scene.pass(SECOND_MS)
      assert.equal(await takeFor(scene, 'b', SECOND_MS), false)
      await change(scene, release({ key: 'door', owner: 'a' }))
      assert.equal(await takeFor(scene, 'b', SECOND_MS), true)
    },
  },
  {
    name: 'are not taken with a change that is refused',
    async run(scene) {
      await takeFor(scene, 'a', MINUTE_MS)
      const until = scene.world.clock.now() + MINUTE_MS
      const both = [
        take({ key: 'free', max: 1, owner: 'b', until }),
        take({ key: 'door', max: 1, owner: 'b', until }),
      ]
      assert.equal(await change(scene, ...both), false)
      assert.equal(await look(scene, ({ used }) => used(TENANT, 'free')), 0)
    },
  },
  {
    name: 'stay free when the clock is set back',
    async run(scene) {
      await takeFor(scene, 'a', SECOND_MS)
      await scene.pass(MINUTE_MS)
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), true)
      scene.world.clock.jumpTo(scene.world.clock.now() - MINUTE_MS + 1)
      assert.deepEqual((await shown(scene)).holders, ['b'])
    },
  },
  {
    name: 'keep attempts to so many within a while, whatever becomes of them',
    async run(scene) {
      for (const id of ['a', 'b', 'c']) await scene.do(submitJob(id, { protocol: RATED }))
      const ids = async () =>
        (await claim(scene.store, { queues: QUEUES, limit: 5 })).map(({ job }) => job.job_id)
      await scene.do(report(await claimJob(scene, 'a'), SUCCESS))
      await scene.pass(10 * SECOND_MS)
      assert.deepEqual(await ids(), ['b'])
      assert.deepEqual(await ids(), [])
      await scene.pass(50 * SECOND_MS)
      assert.deepEqual(await ids(), ['c'])
    },
  },
  {
    name: 'outlive maintenance, and their time does too',
    async run(scene) {
      const now = scene.world.clock.now()
      await takeFor(scene, 'a', MINUTE_MS)
      await takeFor(scene, 'over', SECOND_MS, 2)
      await scene.pass(2 * SECOND_MS)
      await scene.do(submitJob('something else'))
      await scene.store.maintain()
      assert.deepEqual(await shown(scene), { used: 1, freeAt: now + MINUTE_MS, holders: ['a'] })
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), false)
      await scene.pass(MINUTE_MS)
      assert.deepEqual(await shown(scene), NOBODY)
      await scene.store.maintain()
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), true)
    },
  },
  {
    name: 'outlive the store, and their time does too',
    reopens: true,
    async run(scene) {
      const now = scene.world.clock.now()
      await takeFor(scene, 'a', MINUTE_MS)
      await scene.reopen()
      assert.deepEqual(await shown(scene), { used: 1, freeAt: now + MINUTE_MS, holders: ['a'] })
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), false)
      await scene.store.maintain()
      await scene.reopen()
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), false)
      await scene.pass(MINUTE_MS)
      await scene.reopen()
      assert.deepEqual(await shown(scene), NOBODY)
      assert.equal(await takeFor(scene, 'b', MINUTE_MS), true)
    },
  },
]

/** Slots that are taken until a time: what limits by time are made of. */
export const timedSlots: Topic = { topic: 'timed slots', checks }
