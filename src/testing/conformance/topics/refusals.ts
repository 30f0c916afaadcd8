import assert from 'node:assert/strict'
import { REFUSALS_KEPT_PER_RECORD } from '../../../core/audit.ts'
import type { Topic } from '../check.ts'
import { ack, heartbeat, moveDocument, onJob, submitJob, TENANT } from '../commands.ts'
import { auditAll, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { claimJob } from '../work.ts'

const TOO_MANY = REFUSALS_KEPT_PER_RECORD + 7

async function refuseOften(scene: Scene, doc_id: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const refusal = await scene.refusalOf(moveDocument(doc_id, 'completed', { metadata: { i } }))
    assert.equal(refusal.code, 'INVALID_STATE_TRANSITION', 'every one is answered')
  }
}

export const refusals: Topic = {
  topic: 'refusals',
  checks: [
    {
      name: 'A30 records who was refused what, and changes nothing',
      async run(scene) {
        const before = await scene.do(moveDocument('d', 'fetching', { adapter: 'web' }))
        await scene.refusalOf(moveDocument('d', 'ir_ready', { actor: 'eve', reason: 'in a hurry' }))
        const there = await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'd' })
        assert.deepEqual(plain(there), plain(before))
        const refused = await auditAll(scene.store, { event: 'refused' })
        assert.deepEqual(
          refused.map(({ id, old_state, new_state, actor, reason, metadata }) => ({
            id,
            old_state,
            new_state,
            actor,
            reason,
            code: metadata.refusal,
          })),
          [
            {
              id: 'd',
              old_state: 'fetching',
              new_state: 'ir_ready',
              actor: 'eve',
              reason: 'in a hurry',
              code: 'INVALID_STATE_TRANSITION',
            },
          ],
        )
      },
    },
    {
      name: 'records a refusal about something that is not there, and makes nothing of it',
      async run(scene) {
        await scene.refusalOf(moveDocument('never', 'completed'))
        assert.equal(await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'never' }), null)
        assert.deepEqual((await scene.store.find({ kind: 'document' })).items, [])
        assert.equal((await auditAll(scene.store, { id: 'never' })).length, 1)
      },
    },
    {
      name: 'keeps nothing of a refusal that has nothing to keep',
      async run(scene) {
        assert.equal((await scene.refusalOf(onJob('cancelJob', 'unknown'))).code, 'NOT_FOUND')
        await scene.do(submitJob('j'))
        const before = await auditAll(scene.store)
        assert.equal((await scene.refusalOf(onJob('takeOutbox', 'j'))).code, 'NOTHING_TO_PUBLISH')
        assert.deepEqual(await auditAll(scene.store), before)
      },
    },
    {
      name: 'A12 records callbacks of another lease, and late ones, and changes nothing',
      async run(scene) {
        await scene.do(submitJob('j'))
        const step = await claimJob(scene, 'j')
        const before = plain(await scene.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' }))
        for (const wrong of [{ lease_id: 'another' }, { attempt_no: 7 }]) {
          assert.equal((await scene.refusalOf(heartbeat(step, wrong))).code, 'LEASE_MISMATCH')
        }
        assert.equal((await scene.do(ack(step))).status, 'ignored')
        assert.deepEqual(plain(await scene.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' })), before)
        const events = (await auditAll(scene.store, { kind: 'step', id: 'j/read' })).map(({ event }) => event)
        assert.deepEqual(events.slice(-3), ['refused', 'refused', 'ignored'])
      },
    },
    {
      name: 'keeps only so many refusals of a record, and all of its moves',
      async run(scene) {
        await scene.do(moveDocument('d', 'fetching'))
        await refuseOften(scene, 'd', TOO_MANY)
        await scene.do(moveDocument('d', 'fetched'))
        const refused = await auditAll(scene.store, { id: 'd', event: 'refused' })
        assert.equal(refused.length, REFUSALS_KEPT_PER_RECORD)
        const moved = await auditAll(scene.store, { id: 'd', event: 'moved' })
        assert.deepEqual(
          moved.map(({ new_state }) => new_state),
          ['fetching', 'fetched'],
        )
      },
    },
    {
      name: 'counts refusals for each record by itself',
      async run(scene) {
        await refuseOften(scene, 'd', TOO_MANY)
        await refuseOften(scene, 'e', 2)
        await scene.refusalOf(moveDocument('d', 'completed', { tenant_id: 'Zeta' }))
        assert.equal((await auditAll(scene.store, { id: 'e' })).length, 2)
        assert.equal((await auditAll(scene.store, { tenant_id: 'Zeta' })).length, 1)
      },
    },
    {
      name: 'keeps only so many ignored messages of a record',
      async run(scene) {
        await scene.do(submitJob('j'))
        const step = await claimJob(scene, 'j')
        for (let i = 0; i < TOO_MANY; i++) assert.equal((await scene.do(ack(step))).status, 'ignored')
        const ignored = await auditAll(scene.store, { id: 'j/read', event: 'ignored' })
        assert.equal(ignored.length, REFUSALS_KEPT_PER_RECORD)
      },
    },
  ],
}
