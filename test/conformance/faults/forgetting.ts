// Faults that show only when a store is opened again: something was not kept, or not in a form to go on from.
import type { RecordKey } from '../../../src/core/aggregate.ts'
import { change, type Decision, type Given } from '../../../src/core/decision.ts'
import { BadCursor } from '../../../src/errors/input-errors.ts'
import type { FindQuery } from '../../../src/store/query.ts'
import type { Store, Sweep } from '../../../src/store/store.ts'
import { Facade } from '../facade.ts'
import { type Fault, verbs, writes } from './fault.ts'

const CAUGHT_BY = ['reopen']

export const FORGETTING_FAULTS: readonly Fault[] = [
  verbs('forgets the last change', CAUGHT_BY, (sound) => ({
    audit: async (query) => {
      const page = await sound.audit(query)
      return page.next === null ? { ...page, items: page.items.slice(0, -1) } : page
    },
  })),
  verbs('forgets who owns a key', CAUGHT_BY, (sound) => ({
    transact: (keys, decide) =>
      sound.transact(keys, (given) => {
        const decision = decide({
          now: given.now,
          ids: given.ids,
          get: (kind, tenant_id, id) => given.get(kind, tenant_id, id),
          ownerOf: () => undefined,
          isFull: (slot) => given.isFull(slot),
        })
        return decision.kind === 'change'
          ? { ...decision, change: { ...decision.change, claims: [] } }
          : decision
      }),
  })),
  writes('forgets who holds a slot', CAUGHT_BY, () => ({ slots: [] })),
  {
    name: 'forgets signals that were not delivered',
    caughtBy: CAUGHT_BY,
    plant: (sound) => new Forgetful(sound),
  },
  verbs('forgets what was decided about queues', ['queues'], (sound) => ({
    ready: (queues, perGroup, look) =>
      sound.ready(queues, perGroup, (heads, view) => look(heads, { ...view, queue: () => null })),
  })),
  verbs('forgets schedules', ['schedules'], (sound) => ({
    get: async (key) => (key.kind === 'schedule' ? null : sound.get(key)),
  })),
  verbs('forgets tokens', ['tokens'], (sound) => ({
    get: async (key) => (key.kind === 'token' ? null : sound.get(key)),
  })),
  writes('does not write that a token was revoked', ['tokens'], ({ puts }) => ({
    puts: puts.filter((put) => put.kind !== 'token' || put.state !== 'revoked'),
  })),
  verbs('forgets until when places are held', ['timed slots'], (sound) => ({
    ready: (queues, perGroup, look) =>
      sound.ready(queues, perGroup, (heads, view) => look(heads, { ...view, freeAt: () => null })),
  })),
  verbs('does not know its own cursors any more', CAUGHT_BY, (sound) => ({
    find: (async (query: FindQuery) => {
      if (query.after !== undefined) throw new BadCursor(query.after)
      return sound.find(query)
    }) as Store['find'],
  })),
  verbs('gives new etags to old records', CAUGHT_BY, (sound) => ({
    find: (async (query: FindQuery) => {
      const page = await sound.find(query)
      return { ...page, items: page.items.map((record) => ({ ...record, etag: `${record.etag}'` })) }
    }) as Store['find'],
  })),
  verbs('forgets timers', CAUGHT_BY, (sound) => ({
    nextDue: async () => null,
    sweep: async (selector, decide) => (selector.what === 'due' ? [] : sound.sweep(selector, decide)),
  })),
]

/** Throws away what was on its way when it was opened. */
class Forgetful extends Facade {
  #forgotten = false

  override async sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    if (selector.what === 'signalled' && !this.#forgotten) {
      this.#forgotten = true
      await super.sweep({ ...selector, limit: 1000 }, () => change(null, {}))
    }
    return super.sweep(selector, decide)
  }
}
