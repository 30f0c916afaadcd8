// Faults in limits by time, queues, schedules, and in calling back those who wait.
import type { Change, Decision, Given, SlotChange } from '../../../src/core/decision.ts'
import type { WorkView } from '../../../src/core/pick.ts'
import { fromIso, SECOND_MS } from '../../../src/core/time.ts'
import type { Store, Sweep } from '../../../src/store/store.ts'
import { type Fault, verbs, writes } from './fault.ts'

/** More than any test has. */
const ALL = 1000

export const LIMITING_FAULTS: readonly Fault[] = [
  until('holds for good what is held until a time', ['timed slots', 'histories'], () => undefined),
  until('frees places a second early', ['timed slots', 'histories'], (at) => at - SECOND_MS),
  until('frees places a millisecond late', ['timed slots', 'histories'], (at) => at + 1),
  writes('does not keep places that are held until a time', ['timed slots', 'histories'], ({ slots }) => ({
    slots: slots.filter((slot) => slot.verb === 'release' || slot.until === undefined),
  })),
  shows('does not tell when a place is free', ['timed slots', 'histories'], { freeAt: () => null }),
  shows('does not tell who holds a place', ['timed slots', 'histories'], { holders: () => [] }),
  shows('does not show that a queue is paused', ['queues', 'histories'], { queue: () => null }),
  verbs('shows a look less than a sweep', ['queues', 'timed slots', 'histories'], (sound) => ({
    ready: (queues, perGroup, look) =>
      sound.ready(queues, perGroup, (heads, view) => look(heads, { ...view, used: () => 0 })),
  })),
  verbs('does not let decisions see that a queue is paused', ['queues', 'histories'], (sound) => ({
    transact: (keys, decide) => sound.transact(keys, (given) => decide(withoutQueues(given))),
    sweep: (selector, decide) => sound.sweep(selector, (key, given) => decide(key, withoutQueues(given))),
  })),
  writes('does not write the schedule with its job', ['schedules', 'histories'], ({ puts }) => ({
    puts: puts.length > 1 ? puts.filter(({ kind }) => kind !== 'schedule') : puts,
  })),
  verbs('forgets schedules in maintenance', ['schedules'], forgettingSchedules),
  verbs('does not say that signals wait', ['signals', 'histories'], (sound) => ({
    nextDue: async () => {
      const { items } = await sound.find({ kind: 'job', limit: ALL })
      const times = items.flatMap(({ due_at }) => (due_at === null ? [] : [fromIso(due_at)]))
      return times.length === 0 ? null : Math.min(...times)
    },
  })),
  verbs('calls nobody', ['subscribe'], () => ({ subscribe: () => () => {} })),
  verbs('calls for records only', ['subscribe'], (sound) => calling(sound, ({ puts }) => puts.length > 0)),
  verbs('calls for new records only', ['subscribe'], (sound) =>
    calling(sound, ({ puts }) =>
      puts.some((put) => 'created_at' in put && put.created_at === put.updated_at),
    ),
  ),
  verbs('calls for every look', ['subscribe'], (sound) => calling(sound, () => true)),
  verbs('calls before the change can be seen', ['subscribe'], (sound) => {
    const listeners = new Set<() => void>()
    return {
      ...listening(listeners),
      transact: async (keys, decide) => {
        for (const listener of listeners) listener()
        await new Promise((resolve) => setImmediate(resolve))
        return sound.transact(keys, decide)
      },
    }
  }),
  verbs('goes on calling those who stopped it', ['subscribe'], (sound) => ({
    subscribe: (listener) => {
      sound.subscribe(listener)
      return () => {}
    },
  })),
  verbs('calls when it is closed', ['subscribe'], (sound) => {
    const listeners = new Set<() => void>()
    return {
      subscribe: (listener) => {
        listeners.add(listener)
        return sound.subscribe(listener)
      },
      close: async () => {
        await sound.close()
        for (const listener of listeners) listener()
      },
    }
  }),
]

/** Places are held until another time than was asked for. */
function until(
  name: string,
  caughtBy: readonly string[],
  instead: (at: number) => number | undefined,
): Fault {
  return writes(name, caughtBy, ({ slots }) => ({
    slots: slots.map((slot): SlotChange => {
      if (slot.verb === 'release' || slot.until === undefined) return slot
      const { until: at, ...rest } = slot
      const other = instead(at)
      return other === undefined ? rest : { ...rest, until: other }
    }),
  }))
}

/** What bears on ready work is shown wrongly, to everybody who looks. */
function shows(name: string, caughtBy: readonly string[], wrongly: Partial<WorkView>): Fault {
  return verbs(name, caughtBy, (sound) => ({
    ready: (queues, perGroup, look) =>
      sound.ready(queues, perGroup, (heads, view) => look(heads, { ...view, ...wrongly })),
    sweep: (selector, decide) => sound.sweep(shownWrongly(selector, wrongly), decide),
  }))
}

function shownWrongly(selector: Sweep, wrongly: Partial<WorkView>): Sweep {
  if (selector.what !== 'ready') return selector
  return { ...selector, pick: (heads, view) => selector.pick(heads, { ...view, ...wrongly }) }
}

function withoutQueues(given: Given): Given {
  return {
    now: given.now,
    ids: given.ids,
    get: (kind, tenant_id, id) => (kind === 'queue' ? null : given.get(kind, tenant_id, id)),
    ownerOf: (claim) => given.ownerOf(claim),
    isFull: (slot) => given.isFull(slot),
  }
}

function forgettingSchedules(sound: Store): Partial<Store> {
  let isForgotten = false
  return {
    maintain: async () => {
      isForgotten = true
      return sound.maintain()
    },
    get: async (key) => (isForgotten && key.kind === 'schedule' ? null : sound.get(key)),
  }
}

function listening(listeners: Set<() => void>): Pick<Store, 'subscribe'> {
  return {
    subscribe: (listener) => {
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
  }
}

/** Calls after changes of some sort; and after none when it says so. */
function calling(sound: Store, isNews: (change: Change) => boolean): Partial<Store> {
  const listeners = new Set<() => void>()
  let hasNews = false
  const noted = <A>(decision: Decision<A>): Decision<A> => {
    if (decision.kind === 'change' && isNews(decision.change)) hasNews = true
    return decision
  }
  const tell = <T>(answer: T): T => {
    if (hasNews) for (const listener of listeners) listener()
    hasNews = false
    return answer
  }
  return {
    ...listening(listeners),
    transact: (keys, decide) => sound.transact(keys, (given) => noted(decide(given))).then(tell),
    sweep: (selector, decide) =>
      sound
        .sweep(selector, (key, given) => noted(decide(key, given)))
        .then((swept) => {
          hasNews ||= isNews({ puts: [], audit: [], claims: [], slots: [], signals: [] })
          return tell(swept)
        }),
  }
}
