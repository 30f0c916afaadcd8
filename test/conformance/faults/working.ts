// Faults in handing out work, firing timers, delivering signals and closing.
import { change } from '../../../src/core/decision.ts'
import type { ReadyHead } from '../../../src/core/pick.ts'
import { fromIso, SECOND_MS } from '../../../src/core/time.ts'
import type { Store, Sweep } from '../../../src/store/store.ts'
import { type Fault, verbs } from './fault.ts'

/** More than any test has. */
const ALL = 1000

export const WORKING_FAULTS: readonly Fault[] = [
  verbs('hands out work in the order of its ids', ['ready', 'histories'], (sound) => ({
    ready: (queues, perGroup, look) =>
      sound.ready(queues, ALL, (heads, view) => look(headsById(heads, perGroup), view)),
    sweep: (selector, decide) => sound.sweep(selectorById(selector), decide),
  })),
  verbs('shows more of a group than was asked for', ['ready', 'histories'], (sound) => ({
    ready: (queues, perGroup, look) => sound.ready(queues, perGroup + 1, look),
  })),
  verbs('shows work of tenants that were not named', ['ready'], (sound) => ({
    sweep: (selector, decide) =>
      sound.sweep(selector.what === 'ready' ? { ...selector, tenants: undefined } : selector, decide),
  })),
  verbs('looks for the tenants only among the first', ['ready'], (sound) => ({
    sweep: (selector, decide) => {
      if (selector.what !== 'ready' || selector.tenants === undefined) return sound.sweep(selector, decide)
      const { tenants, pick, most = ALL } = selector
      const some = (heads: readonly ReadyHead[]) =>
        heads.slice(0, most).filter(({ key }) => tenants.includes(key.tenant_id))
      const shown = {
        ...selector,
        tenants: undefined,
        pick: ((heads, view) => pick(some(heads), view)) as typeof pick,
      }
      return sound.sweep(shown, decide)
    },
  })),
  verbs('does not tell how many hold a limit', ['ready', 'histories'], (sound) => ({
    sweep: (selector, decide) =>
      sound.sweep(
        selector.what === 'ready'
          ? { ...selector, pick: (heads, view) => selector.pick(heads, { ...view, used: () => 0 }) }
          : selector,
        decide,
      ),
  })),
  verbs('fires timers a second early', ['due', 'histories'], (sound, { clock }) => ({
    sweep: dueBy(sound, () => clock.now() + SECOND_MS),
  })),
  verbs('fires timers a millisecond late', ['due', 'histories'], (sound, { clock }) => ({
    sweep: dueBy(sound, () => clock.now() - 1),
  })),
  verbs('forgets the first timer', ['due', 'histories'], (sound) => ({
    nextDue: async () => {
      const due = await sound.nextDue()
      return due === null ? null : due + 1
    },
  })),
  verbs('hands out more timers than was asked for', ['due', 'histories'], (sound) => ({
    sweep: (selector, decide) =>
      sound.sweep(selector.what === 'due' ? { ...selector, limit: selector.limit + 1 } : selector, decide),
  })),
  verbs('forgets whom to tell after the first page', ['signals'], (sound) => ({
    sweep: async (selector, decide) => {
      if (selector.what !== 'signalled') return sound.sweep(selector, decide)
      let told = 0
      const swept = await sound.sweep({ ...selector, limit: ALL }, (key, given) =>
        told++ < selector.limit ? decide(key, given) : change(null as never, {}),
      )
      return swept.slice(0, selector.limit)
    },
  })),
  verbs('forgets a signal when a decision fails', ['signals'], (sound) => ({
    sweep: (selector, decide) =>
      sound.sweep(selector, (key, given) => {
        try {
          return decide(key, given)
        } catch {
          return change(null as never, {})
        }
      }),
  })),
  verbs('can be used after it was closed', ['close'], () => ({ close: async () => {} })),
  verbs('leaves followers waiting when it is closed', ['close'], (sound) => ({
    watch: (options) => ({
      [Symbol.asyncIterator]() {
        const iterator = sound.watch(options)[Symbol.asyncIterator]()
        return { next: () => iterator.next().then((next) => (next.done ? new Promise(() => {}) : next)) }
      },
    }),
  })),
  verbs('drops what is pending when it is closed', ['close'], (sound) => ({
    transact: async (keys, decide) => {
      await new Promise((resolve) => setImmediate(resolve))
      return sound.transact(keys, decide)
    },
  })),
  verbs('finds fault with what it wrote', ['upkeep', 'histories'], (sound) => ({
    check: async () => (await sound.check()).concat({ where: 'somewhere', what: 'something' }),
  })),
  verbs('removes history in maintenance', ['upkeep'], (sound) => {
    let from: string | undefined
    return {
      maintain: async () => {
        const { items } = await sound.audit({ limit: 2 })
        from = items.at(-1)?.cursor
        return sound.maintain()
      },
      audit: (query) => sound.audit({ after: from, ...(query.after === undefined ? null : query) }),
    }
  }),
]

function headsById(heads: readonly ReadyHead[], perGroup: number): readonly ReadyHead[] {
  const groups = Map.groupBy(heads, ({ key, ready }) => `${ready.queue}\n${key.tenant_id}\n${ready.group}`)
  return [...groups.values()].flatMap((group) =>
    group
      .toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1))
      .slice(0, perGroup)
      .map((head, i) => ({ ...head, ready: { ...head.ready, rank: i } })),
  )
}

function selectorById(selector: Sweep): Sweep {
  if (selector.what !== 'ready') return selector
  const { perGroup, pick } = selector
  return { ...selector, perGroup: ALL, pick: (heads, view) => pick(headsById(heads, perGroup), view) }
}

function dueBy(sound: Store, time: () => number): Store['sweep'] {
  return async (selector, decide) => {
    if (selector.what !== 'due') return sound.sweep(selector, decide)
    const { items } = await sound.find({ kind: 'job', limit: ALL })
    const due = items.filter(({ due_at }) => due_at !== null && fromIso(due_at) <= time())
    const swept = []
    for (const { tenant_id, job_id } of due.slice(0, selector.limit)) {
      const key = { kind: 'job', tenant_id, id: job_id } as const
      swept.push({ key, outcome: await sound.transact([key], (given) => decide(key, given)) })
    }
    return swept
  }
}
