import assert from 'node:assert/strict'
import type { AuditRecord } from '../../../core/audit.ts'
import { START } from '../../../store/store.ts'
import { type Check, type Topic, withoutTotalOrder } from '../check.ts'
import { moveDocument, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { auditAll, moves } from '../reading.ts'
import type { Scene } from '../scene.ts'

/** A legal way that needs no end: back and forth. */
async function moveOften(scene: Scene, id: string, times: number, tenant_id = TENANT): Promise<void> {
  for (let i = 0; i < times; i++) {
    const state = i === 0 ? 'fetching' : i % 2 === 1 ? 'failed' : 'retrying'
    await scene.do(moveDocument(id, state, { tenant_id, metadata: { i } }))
  }
}

function counted(records: readonly AuditRecord[]): readonly unknown[] {
  return records.map(({ metadata }) => metadata.i)
}

/** A bound on the attempts to catch a watch that starts when it pleases. */
const MOST_NUDGES = 1000

const checks: readonly Check[] = [
  {
    name: 'A70 catches up from the start, then goes on live',
    async run(scene) {
      await moveOften(scene, 'd', 3)
      const follower = scene.follow({ after: START })
      assert.deepEqual(counted(await follower.take(3)), [0, 1, 2])
      const waiting = scene.meanwhile(follower.take(2))
      await scene.do(moveDocument('e', 'fetching', { metadata: { i: 'live' } }))
      await scene.do(moveDocument('e', 'fetched', { metadata: { i: 'again' } }))
      assert.deepEqual(counted(await waiting), ['live', 'again'])
    },
  },
  {
    name: 'A70 takes up again after any record, without skipping or repeating',
    async run(scene) {
      await moveOften(scene, 'd', 5)
      const all = await auditAll(scene.store)
      for (const [i, { cursor }] of all.entries()) {
        const follower = scene.follow({ after: cursor })
        assert.deepEqual(await follower.take(all.length - 1 - i), all.slice(i + 1))
        await follower.stop()
      }
    },
  },
  {
    name: 'A70 takes up again between the states of one commit',
    async run(scene) {
      await scene.do(submitJob('j', { protocol: PUSHED }))
      const all = await auditAll(scene.store)
      assert.deepEqual(moves(all), [
        'job j: null → QUEUED',
        'job j: QUEUED → DISPATCHING',
        'step j/ocr: PENDING → DISPATCHING',
      ])
      for (const [i, { cursor }] of all.entries()) {
        const follower = scene.follow({ after: cursor })
        assert.deepEqual(await follower.take(2 - i), all.slice(i + 1))
        await follower.stop()
      }
    },
  },
  {
    name: 'begins now when it is not told where, and skips nothing from then on',
    async run(scene) {
      await moveOften(scene, 'old', 3)
      const follower = scene.follow({})
      let begun = false
      const first = scene.meanwhile(
        follower.take(1).finally(() => {
          begun = true
        }),
      )
      // An engine may need a moment to find out where "now" is: something keeps happening until it shows.
      for (let i = 0; !begun && i < MOST_NUDGES; i++) {
        await scene.do(moveDocument(`new-${i}`, 'fetching'))
        await scene.within(new Promise(setImmediate), 'a turn')
      }
      const [seen] = await first
      assert(seen !== undefined)
      assert.match(seen.id, /^new-/, 'nothing from before it began')
      const { items } = await scene.store.audit({ after: seen.cursor, limit: 1000 })
      assert.deepEqual(await follower.take(items.length), items)
    },
  },
  {
    name: 'shows refusals and ignored messages too',
    async run(scene) {
      await scene.do(moveDocument('d', 'fetching'))
      await scene.refusalOf(moveDocument('d', 'completed'))
      const records = await scene.follow({ after: START }).take(2)
      assert.deepEqual(
        records.map(({ event }) => event),
        ['moved', 'refused'],
      )
    },
  },
  {
    name: 'lets everybody read at their own pace',
    async run(scene) {
      const early = scene.follow({ after: START })
      const slow = scene.follow({ after: START })
      const [one] = await Promise.all([early.take(4), moveOften(scene, 'd', 4)])
      assert.deepEqual(counted(await slow.take(1)), [0])
      await moveOften(scene, 'e', 2)
      assert.deepEqual(counted(one), [0, 1, 2, 3])
      assert.deepEqual(counted(await slow.take(5)), [1, 2, 3, 0, 1])
      assert.deepEqual(counted(await early.take(2)), [0, 1])
    },
  },
  {
    name: 'A70 survives reconnecting again and again while others write',
    async run(scene) {
      const writers = Array.from({ length: 4 }, (_, i) => moveOften(scene, `d${i}`, 15))
      const writing = scene.meanwhile(Promise.all(writers))
      const seen: AuditRecord[] = []
      let after = START
      for (let size = 1; seen.length < 60; size = (size % 5) + 1) {
        const follower = scene.follow({ after })
        seen.push(...(await follower.take(Math.min(size, 60 - seen.length))))
        await follower.stop()
        after = seen.at(-1)?.cursor ?? START
      }
      await writing
      assert.deepEqual(seen, await auditAll(scene.store))
    },
  },
]

export const watch: Topic = {
  topic: 'watch',
  checks: [
    ...checks.map((check) => ({ ...check, excuse: withoutTotalOrder })),
    {
      name: 'follows every record in its own order, and shows everything once',
      async run(scene) {
        const follower = scene.follow({ after: START })
        const writers = ['a', 'b', 'c'].map((id) => moveOften(scene, id, 6))
        const writing = scene.meanwhile(Promise.all(writers))
        const records = await follower.take(18)
        await writing
        for (const id of ['a', 'b', 'c']) {
          const own = records.filter((record) => record.id === id)
          assert.deepEqual(counted(own), [0, 1, 2, 3, 4, 5])
        }
        await scene.do(moveDocument('last', 'fetching', { metadata: { i: 'last' } }))
        assert.deepEqual(counted(await follower.take(1)), ['last'], 'nothing came twice')
      },
    },
    {
      name: 'shows one tenant only, when asked to',
      async run(scene) {
        const follower = scene.follow({ after: START, tenant_id: 'Zeta' })
        await moveOften(scene, 'd', 3)
        await moveOften(scene, 'd', 2, 'Zeta')
        await moveOften(scene, 'e', 2)
        await moveOften(scene, 'e', 1, 'Zeta')
        const records = await follower.take(3)
        assert.deepEqual(
          records.map(({ tenant_id, id }) => tenant_id + id),
          ['Zetad', 'Zetad', 'Zetae'],
        )
      },
    },
    {
      name: 'ends when it is aborted, whether it waits or not',
      async run(scene) {
        await moveOften(scene, 'd', 2)
        const waiting = scene.follow({ after: START })
        await waiting.take(2)
        const end = scene.meanwhile(waiting.end())
        waiting.abort()
        await end
        const reading = scene.follow({ after: START })
        await reading.take(1)
        reading.abort()
        await reading.end()
        const never = scene.follow({ after: START })
        never.abort()
        await never.end()
        await scene.do(moveDocument('d', 'retrying'))
      },
    },
    {
      name: 'can be left by breaking the loop',
      async run(scene) {
        await moveOften(scene, 'd', 3)
        const seen: AuditRecord[] = []
        const loop = async () => {
          for await (const record of scene.store.watch({ after: START })) {
            seen.push(record)
            if (seen.length === 2) break
          }
        }
        await scene.within(loop(), 'the loop')
        assert.deepEqual(counted(seen), [0, 1])
      },
    },
    {
      name: 'refuses a cursor that makes no sense',
      async run(scene) {
        const read = async () => {
          for await (const record of scene.store.watch({ after: 'nonsense' })) return record
          return null
        }
        await assert.rejects(scene.within(read(), 'the refusal'), { code: 'BAD_CURSOR' })
      },
    },
  ],
}
