import assert from 'node:assert/strict'
import { stepKey } from '../../../core/aggregate.ts'
import { change, type Decision, type Given, need, refuse } from '../../../core/decision.ts'
import { decideDocument } from '../../../core/document/decide.ts'
import type { Topic } from '../check.ts'
import { moveDocument, report, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { changeSlots, claimKey, FULL, take } from '../raw-decisions.ts'
import { auditAll, findAll, plain } from '../reading.ts'
import { claimJob, sendDirective } from '../work.ts'

/** Legal as ids, and awkward as file names, keys of a table, or parts of a path. */
const ODD_IDS = [
  'pubmed:123#1:0a1b2c3d4e5f',
  'a/b\\c?d%e~f',
  `it's "quoted"; drop`,
  ' spaces around ',
  'Ünïcödé 漢字 🚚',
  '..',
  'x'.repeat(512),
]

const ODD_JSON = {
  '': 'empty name',
  nested: { list: [null, 1, [true, { deep: null }]], text: 'line\nbreak\ttab \u2028 \u0007 🚚 \\ "' },
  numbers: [0, -1, 1.5, 1e21, 1e-7, Number.MAX_SAFE_INTEGER],
  long: 'y'.repeat(10_000),
}

const document = (id: string, tenant_id = TENANT) => ({ kind: 'document', tenant_id, id }) as const

export const transact: Topic = {
  topic: 'transact',
  checks: [
    {
      name: 'writes what the decision put, and readers see it',
      async run(scene) {
        const answer = await scene.do(moveDocument('d', 'fetching', { adapter: 'web', metadata: { a: 1 } }))
        assert.equal(answer.state, 'fetching')
        assert.deepEqual(plain(await scene.store.get(document('d'))), plain(answer))
        assert.deepEqual(plain(await scene.store.load(document('d'))), plain(answer))
        const { items, next } = await scene.store.find({ kind: 'document' })
        assert.deepEqual(plain(items), plain([answer]))
        assert.equal(next, null)
      },
    },
    {
      name: 'A10 keeps a job with its steps and its open outbox rows together',
      async run(scene) {
        await scene.do(submitJob('j', { protocol: PUSHED }))
        const aggregate = await scene.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' })
        assert(aggregate !== null)
        const { job, steps, outbox } = aggregate
        const [first, second] = steps
        const [row] = outbox
        assert(first && second && row)
        assert.deepEqual([job.state, first.state, second.state], ['DISPATCHING', 'DISPATCHING', 'PENDING'])
        assert.deepEqual([first.attempt_no, second.attempt_no, second.lease_id], [1, 0, null])
        assert.deepEqual([steps.length, outbox.length, row.lease_id], [2, 1, first.lease_id])
        const get = (kind: 'job' | 'step' | 'outbox', id: string) =>
          scene.store.get({ kind, tenant_id: TENANT, id })
        assert.deepEqual(plain(await get('job', 'j')), plain(job))
        assert.deepEqual(plain(await get('step', stepKey('j', first.step_id))), plain(first))
        assert.deepEqual(plain(await get('step', stepKey('j', second.step_id))), plain(second))
        assert.deepEqual(plain(await get('outbox', row.outbox_id)), plain(row))
      },
    },
    {
      name: 'takes a closed outbox row out of its aggregate and keeps it as a record',
      async run(scene) {
        await scene.do(submitJob('j', { protocol: PUSHED }))
        await sendDirective(scene, 'j')
        const aggregate = await scene.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' })
        assert.deepEqual(aggregate?.outbox, [])
        const rows = await findAll(scene.store, { kind: 'outbox', where: { job_id: 'j' } })
        assert.deepEqual(
          rows.map(({ state }) => state),
          ['SENT'],
        )
        const [row] = rows
        const found = await scene.store.get({ kind: 'outbox', tenant_id: TENANT, id: row?.outbox_id ?? '' })
        assert.deepEqual(plain(found), plain(row))
      },
    },
    {
      name: 'answers null for what is not there',
      async run(scene) {
        await scene.do(submitJob('a'))
        for (const kind of ['document', 'job', 'run', 'workstream'] as const) {
          assert.equal(await scene.store.get({ kind, tenant_id: TENANT, id: 'nowhere' }), null)
          assert.equal(await scene.store.load({ kind, tenant_id: TENANT, id: 'nowhere' }), null)
        }
        for (const id of ['nowhere', 'a', 'a/', 'a/nowhere', '/read', 'aread']) {
          assert.equal(await scene.store.get({ kind: 'step', tenant_id: TENANT, id }), null)
          assert.equal(await scene.store.get({ kind: 'outbox', tenant_id: TENANT, id }), null)
        }
      },
    },
    {
      name: 'keeps tenants apart',
      async run(scene) {
        await scene.do(moveDocument('same', 'fetching'))
        await scene.do(submitJob('same'))
        const other = { tenant_id: 'Zeta' }
        assert.equal(await scene.store.get({ ...document('same'), ...other }), null)
        assert.equal(await scene.store.load({ kind: 'job', id: 'same', ...other }), null)
        assert.equal(await scene.store.get({ kind: 'step', id: 'same/read', ...other }), null)
        const theirs = await scene.do(moveDocument('same', 'skipped', other))
        assert.equal((await scene.store.get(document('same')))?.state, 'fetching')
        assert.deepEqual(plain(await scene.store.get(document('same', 'Zeta'))), plain(theirs))
        await scene.do(submitJob('same', other))
        assert.equal((await findAll(scene.store, { kind: 'job' })).length, 2)
      },
    },
    {
      name: 'loads what a decision asks for, as often as it asks, and writes once',
      async run(scene) {
        for (const id of ['a', 'b', 'c']) await scene.do(moveDocument(id, 'fetching'))
        // Asks for one more each time, as a decision does that only then knows where to look.
        const decide = (given: Given): Decision<string> => {
          for (const id of ['a', 'b', 'c', 'none']) {
            const found = given.get('document', TENANT, id)
            if (found === undefined) return need([document(id)])
            assert.equal(found?.state, id === 'none' ? undefined : 'fetching')
          }
          return asString(decideDocument(moveDocument('c', 'fetched'), given))
        }
        const outcome = await scene.store.transact([], decide)
        assert.deepEqual(outcome, { ok: true, answer: 'fetched' })
        const history = await auditAll(scene.store, { kind: 'document', id: 'c' })
        assert.deepEqual(
          history.map(({ new_state }) => new_state),
          ['fetching', 'fetched'],
        )
      },
    },
    {
      name: 'lets a decision that throws change nothing',
      async run(scene) {
        const before = await scene.do(moveDocument('d', 'fetching'))
        const broken = scene.store.transact([document('d')], () => {
          throw new RangeError('a mistake in a rule')
        })
        await assert.rejects(broken, RangeError)
        assert.deepEqual(plain(await scene.store.get(document('d'))), plain(before))
        await scene.do(moveDocument('d', 'fetched'))
        assert.equal((await auditAll(scene.store)).length, 2)
      },
    },
    {
      name: 'leaves nothing behind of a change whose slot was full',
      async run(scene) {
        const slot = { key: 'line', max: 1 }
        await scene.store.transact([], changeSlots(take({ ...slot, owner: 'first' })))
        const command = moveDocument('d', 'fetching')
        const outcome = await scene.store.transact([document('d')], (given): Decision<string> => {
          if (given.isFull({ tenant_id: TENANT, key: 'line' })) return refuse(FULL)
          const decision = decideDocument(command, given)
          if (decision.kind !== 'change') return decision
          const claims = [{ tenant_id: TENANT, key: 'mine', owner: 'second' }]
          return change('written', {
            ...decision.change,
            claims,
            slots: [take({ ...slot, owner: 'second' })],
          })
        })
        assert.deepEqual(outcome, { ok: false, refusal: FULL })
        assert.equal(await scene.store.get(document('d')), null)
        assert.deepEqual(await auditAll(scene.store), [])
        assert.equal(
          Object.values(await scene.store.counts('document')).every((n) => n === 0),
          true,
        )
        const claimed = await scene.store.transact([], claimKey('mine', 'third'))
        assert.deepEqual(claimed, { ok: true, answer: 'third' })
      },
    },
    {
      name: 'keeps any id and any JSON exactly',
      async run(scene) {
        for (const id of ODD_IDS) {
          const metadata = { ...ODD_JSON, id }
          const answer = await scene.do(moveDocument(id, 'fetching', { metadata, actor: id }))
          assert.deepEqual(plain(await scene.store.get(document(id))), plain(answer))
          await scene.do(submitJob(id, { payload: metadata, doc_id: id, tags: [id], idempotency_key: id }))
          const job = await scene.store.get({ kind: 'job', tenant_id: TENANT, id })
          assert.deepEqual(plain(job?.payload), plain(metadata))
          const step = await claimJob(scene, id)
          await scene.do(report(step, { status: 'SUCCEEDED', output: metadata }))
          const ended = await scene.store.get({ kind: 'step', tenant_id: TENANT, id: stepKey(id, 'read') })
          assert.deepEqual([plain(ended?.output), ended?.job_id], [plain(metadata), id])
          const [moved] = await auditAll(scene.store, { kind: 'document', id })
          assert.deepEqual([plain(moved?.metadata), moved?.actor], [plain(metadata), id])
        }
        const ids = (await findAll(scene.store, { kind: 'job', limit: 2 })).map(({ job_id }) => job_id)
        assert.deepEqual(new Set(ids), new Set(ODD_IDS))
      },
    },
    {
      name: 'never lets time go back, whatever the clock does',
      async run(scene) {
        const timeOf = async () =>
          (await scene.do(moveDocument('d', 'fetching', { validate: false }))).updated_at * 1000
        const start = scene.world.clock.now()
        assert.equal(await timeOf(), start)
        await scene.pass(5000)
        assert.equal(await timeOf(), start + 5000)
        scene.world.clock.jumpTo(start - 60_000)
        assert.equal(await timeOf(), start + 5000)
        scene.world.clock.jumpTo(start + 7000)
        assert.equal(await timeOf(), start + 7000)
      },
    },
  ],
}

function asString(decision: Decision<{ readonly state: string }>): Decision<string> {
  return decision.kind === 'change' ? { ...decision, answer: decision.answer.state } : decision
}
