import assert from 'node:assert/strict'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { FindQuery } from '../../../store/query.ts'
import { type Topic, withoutOrderByChange } from '../check.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../commands.ts'
import { MIXED, PUSHED } from '../protocols.ts'
import { findAll, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { sendDirective } from '../work.ts'

/** Upper and lower case, digits and signs: they sort by their codes, not as in a dictionary. */
const IDS = ['B', 'a', 'C', 'a-1', 'a1', '_x', 'b', '10', '9', 'Z']

async function makeDocuments(scene: Scene): Promise<void> {
  for (const [i, id] of IDS.entries()) {
    await scene.do(moveDocument(id, 'fetching', { adapter: i % 2 === 0 ? 'even' : 'odd' }))
    // Every other one changes in the same millisecond as the one before it.
    if (i % 2 === 1) await scene.pass(7)
  }
}

function ids(found: readonly DocumentRecord[]): readonly string[] {
  return found.map(({ doc_id }) => doc_id)
}

async function findIds(scene: Scene, query: Omit<FindQuery<'document'>, 'kind'>) {
  return ids(await findAll(scene.store, { kind: 'document', ...query }))
}

async function jobIds(scene: Scene, query: Omit<FindQuery<'job'>, 'kind'>): Promise<readonly string[]> {
  return (await findAll(scene.store, { kind: 'job', ...query })).map(({ job_id }) => job_id)
}

export const find: Topic = {
  topic: 'find',
  checks: [
    {
      name: 'sorts by id, both ways, on pages of any size',
      async run(scene) {
        await makeDocuments(scene)
        const sorted = IDS.toSorted()
        assert.deepEqual(await findIds(scene, {}), sorted)
        for (const limit of [1, 2, 3, 5, 10, 11]) {
          assert.deepEqual(await findIds(scene, { limit }), sorted)
          assert.deepEqual(await findIds(scene, { limit, direction: 'desc' }), sorted.toReversed())
        }
      },
    },
    {
      name: 'sorts by time of change, both ways, ties by id, on pages of any size',
      excuse: withoutOrderByChange,
      async run(scene) {
        await makeDocuments(scene)
        await scene.do(moveDocument('B', 'fetched'))
        const sorted = ['a', 'C', 'a-1', '_x', 'a1', '10', 'b', '9', 'Z', 'B']
        for (const limit of [1, 2, 3, 10]) {
          assert.deepEqual(await findIds(scene, { order: 'changed', limit }), sorted)
          assert.deepEqual(
            await findIds(scene, { order: 'changed', direction: 'desc', limit }),
            sorted.toReversed(),
          )
        }
      },
    },
    {
      name: 'ends exactly: no empty last page',
      async run(scene) {
        await makeDocuments(scene)
        const first = await scene.store.find({ kind: 'document', limit: 5 })
        const second = await scene.store.find({ kind: 'document', limit: 5, after: first.next ?? '' })
        assert.deepEqual([first.items.length, second.items.length, second.next], [5, 5, null])
        assert.deepEqual(await scene.store.find({ kind: 'run' }), { items: [], next: null })
      },
    },
    {
      name: 'finds by tenant, or over all of them in the order of tenants',
      async run(scene) {
        for (const tenant_id of ['b', 'A', 'a']) {
          for (const id of ['2', '1']) await scene.do(moveDocument(id, 'fetching', { tenant_id }))
        }
        const all = await findAll(scene.store, { kind: 'document', limit: 4 })
        assert.deepEqual(
          all.map(({ tenant_id, doc_id }) => tenant_id + doc_id),
          ['A1', 'A2', 'a1', 'a2', 'b1', 'b2'],
        )
        assert.deepEqual(await findIds(scene, { tenant_id: 'a' }), ['1', '2'])
        assert.deepEqual(await findIds(scene, { tenant_id: 'nobody' }), [])
      },
    },
    {
      name: 'filters documents by state and adapter, by one value or by several',
      async run(scene) {
        await makeDocuments(scene)
        for (const id of ['a', 'b']) await scene.do(moveDocument(id, 'fetched'))
        await scene.do(moveDocument('Z', 'failed'))
        assert.deepEqual(await findIds(scene, { where: { state: 'fetched' } }), ['a', 'b'])
        assert.deepEqual(await findIds(scene, { where: { state: ['fetched', 'failed'] }, limit: 2 }), [
          'Z',
          'a',
          'b',
        ])
        assert.deepEqual(await findIds(scene, { where: { state: ['fetched'], adapter: 'even' } }), ['b'])
        assert.deepEqual(await findIds(scene, { where: { state: [] } }), [])
        assert.deepEqual(await findIds(scene, { where: { state: 'nowhere' } }), [])
        assert.deepEqual(await findIds(scene, { where: { run_id: 'r' } }), [], 'a document has no run_id')
      },
    },
    {
      name: 'filters jobs, steps and outbox rows by what they belong to',
      async run(scene) {
        await scene.do(submitJob('a', { protocol: PUSHED, run_id: 'r1', doc_id: 'd1' }))
        await scene.do(submitJob('b', { protocol: MIXED, run_id: 'r1', workstream_id: 'w1' }))
        await scene.do(submitJob('c', { run_id: 'r2', doc_id: 'd1', tenant_id: 'Zeta' }))
        assert.deepEqual(await jobIds(scene, { where: { run_id: 'r1' } }), ['a', 'b'])
        assert.deepEqual(await jobIds(scene, { where: { run_id: ['r1', 'r2'], doc_id: 'd1' } }), ['c', 'a'])
        assert.deepEqual(await jobIds(scene, { where: { doc_id: 'd1' }, tenant_id: TENANT }), ['a'])
        assert.deepEqual(await jobIds(scene, { where: { workstream_id: 'w1' } }), ['b'])
        assert.deepEqual(await jobIds(scene, { where: { request_type: 'READ' } }), ['c'])
        assert.deepEqual(await jobIds(scene, { where: { protocol_id: 'mixed.v1' } }), ['b'])
        assert.deepEqual(await jobIds(scene, { where: { state: 'DISPATCHING' } }), ['a', 'b'])
        const steps = async (query: FindQuery<'step'>['where']) =>
          (await findAll(scene.store, { kind: 'step', where: query, limit: 1 })).map(
            ({ job_id, step_id }) => `${job_id} ${step_id}`,
          )
        assert.deepEqual(await steps({ job_id: 'b' }), ['b read', 'b send', 'b store'])
        assert.deepEqual(await steps({ step_id: 'read' }), ['c read', 'b read'])
        assert.deepEqual(await steps({ service: 'ocr' }), ['a ocr'])
        assert.deepEqual(await steps({ queue: 'send', state: 'DISPATCHING' }), ['b send'])
        const rows = await findAll(scene.store, { kind: 'outbox', where: { job_id: ['a', 'b'] } })
        assert.deepEqual(rows.map(({ step_id }) => step_id).toSorted(), ['ocr', 'send'])
      },
    },
    {
      name: 'finds open and closed outbox rows alike',
      async run(scene) {
        for (const id of ['a', 'b', 'c']) await scene.do(submitJob(id, { protocol: PUSHED }))
        await sendDirective(scene, 'b')
        await scene.do(onJob('cancelJob', 'c'))
        const states = async (state?: string) =>
          (await findAll(scene.store, { kind: 'outbox', where: { state }, limit: 2 })).map(
            (row) => `${row.job_id} ${row.state}`,
          )
        assert.deepEqual((await states()).toSorted(), ['a PENDING', 'b SENT', 'c FAILED_FINAL'])
        assert.deepEqual(await states('PENDING'), ['a PENDING'])
        assert.deepEqual(await states('SENT'), ['b SENT'])
      },
    },
    {
      name: 'filters by time of change: from is included, before is not',
      async run(scene) {
        const start = scene.world.clock.now()
        for (const id of ['a', 'b', 'c']) {
          await scene.do(moveDocument(id, 'fetching'))
          await scene.do(submitJob(id))
          await scene.pass(1)
        }
        assert.deepEqual(await findIds(scene, { changedFrom: start + 1 }), ['b', 'c'])
        assert.deepEqual(await findIds(scene, { changedBefore: start + 1 }), ['a'])
        assert.deepEqual(await jobIds(scene, { changedFrom: start + 1, changedBefore: start + 2 }), ['b'])
        assert.deepEqual(await jobIds(scene, { changedFrom: start + 3 }), [])
      },
    },
    {
      name: 'goes on from a cursor while records come and go',
      async run(scene) {
        for (const id of ['b', 'd', 'f', 'h']) await scene.do(moveDocument(id, 'fetching'))
        const query = { kind: 'document', where: { state: 'fetching' }, limit: 2 } as const
        const first = await scene.store.find(query)
        assert.deepEqual(ids(first.items), ['b', 'd'])
        await scene.do(moveDocument('a', 'fetching'))
        await scene.do(moveDocument('g', 'fetching'))
        await scene.do(moveDocument('d', 'fetched'))
        await scene.do(moveDocument('f', 'fetched'))
        const rest = await scene.store.find({ ...query, after: first.next ?? '' })
        assert.deepEqual([ids(rest.items), rest.next], [['g', 'h'], null])
      },
    },
    {
      name: 'gives a hundred to a page unless told, and a thousand at most',
      async run(scene) {
        const all = Array.from({ length: 101 }, (_, i) => `d${String(i).padStart(3, '0')}`)
        await Promise.all(all.map((id) => scene.do(moveDocument(id, 'fetching'))))
        const page = await scene.store.find({ kind: 'document' })
        assert.deepEqual(ids(page.items), all.slice(0, 100))
        const rest = await scene.store.find({ kind: 'document', after: page.next ?? '' })
        assert.deepEqual(ids(rest.items), all.slice(100))
        const large = await scene.store.find({ kind: 'document', limit: 1_000_000 })
        assert.deepEqual(ids(large.items), all)
      },
    },
    {
      name: 'refuses a limit that is no number of records',
      async run(scene) {
        await makeDocuments(scene)
        for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
          await assert.rejects(scene.store.find({ kind: 'document', limit }), { code: 'INVALID_INPUT' })
        }
      },
    },
    {
      name: 'refuses a cursor that it did not give out for this order',
      async run(scene) {
        await makeDocuments(scene)
        const { next } = await scene.store.find({ kind: 'document', limit: 1 })
        for (const query of [
          { after: 'nonsense' },
          { after: '' },
          { after: next ?? '', direction: 'desc' },
        ] as const) {
          await assert.rejects(scene.store.find({ kind: 'document', ...query }), { code: 'BAD_CURSOR' })
        }
      },
    },
    {
      name: 'refuses an order that it does not declare, by name',
      async run(scene) {
        const declared: readonly string[] = scene.store.capabilities.findOrders
        assert(declared.includes('id'), 'every engine sorts by id')
        for (const order of ['id', 'changed', 'colour']) {
          const answer = scene.store.find({ kind: 'document', order: order as 'id' })
          if (declared.includes(order)) assert.deepEqual(plain(await answer), { items: [], next: null })
          else await assert.rejects(answer, { code: 'UNSUPPORTED', message: new RegExp(order) })
        }
      },
    },
  ],
}
