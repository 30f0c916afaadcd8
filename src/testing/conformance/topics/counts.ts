import assert from 'node:assert/strict'
import { machines, type RecordKind } from '../../../core/machines/all.ts'
import type { Store } from '../../../store/store.ts'
import { type Topic, withoutExactCounts } from '../check.ts'
import { moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { findAll } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { claimJob, sendDirective } from '../work.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]

/** States without any may be left out, so they are. */
export async function countsOf(store: Store, kind: RecordKind, tenant_id?: string) {
  const counts = await store.counts(kind, tenant_id)
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0))
}

async function countByReading(store: Store, kind: RecordKind, tenant_id?: string) {
  const counts: { [state: string]: number } = {}
  for (const { state } of await findAll(store, { kind, tenant_id })) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

async function makeRecords(scene: Scene): Promise<void> {
  for (const id of ['a', 'b', 'c']) await scene.do(moveDocument(id, 'fetching'))
  await scene.do(moveDocument('b', 'fetched'))
  await scene.do(moveDocument('a', 'fetching', { tenant_id: 'Zeta' }))
  for (const id of ['j', 'k']) await scene.do(submitJob(id, { protocol: PUSHED }))
  await scene.do(submitJob('l'))
  await scene.do(submitJob('l', { tenant_id: 'Zeta' }))
  await sendDirective(scene, 'j')
  await scene.do(onJob('cancelJob', 'k'))
  await scene.do(report(await claimJob(scene, 'l'), SUCCESS))
}

export const counts: Topic = {
  topic: 'counts',
  checks: [
    {
      name: 'counts nothing where there is nothing',
      async run(scene) {
        for (const kind of KINDS) assert.deepEqual(await countsOf(scene.store, kind), {})
      },
    },
    {
      name: 'counts records of every kind by state, for a tenant and for all',
      excuse: withoutExactCounts,
      async run(scene) {
        await makeRecords(scene)
        for (const kind of KINDS) {
          for (const tenant_id of [undefined, TENANT, 'Zeta', 'nobody']) {
            const expected = await countByReading(scene.store, kind, tenant_id)
            assert.deepEqual(await countsOf(scene.store, kind, tenant_id), expected, `${kind} ${tenant_id}`)
          }
        }
        assert.deepEqual(await countsOf(scene.store, 'document', TENANT), { fetching: 2, fetched: 1 })
        assert.deepEqual(await countsOf(scene.store, 'outbox'), { SENT: 1, FAILED_FINAL: 1 })
      },
    },
    {
      name: 'counts only states that exist, in whole numbers',
      async run(scene) {
        await makeRecords(scene)
        for (const kind of KINDS) {
          for (const [state, n] of Object.entries(await scene.store.counts(kind))) {
            assert(Object.hasOwn(machines[kind].states, state), `${kind} ${state}`)
            assert(Number.isInteger(n) && n >= 0, `${kind} ${state}: ${n}`)
          }
        }
      },
    },
    {
      name: 'does not count refusals, ignored messages or repeated submits',
      excuse: withoutExactCounts,
      async run(scene) {
        await makeRecords(scene)
        const before = await countsOf(scene.store, 'document')
        const jobs = await countsOf(scene.store, 'job')
        await scene.refusalOf(moveDocument('a', 'completed'))
        await scene.refusalOf(moveDocument('new', 'completed'))
        await scene.do(onJob('cancelJob', 'k'))
        assert.equal(
          (await scene.do(submitJob('m', { payload: { for: 'l' }, ...sameAs('l') }))).duplicate,
          true,
        )
        assert.deepEqual(await countsOf(scene.store, 'document'), before)
        assert.deepEqual(await countsOf(scene.store, 'job'), jobs)
      },
    },
    {
      name: 'says in its statistics how many records there are',
      excuse: withoutExactCounts,
      async run(scene) {
        await makeRecords(scene)
        const { records, audit_records, engine } = await scene.store.stats()
        assert.deepEqual(records, {
          document: 4,
          job: 4,
          step: 6,
          outbox: 2,
          run: 0,
          workstream: 0,
          queue: 0,
          schedule: 0,
          token: 0,
        })
        assert.equal(engine, scene.store.capabilities.engine)
        assert(audit_records >= 4)
      },
    },
  ],
}

/** The rest of what makes a request the same one. */
function sameAs(job_id: string) {
  return { input_ref: `in/${job_id}`, output_ref: `out/${job_id}` }
}
