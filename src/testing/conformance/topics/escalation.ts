import assert from 'node:assert/strict'
import type { Rung } from '../../../core/job/record.ts'
import { type Check, type Topic, withoutBatches } from '../check.ts'
import { failure, onJob, report, submitJob, TENANT } from '../commands.ts'
import { LIMITED, PULLED, PUSHED } from '../protocols.ts'
import { changeSlots, take } from '../raw-decisions.ts'
import { findAll, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { advanceAll, claim, claimJob, sendDirective, succeed } from '../work.ts'

const OTHER: Rung = { protocol: { ...PULLED, request_type: 'OTHER' }, payload: { by: 'other' }, priority: 1 }
const PUSHED_ON: Rung = { protocol: PUSHED, payload: null, priority: 0 }

const FOR_GOOD = failure('NON_RETRYABLE')

async function statesOf(scene: Scene): Promise<readonly string[]> {
  const jobs = await findAll(scene.store, { kind: 'job' })
  return jobs.map(({ job_id, state }) => `${job_id} ${state}`).toSorted()
}

async function fail(scene: Scene, job_id: string): Promise<void> {
  await scene.do(report(await claimJob(scene, job_id), FOR_GOOD))
}

const checks: readonly Check[] = [
  {
    name: 'A69 makes the next job in the commit in which one fails for good',
    async run(scene) {
      await scene.do(submitJob('j', { rungs: [OTHER, PUSHED_ON] }))
      const step = await claimJob(scene, 'j')
      const seen = scene.follow({
        after: (await scene.store.audit({ direction: 'desc', limit: 1 })).items[0]?.cursor,
      })
      await scene.do(report(step, FOR_GOOD))
      assert.deepEqual(await statesOf(scene), ['j FAILED_FINAL', 'j~2 QUEUED'])
      const told = await seen.take(3)
      assert(told.some(({ id, old_state }) => id === 'j~2' && old_state === null))
      const [work] = await claim(scene.store, { queues: ['read'] })
      assert.equal(work?.job.job_id, 'j~2')
      assert.deepEqual(work?.job.payload, { by: 'other' })
      await scene.do(report(work?.step as NonNullable<typeof work>['step'], FOR_GOOD))
      await sendDirective(scene, 'j~3')
      assert.deepEqual(await statesOf(scene), ['j FAILED_FINAL', 'j~2 FAILED_FINAL', 'j~3 DISPATCHING'])
    },
  },
  {
    name: 'gives back what the old job held, and counts the new one as in flight, whatever the limit',
    async run(scene) {
      const limited = { protocol: { ...LIMITED, request_type: 'MORE' }, payload: null, priority: 1 } as const
      await scene.do(submitJob('j', { protocol: LIMITED, rungs: [limited], inFlightLimit: 1 }))
      await fail(scene, 'j')
      assert.equal((await scene.refusalOf(submitJob('k', { inFlightLimit: 1 }))).code, 'IN_FLIGHT_LIMIT')
      const gpu = changeSlots(take({ key: 'gpu', max: 1, owner: 'somebody' }))
      const step = await claimJob(scene, 'j~2')
      assert.equal((await scene.store.transact([], gpu)).ok, false)
      await scene.do(report(step, { status: 'SUCCEEDED' }))
      assert.equal((await scene.store.transact([], gpu)).ok, true)
      await scene.do(submitJob('k', { inFlightLimit: 1 }))
    },
  },
  {
    name: 'has those who depend on it wait for the last of the chain',
    async run(scene) {
      await scene.do(submitJob('j', { rungs: [OTHER] }))
      await scene.do(submitJob('after', { depends_on: ['j'] }))
      await fail(scene, 'j')
      await advanceAll(scene.store, 'signalled')
      assert.equal((await scene.refusalOf(onJob('claimStep', 'after'))).code, 'NOT_CLAIMABLE')
      await scene.do(submitJob('late', { depends_on: ['j'] }))
      await succeed(scene, 'j~2')
      assert.deepEqual([...new Set(await advanceAll(scene.store, 'signalled'))].toSorted(), ['after', 'late'])
      for (const id of ['after', 'late']) await succeed(scene, id)
    },
  },
  {
    name: 'sees both jobs later in the same batch, and makes neither when that is refused',
    excuse: withoutBatches,
    async run(scene) {
      await scene.do(submitJob('j', { rungs: [OTHER] }))
      const failing = report(await claimJob(scene, 'j'), FOR_GOOD)
      const refused = await scene.batch([failing, onJob('claimStep', 'nobody')])
      assert.equal(refused.ok, false)
      assert.deepEqual(await statesOf(scene), ['j IN_PROGRESS'])
      await scene.doAll([failing, onJob('claimStep', 'j~2'), submitJob('after', { depends_on: ['j'] })])
      assert.deepEqual(await statesOf(scene), ['after QUEUED', 'j FAILED_FINAL', 'j~2 IN_PROGRESS'])
      const after = await scene.store.get({ kind: 'job', tenant_id: TENANT, id: 'after' })
      assert.deepEqual(after?.waits_for, ['job:j~2'])
    },
  },
  {
    name: 'takes another id where that one is taken, also when both happen at once',
    async run(scene) {
      const stores = await scene.writers()
      for (let round = 0; round < 5; round++) {
        const id = `j${round}`
        await scene.do(submitJob(id, { rungs: [OTHER] }))
        const step = await claimJob(scene, id)
        const [first = scene.store, second = scene.store] = stores
        const [failed, submitted] = await Promise.all([
          scene.act(report(step, FOR_GOOD), first),
          scene.act(submitJob(`${id}~2`), second),
        ])
        assert(failed.ok)
        const job = await scene.store.get({ kind: 'job', tenant_id: TENANT, id })
        const next = job?.escalation?.escalated_to ?? ''
        assert.equal(next === `${id}~2`, !submitted.ok, 'one of the two has it')
        const heir = await scene.store.get({ kind: 'job', tenant_id: TENANT, id: next })
        assert.equal(heir?.escalation?.escalated_from, id)
      }
    },
  },
  {
    name: 'keeps the chain when the store is opened again',
    reopens: true,
    async run(scene) {
      await scene.do(submitJob('j', { rungs: [OTHER, PUSHED_ON] }))
      await scene.do(submitJob('after', { depends_on: ['j'] }))
      await fail(scene, 'j')
      const whole = async () => plain(await findAll(scene.store, { kind: 'job' }))
      const before = await whole()
      await scene.reopen()
      assert.deepEqual(await whole(), before)
      assert((await advanceAll(scene.store, 'signalled')).includes('after'))
      await fail(scene, 'j~2')
      await scene.store.maintain()
      await scene.reopen()
      await advanceAll(scene.store, 'signalled')
      assert.deepEqual(await statesOf(scene), [
        'after QUEUED',
        'j FAILED_FINAL',
        'j~2 FAILED_FINAL',
        'j~3 DISPATCHING',
      ])
      assert.deepEqual(await scene.store.check(), [])
    },
  },
]

export const escalation: Topic = { topic: 'escalation', checks }
