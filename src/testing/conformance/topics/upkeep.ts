import assert from 'node:assert/strict'
import type { Topic } from '../check.ts'
import { moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { MIXED, PUSHED } from '../protocols.ts'
import { auditAll, findAll, plain } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { claimJob } from '../work.ts'

async function makeRecords(scene: Scene): Promise<void> {
  await scene.do(moveDocument('d', 'fetching'))
  await scene.refusalOf(moveDocument('d', 'completed'))
  await scene.do(submitJob('ended'))
  await scene.do(report(await claimJob(scene, 'ended'), SUCCESS))
  await scene.do(submitJob('waiting', { protocol: MIXED }))
  await scene.do(submitJob('cancelled', { protocol: PUSHED }))
  await scene.do(onJob('cancelJob', 'cancelled'))
}

const WRITERS = 4

/** Long enough for every writer to be in the middle of something. */
const LOOKS = 3

/** In memory whoever writes is as fast as whoever looks, and there would be no end to it. */
const MOST_ROUNDS = 50

/** Makes records and moves them, until it is enough. */
async function keepWriting(scene: Scene, name: string, isEnough: () => boolean): Promise<void> {
  for (let n = 0; n < MOST_ROUNDS && !isEnough(); n++) {
    const id = `${name}-${n}`
    await scene.do(moveDocument(id, 'fetching'))
    await scene.do(submitJob(id))
    await scene.do(moveDocument(id, 'fetched'))
    await scene.do(report(await claimJob(scene, id), SUCCESS))
    await scene.do(submitJob(`${id}-pushed`, { protocol: PUSHED }))
    await scene.do(onJob('cancelJob', `${id}-pushed`))
  }
}

export const upkeep: Topic = {
  topic: 'upkeep',
  checks: [
    {
      name: 'finds no fault with what it wrote itself',
      async run(scene) {
        assert.deepEqual(await scene.store.check(), [])
        await makeRecords(scene)
        assert.deepEqual(await scene.store.check(), [])
      },
    },
    {
      name: 'finds no fault with what changes while it looks',
      async run(scene) {
        await makeRecords(scene)
        let isEnough = false
        const writing = Array.from({ length: WRITERS }, (_, n) =>
          keepWriting(scene, `writer-${n}`, () => isEnough),
        )
        try {
          for (let look = 0; look < LOOKS; look++) {
            assert.deepEqual(await scene.within(scene.store.check(), 'a check'), [])
          }
        } finally {
          isEnough = true
          await scene.within(Promise.all(writing), 'the writers')
        }
        assert.deepEqual(await scene.store.check(), [])
      },
    },
    {
      name: 'loses nothing by maintenance',
      async run(scene) {
        await makeRecords(scene)
        const look = async () => ({
          history: await auditAll(scene.store),
          jobs: await findAll(scene.store, { kind: 'job' }),
          steps: await findAll(scene.store, { kind: 'step' }),
          rows: await findAll(scene.store, { kind: 'outbox' }),
          document: await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'd' }),
          ready: await scene.store.ready(['read', 'push:send'], 5, (heads) => heads),
          due: await scene.store.nextDue(),
        })
        const before = plain(await look())
        const { removed_audit_records } = await scene.within(scene.store.maintain(), 'maintenance')
        assert.equal(removed_audit_records, 0)
        assert.deepEqual(plain(await look()), before)
        await scene.do(moveDocument('d', 'fetched'))
        assert.deepEqual(await scene.store.check(), [])
      },
    },
    {
      name: 'declares what it can do',
      async run(scene) {
        const { engine, atomic, order, watch, counts, findOrders } = scene.store.capabilities
        assert.notEqual(engine, '')
        assert(['transaction', 'ordered'].includes(atomic))
        assert(['total', 'per-record'].includes(order))
        assert(['push', 'poll'].includes(watch))
        assert(['exact', 'approximate'].includes(counts))
        assert(findOrders.length > 0)
      },
    },
  ],
}
