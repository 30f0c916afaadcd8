import assert from 'node:assert/strict'
import type { JobRecord } from '../../../core/job/record.ts'
import { type Check, type Topic, withoutBatches } from '../check.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { auditAll, findAll, moves, plain } from '../reading.ts'

const checks: readonly Check[] = [
  {
    name: 'writes a batch over documents, jobs and tenants as one',
    async run(scene) {
      const answers = await scene.doAll([
        moveDocument('d', 'fetching'),
        submitJob('j', { protocol: PUSHED }),
        moveDocument('d', 'fetching', { tenant_id: 'Zeta' }),
        submitJob('k', { tenant_id: 'Zeta' }),
      ])
      assert.equal(answers.length, 4)
      const documents = await findAll(scene.store, { kind: 'document' })
      assert.deepEqual(
        documents.map(({ tenant_id, state }) => [tenant_id, state]),
        [
          ['Zeta', 'fetching'],
          ['acme', 'fetching'],
        ],
      )
      const jobs = await findAll(scene.store, { kind: 'job' })
      assert.deepEqual(
        jobs.map(({ job_id, state }) => [job_id, state]),
        [
          ['k', 'QUEUED'],
          ['j', 'DISPATCHING'],
        ],
      )
      assert.deepEqual(plain(answers[0]), plain(documents[1]))
    },
  },
  {
    // A store that asked for rows under ids that the decision makes up anew each time would ask for ever.
    name: 'ends in a batch what began in it: a directive that was never sent',
    async run(scene) {
      await scene.doAll([submitJob('j', { protocol: PUSHED }), onJob('cancelJob', 'j')])
      const rows = await findAll(scene.store, { kind: 'outbox' })
      assert.deepEqual(
        rows.map(({ job_id, state }) => [job_id, state]),
        [['j', 'FAILED_FINAL']],
      )
      assert.deepEqual(await scene.store.ready(['push:ocr'], 1, (heads) => heads.length), 0)
    },
  },
  {
    name: 'writes nothing of a batch when one of its commands is refused',
    async run(scene) {
      const before = await scene.do(moveDocument('d', 'fetching'))
      const outcome = await scene.batch([
        moveDocument('d', 'fetched'),
        submitJob('j', { idempotency_key: 'k' }),
        moveDocument('e', 'completed'),
      ])
      assert.equal(outcome.ok, false)
      const { items } = await scene.store.find({ kind: 'document' })
      assert.deepEqual(plain(items), plain([before]))
      assert.equal(await scene.store.get({ kind: 'job', tenant_id: TENANT, id: 'j' }), null)
      assert.deepEqual(moves(await auditAll(scene.store, { event: 'moved' })), [
        'document d: pending → fetching',
      ])
      const again = await scene.do(submitJob('other', { idempotency_key: 'k' }))
      assert.equal(again.duplicate, false, 'the claim of the refused batch is free')
    },
  },
  {
    name: 'lets each command of a batch see what the ones before it did',
    async run(scene) {
      await scene.doAll([
        moveDocument('d', 'fetching'),
        moveDocument('d', 'fetched'),
        submitJob('second', { depends_on: ['first'] }),
        submitJob('first'),
      ])
      assert.equal(
        (await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'd' }))?.state,
        'fetched',
      )
      const second = await scene.store.get({ kind: 'job', tenant_id: TENANT, id: 'second' })
      assert.deepEqual(second?.waits_for, ['job:first'])
      assert.deepEqual(moves(await auditAll(scene.store, { kind: 'document' })), [
        'document d: pending → fetching',
        'document d: fetching → fetched',
      ])
    },
  },
  {
    name: 'A9 frees and takes the same slot within one batch',
    async run(scene) {
      const limit = { inFlightLimit: 1 }
      await scene.do(submitJob('old', limit))
      const tooMany = await scene.refusalOf(submitJob('new', limit))
      assert.equal(tooMany.code, 'IN_FLIGHT_LIMIT')
      const [ended] = await scene.doAll([onJob('cancelJob', 'old'), submitJob('new', limit)])
      assert.equal((ended as JobRecord).state, 'CANCELLED')
      assert.equal((await scene.refusalOf(submitJob('third', limit))).code, 'IN_FLIGHT_LIMIT')
    },
  },
  {
    name: 'refuses a whole batch that takes more slots than there are',
    async run(scene) {
      const limit = { inFlightLimit: 2 }
      const outcome = await scene.batch(['a', 'b', 'c'].map((id) => submitJob(id, limit)))
      assert.equal(outcome.ok ? '' : outcome.refusal.code, 'IN_FLIGHT_LIMIT')
      assert.deepEqual(await findAll(scene.store, { kind: 'job' }), [])
      await scene.doAll(['a', 'b'].map((id) => submitJob(id, limit)))
    },
  },
  {
    name: 'gives every record of a batch one history, in the order of the commands',
    async run(scene) {
      await scene.doAll(['c', 'a', 'b'].map((id) => moveDocument(id, 'fetching')))
      const ids = (await auditAll(scene.store)).map(({ id }) => id)
      if (scene.store.capabilities.order === 'total') assert.deepEqual(ids, ['c', 'a', 'b'])
      else assert.deepEqual(ids.toSorted(), ['a', 'b', 'c'])
    },
  },
]

export const batch: Topic = {
  topic: 'batch',
  checks: checks.map((check) => ({ ...check, excuse: withoutBatches })),
}
