import assert from 'node:assert/strict'
import type { JobAggregate } from '../../../core/aggregate.ts'
import type { Decision, Given } from '../../../core/decision.ts'
import { need } from '../../../core/decision.ts'
import { decideDocument } from '../../../core/document/decide.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { Topic } from '../check.ts'
import { heartbeat, moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { auditAll, findAll } from '../reading.ts'
import { claim, sendDirective } from '../work.ts'

const WRITERS = 8
const MOVES_EACH = 12

/** Moves the document on from wherever it is: back and forth, for ever. */
function moveOn(doc_id: string, writer: string, n: number) {
  return (given: Given): Decision<DocumentRecord> => {
    const there = given.get('document', TENANT, doc_id)
    if (there === undefined) return need([{ kind: 'document', tenant_id: TENANT, id: doc_id }])
    const state = there === null ? 'fetching' : there.state === 'failed' ? 'retrying' : 'failed'
    return decideDocument(moveDocument(doc_id, state, { actor: writer, metadata: { n } }), given)
  }
}

/** What holds of a job and its steps whenever anybody looks. */
function assertWhole({ job, steps, outbox }: JobAggregate): void {
  const attempts = steps.reduce((sum, { attempt_no }) => sum + attempt_no, 0)
  assert.equal(job.attempts_total, attempts)
  const running = steps.filter(({ state }) => state === 'IN_PROGRESS')
  assert(running.length <= 1, 'one step at a time')
  const open = steps.find(({ state }) => !['SUCCEEDED', 'FAILED_FINAL', 'CANCELLED'].includes(state))
  if (job.state === 'SUCCEEDED') assert.equal(open, undefined)
  else assert.equal(job.current_step_id, open?.step_id)
  if (open?.state === 'DISPATCHING') assert.equal(outbox.length, 1)
}

export const concurrency: Topic = {
  topic: 'concurrency',
  checks: [
    {
      name: 'A42 lets eight writers on one document lose nothing: each move once, in order',
      async run(scene) {
        const stores = await scene.writers()
        const writing = Array.from({ length: WRITERS }, async (_, i) => {
          const store = stores[i % stores.length] ?? scene.store
          for (let n = 0; n < MOVES_EACH; n++) {
            const outcome = await store.transact([], moveOn('d', `writer-${i}`, n))
            assert(outcome.ok, 'a decision that sees what is there is never refused')
          }
        })
        await scene.within(Promise.all(writing), 'eight writers')
        const history = await auditAll(scene.store, { kind: 'document', id: 'd' })
        assert.equal(history.length, WRITERS * MOVES_EACH)
        let state = 'pending'
        for (const { old_state, new_state } of history) {
          assert.equal(old_state, state, 'every move starts where the one before it ended')
          state = new_state
        }
        for (let i = 0; i < WRITERS; i++) {
          const own = history.filter(({ actor }) => actor === `writer-${i}`).map(({ metadata }) => metadata.n)
          assert.deepEqual(
            own,
            Array.from({ length: MOVES_EACH }, (_, n) => n),
          )
        }
        const last = await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'd' })
        assert.equal(last?.state, state)
        const retried = history.filter(({ new_state }) => new_state === 'retrying').length
        assert.equal(last?.retry_count, retried, 'no update was built on an old record')
      },
    },
    {
      name: 'A42 lets eight writers on different documents lose nothing',
      async run(scene) {
        const stores = await scene.writers()
        const writing = Array.from({ length: WRITERS }, async (_, i) => {
          const store = stores[i % stores.length] ?? scene.store
          for (let n = 0; n < MOVES_EACH; n++) await store.transact([], moveOn(`d${i}`, 'writer', n))
        })
        await scene.within(Promise.all(writing), 'eight writers')
        for (let i = 0; i < WRITERS; i++) {
          const history = await auditAll(scene.store, { kind: 'document', id: `d${i}` })
          assert.deepEqual(
            history.map(({ metadata }) => metadata.n),
            Array.from({ length: MOVES_EACH }, (_, n) => n),
          )
        }
      },
    },
    {
      name: 'A68 hands every piece of work to one of many workers',
      async run(scene) {
        const ids = Array.from({ length: 30 }, (_, i) => `j${String(i).padStart(2, '0')}`)
        await Promise.all(ids.map((id) => scene.do(submitJob(id))))
        const stores = await scene.writers()
        const working = Array.from({ length: WRITERS }, async (_, i) => {
          const store = stores[i % stores.length] ?? scene.store
          const done: string[] = []
          // A worker may lose every race of a round, so it gives up only after several without work.
          for (let idle = 0; idle < 5; ) {
            const works = await claim(store, { queues: ['read'], limit: 3 })
            idle = works.length === 0 ? idle + 1 : 0
            for (const { job, step } of works) {
              done.push(job.job_id)
              await scene.do(report(step, SUCCESS), store)
            }
          }
          return done
        })
        const done = (await scene.within(Promise.all(working), 'eight workers')).flat()
        assert.deepEqual(done.toSorted(), ids)
        const begun = await auditAll(scene.store, { kind: 'step', state: 'IN_PROGRESS' })
        assert.equal(begun.length, ids.length, 'no attempt was begun twice')
        assert.equal((await findAll(scene.store, { kind: 'job', where: { state: 'SUCCEEDED' } })).length, 30)
      },
    },
    {
      name: 'A16 brings a job to one end when everybody speaks at once',
      async run(scene) {
        for (let round = 0; round < 5; round++) {
          const id = `j${round}`
          await scene.do(submitJob(id, { protocol: PUSHED }))
          const step = await sendDirective(scene, id)
          const commands = [
            heartbeat(step),
            report(step, SUCCESS),
            onJob('cancelJob', id),
            onJob('advanceJob', id),
            report(step, SUCCESS),
          ]
          const order = commands.map((_, i) => commands[(i + round) % commands.length])
          await scene.within(
            Promise.all(order.map((command) => command && scene.act(command))),
            'five voices',
          )
          const aggregate = await scene.store.load({ kind: 'job', tenant_id: TENANT, id })
          assert(aggregate !== null)
          assert(['CANCELLED', 'CANCELLING'].includes(aggregate.job.state))
          const ends = await auditAll(scene.store, {
            kind: 'job',
            id,
            state: aggregate.job.state,
            event: 'moved',
          })
          assert.equal(ends.length, 1)
        }
      },
    },
    {
      name: 'shows a job and its steps as of one moment, while they change',
      excuse: ({ atomic }) =>
        atomic === 'transaction' ? undefined : 'the engine declares that it writes row by row',
      async run(scene) {
        await scene.do(submitJob('j', { protocol: PUSHED }))
        const write = async () => {
          for (const _ of PUSHED.steps) await scene.do(report(await sendDirective(scene, 'j'), SUCCESS))
          return 'done' as const
        }
        const writing = scene.meanwhile(write())
        let last: string | undefined
        for (let looks = 0; looks < 200 && last !== 'SUCCEEDED'; looks++) {
          const aggregate = await scene.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' })
          assert(aggregate !== null)
          assertWhole(aggregate)
          last = aggregate.job.state
        }
        assert.equal(await writing, 'done')
      },
    },
  ],
}
