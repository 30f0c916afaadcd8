import assert from 'node:assert/strict'
import { MINUTE_MS } from '../../../core/time.ts'
import { type Check, type Topic, withoutBatches } from '../check.ts'
import { annotate, expedite, moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { DOCUMENT_GATED, GATED } from '../protocols.ts'
import type { Scene } from '../scene.ts'
import { advanceAll, claim, claimJob } from '../work.ts'

async function readyIds({ store }: Scene): Promise<readonly string[]> {
  return store.ready(['read'], 100, (heads) => heads.map(({ key }) => key.id).toSorted())
}

async function look(scene: Scene, id: string) {
  return scene.store.load({ kind: 'job', tenant_id: TENANT, id })
}

/** Up to the state before the last. */
async function almostParsed(scene: Scene): Promise<void> {
  for (const state of ['fetching', 'fetched', 'parsing'] as const) await scene.do(moveDocument('d', state))
}

/** Stands at the gate, and was looked at. */
async function parked(scene: Scene): Promise<void> {
  await scene.do(submitJob('j', { protocol: DOCUMENT_GATED, doc_id: 'd' }))
  await advanceAll(scene.store, 'due')
  assert.deepEqual(await readyIds(scene), [])
}

/** What became of the document got to the job. */
async function opens(scene: Scene): Promise<void> {
  assert((await advanceAll(scene.store, 'signalled')).includes('j'))
  assert.deepEqual(await readyIds(scene), ['j'])
  const [work] = await claim(scene.store, { queues: ['read'] })
  assert.equal(work?.step.step_id, 'index')
  const steps = (await look(scene, 'j'))?.steps ?? []
  assert.deepEqual(
    steps.map(({ state }) => state),
    ['CANCELLED', 'CANCELLED', 'IN_PROGRESS'],
  )
}

const checks: readonly Check[] = [
  {
    name: 'A54 shows a job as work as soon as its gate is open, and not before',
    async run(scene) {
      await scene.do(submitJob('j', { protocol: GATED }))
      assert.deepEqual(await readyIds(scene), [])
      assert.equal((await scene.refusalOf(onJob('claimStep', 'j'))).code, 'NOT_CLAIMABLE')
      await scene.do(annotate('j', { go: false }))
      assert.deepEqual(await readyIds(scene), [])
      await scene.do(annotate('j', { go: true }))
      assert.deepEqual(await readyIds(scene), ['j'])
      await scene.do(report(await claimJob(scene, 'j'), SUCCESS))
      await scene.do(report(await claimJob(scene, 'j'), SUCCESS))
      assert.equal((await look(scene, 'j'))?.job.state, 'SUCCEEDED')
    },
  },
  {
    name: 'A54 has the time of a gate run out',
    async run(scene) {
      await scene.do(submitJob('j', { protocol: GATED }))
      await scene.pass(MINUTE_MS - 1)
      assert.deepEqual(await advanceAll(scene.store, 'due'), [])
      await scene.pass(1)
      assert.deepEqual(await advanceAll(scene.store, 'due'), ['j'])
      const { state, error_code } = (await look(scene, 'j'))?.job ?? {}
      assert.deepEqual([state, error_code], ['FAILED_FINAL', 'GATE_TIMEOUT'])
      assert.equal(await scene.store.nextDue(), null)
    },
  },
  {
    name: 'A54 wakes a job when something becomes of its document',
    async run(scene) {
      await almostParsed(scene)
      await parked(scene)
      assert.equal(await scene.store.nextDue(), null)
      await scene.do(moveDocument('other', 'fetching'))
      assert.deepEqual(await advanceAll(scene.store, 'signalled'), [])
      await scene.do(moveDocument('d', 'parsed'))
      assert.equal(await scene.store.nextDue(), 0)
      await opens(scene)
    },
  },
  {
    name: 'wakes a job whose document changes in the commit that it comes to the gate with',
    excuse: withoutBatches,
    async run(scene) {
      await almostParsed(scene)
      const submit = submitJob('j', { protocol: DOCUMENT_GATED, doc_id: 'd' })
      await scene.doAll([submit, moveDocument('d', 'parsed')])
      await advanceAll(scene.store, 'due')
      await advanceAll(scene.store, 'signalled')
      assert.deepEqual(await readyIds(scene), ['j'])
    },
  },
  {
    name: 'wakes every job at a gate, and none of another tenant',
    async run(scene) {
      for (const tenant_id of [TENANT, 'Zeta']) {
        for (const state of ['fetching', 'fetched', 'parsing'] as const) {
          await scene.do(moveDocument('d', state, { tenant_id }))
        }
      }
      const ids = Array.from({ length: 7 }, (_, n) => `j${n}`)
      for (const id of ids) await scene.do(submitJob(id, { protocol: DOCUMENT_GATED, doc_id: 'd' }))
      await scene.do(submitJob('theirs', { protocol: DOCUMENT_GATED, doc_id: 'd', tenant_id: 'Zeta' }))
      await advanceAll(scene.store, 'due')
      await scene.do(moveDocument('d', 'parsed'))
      const woken = await advanceAll(scene.store, 'signalled', 3)
      assert.deepEqual([...new Set(woken)].toSorted(), ids)
      assert.deepEqual(await readyIds(scene), ids)
    },
  },
  {
    name: 'wakes nobody whose gate somebody opened, or who was cancelled',
    async run(scene) {
      await almostParsed(scene)
      for (const id of ['opened', 'cancelled']) {
        await scene.do(submitJob(id, { protocol: DOCUMENT_GATED, doc_id: 'd' }))
      }
      await advanceAll(scene.store, 'due')
      await scene.do(expedite('opened', ['gate']))
      await scene.do(onJob('cancelJob', 'cancelled'))
      await scene.do(moveDocument('d', 'parsed'))
      assert.deepEqual(await advanceAll(scene.store, 'signalled'), [])
      assert.deepEqual(await readyIds(scene), ['opened'])
    },
  },
  {
    name: 'waits at a gate for jobs as well as for a document, each in its turn',
    async run(scene) {
      await almostParsed(scene)
      await scene.do(submitJob('first'))
      await scene.do(submitJob('j', { protocol: DOCUMENT_GATED, doc_id: 'd', depends_on: ['first'] }))
      await scene.do(moveDocument('d', 'parsed'))
      assert.deepEqual(await advanceAll(scene.store, 'signalled'), [])
      await scene.do(report(await claimJob(scene, 'first'), SUCCESS))
      await advanceAll(scene.store, 'signalled')
      await advanceAll(scene.store, 'due')
      assert.deepEqual(await readyIds(scene), ['j'])
    },
  },
  {
    name: 'still stands at its gate, and hears of its document, when the store is opened again',
    reopens: true,
    async run(scene) {
      await almostParsed(scene)
      await parked(scene)
      const before = await look(scene, 'j')
      await scene.reopen()
      assert.deepEqual(await look(scene, 'j'), before)
      await scene.do(moveDocument('d', 'parsed'))
      await scene.reopen()
      await opens(scene)
    },
  },
]

export const gates: Topic = { topic: 'gates', checks }
