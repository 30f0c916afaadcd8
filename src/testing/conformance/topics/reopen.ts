import assert from 'node:assert/strict'
import { REFUSALS_KEPT_PER_RECORD } from '../../../core/audit.ts'
import { machines, type RecordKind } from '../../../core/machines/all.ts'
import { MINUTE_MS, toIso } from '../../../core/time.ts'
import { START } from '../../../store/store.ts'
import type { Check, Topic } from '../check.ts'
import { heartbeat, moveDocument, submitJob } from '../commands.ts'
import { LIMITED, MIXED, PUSHED } from '../protocols.ts'
import { changeSlots, claimKey, take } from '../raw-decisions.ts'
import { auditAll, findAll, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { advanceAll, claim, claimJob, sendDirective, succeed } from '../work.ts'
import { countsOf } from './counts.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]

/** Everything a reader can see. */
async function look({ store }: Scene): Promise<unknown> {
  const records: unknown[] = []
  for (const kind of KINDS) {
    records.push(await findAll(store, { kind }))
    if (store.capabilities.counts === 'exact') records.push(await countsOf(store, kind))
  }
  for (const { tenant_id, job_id } of await findAll(store, { kind: 'job' })) {
    records.push(await store.load({ kind: 'job', tenant_id, id: job_id }))
  }
  const work = await store.ready(['read', 'push:send', 'push:ocr'], 5, (heads) => heads)
  return plain({
    records,
    history: await auditAll(store),
    work: work.toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1)),
    due: await store.nextDue(),
  })
}

const checks: readonly Check[] = [
  {
    name: 'shows the same records, etags, history, work and timers as before',
    async run(scene) {
      await scene.do(moveDocument('d', 'fetching', { metadata: { a: [null, 'ü'] } }))
      await scene.do(moveDocument('d', 'failed', { tenant_id: 'Zeta', validate: false }))
      await scene.refusalOf(moveDocument('d', 'completed'))
      await scene.do(submitJob('mixed', { protocol: MIXED }))
      await scene.do(submitJob('pushed', { protocol: PUSHED }))
      await sendDirective(scene, 'pushed')
      await scene.do(submitJob('limited', { protocol: LIMITED }))
      await scene.do(submitJob('ended'))
      await succeed(scene, 'ended')
      await scene.do(submitJob('later', { run_at: toIso(scene.world.clock.now() + MINUTE_MS) }))
      const before = await look(scene)
      await scene.reopen()
      assert.deepEqual(await look(scene), before)
      assert.deepEqual(await scene.store.check(), [])
    },
  },
  {
    name: 'still knows who owns a key and who holds a slot',
    async run(scene) {
      const slot = { key: 'line', max: 1 }
      await scene.store.transact([], claimKey('k', 'first'))
      await scene.store.transact([], changeSlots(take({ ...slot, owner: 'first' })))
      await scene.do(submitJob('j', { idempotency_key: 'k', inFlightLimit: 1 }))
      await scene.reopen()
      assert.deepEqual(await scene.store.transact([], claimKey('k', 'second')), { ok: true, answer: 'first' })
      assert.equal(
        (await scene.store.transact([], changeSlots(take({ ...slot, owner: 'second' })))).ok,
        false,
      )
      assert.equal((await scene.do(submitJob('again', { idempotency_key: 'k' }))).job_id, 'j')
      assert.equal((await scene.refusalOf(submitJob('l', { inFlightLimit: 1 }))).code, 'IN_FLIGHT_LIMIT')
    },
  },
  {
    name: 'A68 goes on with work that waited, was claimed or is due',
    async run(scene) {
      for (const id of ['claimed', 'waiting']) await scene.do(submitJob(id))
      const step = await claimJob(scene, 'claimed')
      await scene.do(submitJob('later', { run_at: toIso(scene.world.clock.now() + MINUTE_MS) }))
      await scene.reopen()
      assert.equal((await scene.do(heartbeat(step))).status, 'accepted')
      await scene.pass(MINUTE_MS)
      assert.deepEqual(await advanceAll(scene.store, 'due'), ['later'])
      const works = await claim(scene.store, { queues: ['read'], limit: 5 })
      assert.deepEqual(
        works.map(({ job }) => job.job_id),
        ['waiting', 'later'],
      )
    },
  },
  {
    name: 'still delivers signals that were written and not delivered',
    async run(scene) {
      await scene.do(submitJob('first'))
      for (const id of ['a', 'b', 'c']) await scene.do(submitJob(id, { depends_on: ['first'] }))
      await succeed(scene, 'first')
      await scene.reopen()
      assert.deepEqual([...new Set(await advanceAll(scene.store, 'signalled', 1))].toSorted(), [
        'a',
        'b',
        'c',
      ])
      assert.equal((await claim(scene.store, { queues: ['read'], limit: 5 })).length, 3)
    },
  },
  {
    name: 'still counts the refusals of a record',
    async run(scene) {
      const refuse = async () => {
        for (let i = 0; i < REFUSALS_KEPT_PER_RECORD - 10; i++) {
          await scene.refusalOf(moveDocument('d', 'completed'))
        }
      }
      await refuse()
      await scene.reopen()
      await refuse()
      assert.equal((await auditAll(scene.store, { id: 'd' })).length, REFUSALS_KEPT_PER_RECORD)
    },
  },
  {
    name: 'takes back the cursors it gave out',
    async run(scene) {
      for (const id of ['a', 'b', 'c']) await scene.do(moveDocument(id, 'fetching'))
      const found = await scene.store.find({ kind: 'document', limit: 1 })
      const told = await scene.store.audit({ limit: 1 })
      const [first] = await scene.follow({ after: START }).take(1)
      await scene.reopen()
      const rest = await scene.store.find({ kind: 'document', after: found.next ?? '' })
      assert.deepEqual(
        rest.items.map(({ doc_id }) => doc_id),
        ['b', 'c'],
      )
      const later = await scene.store.audit({ after: told.next ?? '' })
      assert.equal(later.items.length, 2)
      const seen = await scene.follow({ after: first?.cursor ?? START }).take(2)
      assert.deepEqual(seen, later.items)
      await scene.do(moveDocument('d', 'fetching'))
    },
  },
  {
    name: 'never lets time go back',
    async run(scene) {
      const before = await scene.do(moveDocument('d', 'fetching'))
      scene.world.clock.jumpTo(scene.world.clock.now() - MINUTE_MS)
      await scene.reopen()
      const after = await scene.do(moveDocument('d', 'fetched'))
      assert(after.updated_at >= before.updated_at)
      assert.notEqual(after.etag, before.etag)
    },
  },
]

export const reopen: Topic = {
  topic: 'reopen',
  checks: checks.map((check) => ({ ...check, reopens: true })),
}
