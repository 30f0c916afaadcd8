import assert from 'node:assert/strict'
import type { DependencyPolicy } from '../../../core/job/record.ts'
import { fromIso, HOUR_MS, toIso } from '../../../core/time.ts'
import type { Topic } from '../check.ts'
import { onJob, submitJob, TENANT } from '../commands.ts'
import type { Scene } from '../scene.ts'
import { advance, advanceAll, advancePage, claim, succeed } from '../work.ts'

async function submitDependants(scene: Scene, on: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, i) => `dependant-${String(i).padStart(2, '0')}`)
  for (const id of ids) await scene.do(submitJob(id, { depends_on: [on] }))
  return ids
}

async function stateOf(scene: Scene, id: string): Promise<string | undefined> {
  return (await scene.store.get({ kind: 'job', tenant_id: TENANT, id }))?.state
}

async function signalled(scene: Scene, limit = 100): Promise<readonly string[]> {
  return advanceAll(scene.store, 'signalled', limit)
}

async function readyIds(scene: Scene): Promise<readonly string[]> {
  return scene.store.ready(['read'], 100, (heads) => heads.map(({ key }) => key.id).toSorted())
}

export const signals: Topic = {
  topic: 'signals',
  checks: [
    {
      name: 'A67 tells a job when the one it waits for has ended',
      async run(scene) {
        await scene.do(submitJob('first'))
        const [dependant] = await submitDependants(scene, 'first', 1)
        assert.deepEqual(await readyIds(scene), ['first'])
        assert.deepEqual(await signalled(scene), [])
        await succeed(scene, 'first')
        assert.deepEqual(await readyIds(scene), [], 'the signal comes later, not with the commit')
        assert((await signalled(scene)).includes(dependant ?? ''))
        assert.deepEqual(await readyIds(scene), [dependant])
      },
    },
    {
      name: 'is due at once for as long as somebody was not told',
      async run(scene) {
        const run_at = toIso(scene.world.clock.now() + HOUR_MS)
        await scene.do(submitJob('later', { run_at }))
        await scene.do(submitJob('first'))
        await submitDependants(scene, 'first', 3)
        assert.equal(await scene.store.nextDue(), fromIso(run_at))
        await succeed(scene, 'first')
        for (let told = 0; told < 3; told++) {
          assert.equal(await scene.store.nextDue(), 0, `after ${told} were told`)
          await advancePage(scene.store, 'signalled', 1)
        }
        await signalled(scene)
        assert.equal(await scene.store.nextDue(), fromIso(run_at))
      },
    },
    {
      name: 'tells everybody who waits, in pages of the size asked for',
      async run(scene) {
        await scene.do(submitJob('first'))
        const ids = await submitDependants(scene, 'first', 25)
        await succeed(scene, 'first')
        const pages: (readonly string[])[] = []
        for (let page = 0; page < 100; page++) {
          const swept = await advancePage(scene.store, 'signalled', 10)
          if (swept.length === 0) break
          assert(swept.length <= 10)
          pages.push(swept.map(({ key }) => key.id))
        }
        assert(pages.length >= 3)
        assert.deepEqual([...new Set(pages.flat())].toSorted(), ids)
        assert.deepEqual(await readyIds(scene), ids)
      },
    },
    {
      name: 'has nothing to tell where nobody waits',
      async run(scene) {
        await scene.do(submitJob('alone'))
        await succeed(scene, 'alone')
        assert.deepEqual(await signalled(scene), [])
        await scene.do(submitJob('late', { depends_on: ['alone'] }))
        assert.deepEqual(await signalled(scene), [])
        assert.deepEqual(await readyIds(scene), ['late'], 'whoever comes late looks for itself')
      },
    },
    {
      name: 'tells nobody of a job that has not ended',
      async run(scene) {
        await scene.do(submitJob('first'))
        await submitDependants(scene, 'first', 2)
        await scene.do(onJob('claimStep', 'first'))
        assert.deepEqual(await signalled(scene), [])
        assert.deepEqual(await readyIds(scene), [])
      },
    },
    {
      name: 'tells nobody of another tenant',
      async run(scene) {
        for (const tenant_id of [TENANT, 'Zeta']) {
          await scene.do(submitJob('first', { tenant_id }))
          await scene.do(submitJob(`of-${tenant_id}`, { tenant_id, depends_on: ['first'] }))
        }
        await succeed(scene, 'first')
        assert.deepEqual([...new Set(await signalled(scene))], [`of-${TENANT}`])
      },
    },
    {
      name: 'tells of every ending: who waits for two jobs starts after the second',
      async run(scene) {
        for (const id of ['a', 'b']) await scene.do(submitJob(id))
        await scene.do(submitJob('both', { depends_on: ['a', 'b'] }))
        await succeed(scene, 'a')
        assert((await signalled(scene)).includes('both'))
        assert.deepEqual(await readyIds(scene), ['b'])
        await succeed(scene, 'b')
        assert((await signalled(scene)).includes('both'))
        assert.deepEqual(await readyIds(scene), ['both'])
      },
    },
    {
      name: 'delivers signals of several jobs, one after the other',
      async run(scene) {
        for (const id of ['a', 'b', 'c']) {
          await scene.do(submitJob(id))
          await scene.do(submitJob(`after-${id}`, { depends_on: [id] }))
        }
        for (const id of ['a', 'b', 'c']) await succeed(scene, id)
        assert.deepEqual([...new Set(await signalled(scene, 1))].toSorted(), [
          'after-a',
          'after-b',
          'after-c',
        ])
      },
    },
    {
      name: 'A67 carries an ending down a chain',
      async run(scene) {
        await scene.do(submitJob('a'))
        await scene.do(submitJob('b', { depends_on: ['a'] }))
        await scene.do(submitJob('c', { depends_on: ['b'] }))
        await scene.do(onJob('cancelJob', 'a'))
        await signalled(scene)
        assert.deepEqual(
          [await stateOf(scene, 'b'), await stateOf(scene, 'c')],
          ['FAILED_FINAL', 'FAILED_FINAL'],
        )
      },
    },
    {
      name: 'A67 lets the policy of a dependant decide when what it waits for failed',
      async run(scene) {
        const policies: readonly [DependencyPolicy, string][] = [
          ['fail', 'FAILED_FINAL'],
          ['skip', 'CANCELLED'],
          ['release', 'QUEUED'],
        ]
        await scene.do(submitJob('first'))
        for (const [id] of policies) {
          await scene.do(submitJob(id, { depends_on: ['first'], on_dependency_failure: id }))
        }
        await scene.do(onJob('cancelJob', 'first'))
        await signalled(scene)
        for (const [id, state] of policies) assert.equal(await stateOf(scene, id), state)
        const [work] = await claim(scene.store, { queues: ['read'] })
        assert.equal(work?.job.job_id, 'release')
      },
    },
    {
      name: 'delivers again what a failing decision left undone',
      async run(scene) {
        await scene.do(submitJob('first'))
        const ids = await submitDependants(scene, 'first', 4)
        await succeed(scene, 'first')
        let failures = 0
        const failing = scene.store.sweep({ what: 'signalled', limit: 10 }, (key, given) => {
          if (key.id !== ids[2]) return advance(key, given)
          failures++
          throw new RangeError('a mistake in a rule')
        })
        await assert.rejects(failing, RangeError)
        assert(failures >= 1)
        await signalled(scene)
        assert.deepEqual(await readyIds(scene), ids)
      },
    },
  ],
}
