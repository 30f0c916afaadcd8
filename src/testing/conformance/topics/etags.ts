import assert from 'node:assert/strict'
import { stepKey } from '../../../core/aggregate.ts'
import type { Topic } from '../check.ts'
import { ack, heartbeat, moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { auditAll, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { claimJob, sendDirective } from '../work.ts'

async function documentEtag(scene: Scene, id: string): Promise<string | undefined> {
  return (await scene.store.get({ kind: 'document', tenant_id: TENANT, id }))?.etag
}

async function jobEtags(scene: Scene, id: string): Promise<readonly (string | undefined)[]> {
  const aggregate = await scene.store.load({ kind: 'job', tenant_id: TENANT, id })
  return [aggregate?.job.etag, ...(aggregate?.steps.map(({ etag }) => etag) ?? [])]
}

export const etags: Topic = {
  topic: 'etags',
  checks: [
    {
      name: 'gives a document a new etag with every change, never one it had',
      async run(scene) {
        const seen = new Set<string>()
        const states = ['fetching', 'retrying', 'fetching', 'retrying', 'fetching'] as const
        for (const state of states) {
          const { etag } = await scene.do(moveDocument('d', state))
          assert.equal(typeof etag, 'string')
          assert.notEqual(etag, '')
          assert.equal(await documentEtag(scene, 'd'), etag, 'the answer carries the etag that is written')
          seen.add(etag)
        }
        assert.equal(seen.size, states.length)
      },
    },
    {
      name: 'gives every record that a job changes a new etag, and leaves the others as they are',
      async run(scene) {
        await scene.do(submitJob('j', { protocol: PUSHED }))
        const [job0, first0, second0] = await jobEtags(scene, 'j')
        const sent = await sendDirective(scene, 'j')
        const [job1, first1, second1] = await jobEtags(scene, 'j')
        assert.notEqual(job1, job0)
        assert.notEqual(first1, first0)
        assert.equal(second1, second0, 'a step that nothing touched keeps its etag')
        await scene.do(report(sent, SUCCESS))
        const [job2, first2, second2] = await jobEtags(scene, 'j')
        assert.notEqual(job2, job1)
        assert.notEqual(first2, first1)
        assert.notEqual(second2, second1)
      },
    },
    {
      name: 'carries the written etags in the answer to a claim',
      async run(scene) {
        await scene.do(submitJob('j'))
        const { job, step } = await scene.do(onJob('claimStep', 'j'))
        assert.deepEqual(await jobEtags(scene, 'j'), [job.etag, step.etag])
        const cancelled = await scene.do(onJob('cancelJob', 'j'))
        assert.equal((await jobEtags(scene, 'j'))[0], cancelled.etag)
      },
    },
    {
      name: 'A18 refuses a stale etag, changes nothing, and records it',
      async run(scene) {
        const first = await scene.do(moveDocument('d', 'fetching'))
        const second = await scene.do(moveDocument('d', 'fetched', { if_match: first.etag }))
        const refusal = await scene.refusalOf(moveDocument('d', 'parsing', { if_match: first.etag }))
        assert.equal(refusal.code, 'STALE_ETAG')
        const there = await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'd' })
        assert.deepEqual(plain(there), plain(second))
        const [last] = await auditAll(scene.store, { id: 'd', event: 'refused' })
        assert.equal(last?.metadata.refusal, 'STALE_ETAG')
        await scene.do(moveDocument('d', 'parsing', { if_match: second.etag }))
      },
    },
    {
      name: 'A18 refuses a stale etag of a job',
      async run(scene) {
        await scene.do(submitJob('j'))
        const [stale] = await jobEtags(scene, 'j')
        await claimJob(scene, 'j')
        const before = await jobEtags(scene, 'j')
        const refusal = await scene.refusalOf(onJob('cancelJob', 'j', { if_match: stale ?? '' }))
        assert.equal(refusal.code, 'STALE_ETAG')
        assert.deepEqual(await jobEtags(scene, 'j'), before)
        await scene.do(onJob('cancelJob', 'j', { if_match: before[0] ?? '' }))
      },
    },
    {
      name: 'keeps the etag through refusals, ignored messages and repeated submits',
      async run(scene) {
        await scene.do(moveDocument('d', 'fetching'))
        await scene.do(submitJob('j', { idempotency_key: 'k' }))
        const step = await claimJob(scene, 'j')
        const before = [await documentEtag(scene, 'd'), ...(await jobEtags(scene, 'j'))]
        await scene.refusalOf(moveDocument('d', 'completed'))
        await scene.refusalOf(heartbeat(step, { lease_id: 'of somebody else' }))
        assert.equal((await scene.do(ack(step))).status, 'ignored')
        assert.equal((await scene.do(submitJob('again', { idempotency_key: 'k' }))).duplicate, true)
        assert.deepEqual([await documentEtag(scene, 'd'), ...(await jobEtags(scene, 'j'))], before)
      },
    },
    {
      name: 'lets one of many win who demand the same etag',
      async run(scene) {
        const { etag } = await scene.do(moveDocument('d', 'fetching'))
        const stores = await scene.writers()
        const racers = Array.from({ length: 10 }, (_, i) => {
          const command = moveDocument('d', 'retrying', { if_match: etag, metadata: { racer: i } })
          return scene.act(command, stores[i % stores.length])
        })
        const outcomes = await scene.within(Promise.all(racers), 'ten writers')
        assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
        for (const outcome of outcomes) assert(outcome.ok || outcome.refusal.code === 'STALE_ETAG')
        const moved = await auditAll(scene.store, { id: 'd', event: 'moved', state: 'retrying' })
        assert.equal(moved.length, 1)
      },
    },
    {
      name: 'shows a step by the same etag everywhere',
      async run(scene) {
        await scene.do(submitJob('j'))
        const step = await claimJob(scene, 'j')
        const alone = await scene.store.get({ kind: 'step', tenant_id: TENANT, id: stepKey('j', 'read') })
        const { items } = await scene.store.find({ kind: 'step' })
        assert.deepEqual([alone?.etag, items[0]?.etag], [step.etag, step.etag])
      },
    },
  ],
}
