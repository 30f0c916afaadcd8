import assert from 'node:assert/strict'
import { START, type Store } from '../../../store/store.ts'
import type { Topic } from '../check.ts'
import { moveDocument, TENANT } from '../commands.ts'
import { advance } from '../work.ts'

const KEY = { kind: 'document', tenant_id: TENANT, id: 'd' } as const

/** Every verb there is. */
const VERBS: { readonly [verb: string]: (store: Store) => Promise<unknown> } = {
  transact: (store) => store.transact([], () => assert.fail('nothing is decided after close')),
  sweep: (store) => store.sweep({ what: 'due', limit: 1 }, advance),
  get: (store) => store.get(KEY),
  load: (store) => store.load(KEY),
  find: (store) => store.find({ kind: 'document' }),
  audit: (store) => store.audit({}),
  durations: (store) => store.durations({}),
  counts: (store) => store.counts('document'),
  ready: (store) => store.ready(['read'], 1, (heads) => heads),
  nextDue: (store) => store.nextDue(),
  subscribe: async (store) => store.subscribe(() => {}),
  stats: (store) => store.stats(),
  maintain: (store) => store.maintain(),
  check: (store) => store.check(),
  watch: async (store) => {
    for await (const record of store.watch({ after: START })) return record
    return null
  },
}

export const close: Topic = {
  topic: 'close',
  checks: [
    {
      name: 'refuses everything afterwards, and says that it is closed',
      async run(scene) {
        await scene.do(moveDocument('d', 'fetching'))
        await scene.store.close()
        for (const [verb, call] of Object.entries(VERBS)) {
          // A verb may throw at once or reject later: to whoever awaits it that is the same.
          const called = (async () => call(scene.store))()
          await assert.rejects(scene.within(called, verb), { code: 'LEDGER_CLOSED' }, verb)
        }
      },
    },
    {
      name: 'can be closed twice, also at the same time',
      async run(scene) {
        await scene.do(moveDocument('d', 'fetching'))
        await scene.within(Promise.all([scene.store.close(), scene.store.close()]), 'closing twice')
        await scene.within(scene.store.close(), 'closing again')
      },
    },
    {
      name: 'ends every watch',
      async run(scene) {
        await scene.do(moveDocument('d', 'fetching'))
        const waiting = scene.follow({ after: START })
        await waiting.take(1)
        const end = scene.meanwhile(waiting.end())
        const reading = scene.follow({ after: START })
        await reading.take(1)
        await scene.within(scene.store.close(), 'closing')
        await end
        await reading.end()
      },
    },
    {
      name: 'finishes what is pending',
      async run(scene) {
        const ids = Array.from({ length: 10 }, (_, i) => `d${i}`)
        const writing = ids.map((id) => scene.meanwhile(scene.do(moveDocument(id, 'fetching'))))
        await scene.within(scene.store.close(), 'closing')
        const answers = await scene.within(Promise.all(writing), 'what was pending')
        assert.deepEqual(
          answers.map(({ doc_id, state }) => `${doc_id} ${state}`),
          ids.map((id) => `${id} fetching`),
        )
        if (scene.subject.reopen === undefined) return
        const store = await scene.reopen()
        assert.equal((await store.find({ kind: 'document' })).items.length, ids.length)
      },
    },
  ],
}
