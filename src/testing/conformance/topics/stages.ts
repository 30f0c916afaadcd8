import assert from 'node:assert/strict'
import { MINUTE_MS } from '../../../core/time.ts'
import { type Check, type Topic, withoutBatches } from '../check.ts'
import {
  annotate,
  failure,
  moveDocument,
  onJob,
  report,
  reportStage,
  stageDone,
  submitJob,
  TENANT,
} from '../commands.ts'
import { MOVING, OPEN_ENDED } from '../protocols.ts'
import { auditAll, findAll, plain, statesEntered } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { advanceAll, claimJob } from '../work.ts'

async function statesOf(scene: Scene, id = 'j'): Promise<readonly string[]> {
  const aggregate = await scene.store.load({ kind: 'job', tenant_id: TENANT, id })
  assert(aggregate !== null)
  return [aggregate.job.state, ...aggregate.steps.map(({ step_id, state }) => `${step_id} ${state}`)]
}

/** Between its second stage and whatever is to come. */
async function underWay(scene: Scene): Promise<void> {
  await scene.do(submitJob('j', { protocol: OPEN_ENDED }))
  await scene.do(reportStage('j', { what: 'prepared', pipeline_name: 'pdf', metadata: { pages: 3 } }))
  for (const stage of ['chunk', 'embed']) await scene.do(reportStage('j', stageDone(stage)))
}

const DONE = ['bootstrap SUCCEEDED', 'chunk SUCCEEDED', 'embed SUCCEEDED']

const checks: readonly Check[] = [
  {
    name: 'A50 keeps stages that nobody knew of when the job was submitted',
    async run(scene) {
      await underWay(scene)
      assert.deepEqual(await statesOf(scene), ['IN_PROGRESS', ...DONE])
      await scene.do(reportStage('j', { what: 'started', stage: 'index' }))
      assert.deepEqual(await statesOf(scene), ['IN_PROGRESS', ...DONE, 'index IN_PROGRESS'])
      const steps = await findAll(scene.store, { kind: 'step' })
      assert.deepEqual(steps.map(({ step_id, step_index }) => `${step_index} ${step_id}`).toSorted(), [
        '0 bootstrap',
        '1 chunk',
        '2 embed',
        '3 index',
      ])
      await scene.do(reportStage('j', stageDone('index')))
      await scene.do(reportStage('j', { what: 'completed', metadata: {} }))
      assert.deepEqual(await statesOf(scene), ['SUCCEEDED', ...DONE, 'index SUCCEEDED'])
      assert.equal(await scene.store.nextDue(), null)
    },
  },
  {
    name: 'shows none of them to workers, and minds how long nobody reports',
    async run(scene) {
      await underWay(scene)
      assert.deepEqual(await scene.store.ready(['dagster', 'bootstrap'], 10, (heads) => heads.length), 0)
      await scene.pass(MINUTE_MS - 1)
      assert.deepEqual(await advanceAll(scene.store, 'due'), [])
      await scene.pass(1)
      assert.deepEqual(await advanceAll(scene.store, 'due'), ['j'])
      assert.deepEqual(await statesOf(scene), ['FAILED_FINAL', ...DONE])
    },
  },
  {
    name: 'appends several stages in one commit, or none when one is refused',
    excuse: withoutBatches,
    async run(scene) {
      await scene.doAll([
        submitJob('j', { protocol: OPEN_ENDED }),
        reportStage('j', stageDone('chunk')),
        reportStage('j', { what: 'started', stage: 'embed' }),
      ])
      const before = await statesOf(scene)
      assert.deepEqual(before, ['IN_PROGRESS', 'bootstrap SUCCEEDED', 'chunk SUCCEEDED', 'embed IN_PROGRESS'])
      const outcome = await scene.batch([
        reportStage('j', stageDone('embed')),
        reportStage('j', { what: 'started', stage: 'index' }),
        reportStage('j', { what: 'started', stage: 'other' }),
      ])
      assert.equal(outcome.ok, false)
      assert.deepEqual(await statesOf(scene), before)
    },
  },
  {
    name: 'goes on with its stages when the store is opened again, once and once more',
    reopens: true,
    async run(scene) {
      await underWay(scene)
      const whole = async () => plain(await scene.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' }))
      const before = await whole()
      await scene.reopen()
      assert.deepEqual(await whole(), before)
      assert.deepEqual(await scene.store.check(), [])
      await scene.do(reportStage('j', { what: 'started', stage: 'index' }))
      await scene.store.maintain()
      await scene.reopen()
      assert.deepEqual(await statesOf(scene), ['IN_PROGRESS', ...DONE, 'index IN_PROGRESS'])
      await scene.do(reportStage('j', stageDone('index')))
      await scene.do(reportStage('j', { what: 'completed', metadata: {} }))
      assert.deepEqual(await statesOf(scene), ['SUCCEEDED', ...DONE, 'index SUCCEEDED'])
    },
  },
  {
    name: 'moves a document with the steps of a job, in the same commit',
    async run(scene) {
      await scene.do(submitJob('j', { protocol: MOVING, doc_id: 'd' }))
      const document = async () => scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'd' })
      const step = await claimJob(scene, 'j')
      assert.equal((await document())?.state, 'fetching')
      await scene.do(report(step, failure('RETRYABLE')))
      assert.equal((await document())?.state, 'retrying')
      await scene.pass(1000)
      await advanceAll(scene.store, 'due')
      await scene.do(report(await claimJob(scene, 'j'), { status: 'SUCCEEDED' }))
      await scene.refusalOf(moveDocument('d', 'completed'))
      await scene.do(report(await claimJob(scene, 'j'), failure('NON_RETRYABLE')))
      const told = await auditAll(scene.store, { kind: 'document', id: 'd', event: 'moved' })
      assert.deepEqual(statesEntered(told), [
        'fetching',
        'retrying',
        'fetching',
        'fetched',
        'parsing',
        'failed',
      ])
      const [found] = await findAll(scene.store, { kind: 'document', where: { state: 'failed' } })
      assert.deepEqual(found, await document())
    },
  },
  {
    name: 'keeps everything that is noted, however much that is',
    async run(scene) {
      await scene.do(submitJob('j'))
      const count = 250
      for (let n = 0; n < count; n++) {
        await scene.do(annotate('j', {}, { event: { event_type: 'page.read', payload: { n } } }))
      }
      const told = await auditAll(scene.store, { kind: 'job', id: 'j', event: 'noted' })
      assert.equal(told.length, count)
      await scene.do(onJob('cancelJob', 'j'))
      await scene.do(annotate('j', {}, { event: { event_type: 'late', payload: {} } }))
      assert.equal((await auditAll(scene.store, { kind: 'job', id: 'j', event: 'noted' })).length, count + 1)
    },
  },
]

export const stages: Topic = { topic: 'stages', checks }
