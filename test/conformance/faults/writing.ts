// Faults in writing: what is lost, torn, repeated or seen too late.
import { idOf, type LedgerRecord } from '../../../src/core/aggregate.ts'
import { type Accepted, change, type Decision, type Given, refuse } from '../../../src/core/decision.ts'
import type { Outcome, Store } from '../../../src/store/store.ts'
import { Facade } from '../facade.ts'
import { type Fault, Meddler, verbs, writes } from './fault.ts'

export const WRITING_FAULTS: readonly Fault[] = [
  {
    name: 'loses the records of every third change',
    caughtBy: ['transact', 'histories'],
    plant(sound) {
      let changes = 0
      return new Meddler(sound, (decision) =>
        decision.kind === 'change' && ++changes % 3 === 0
          ? { ...decision, change: { ...decision.change, puts: [] } }
          : decision,
      )
    },
  },
  writes('forgets the last record of a change', ['transact', 'etags', 'histories'], ({ puts }) => ({
    puts: puts.length > 1 ? puts.slice(0, -1) : puts,
  })),
  writes('forgets claims', ['claims', 'etags', 'histories'], () => ({ claims: [] })),
  writes('never releases a slot', ['slots', 'ready', 'histories'], ({ slots }) => ({
    slots: slots.filter(({ verb }) => verb === 'take'),
  })),
  writes('gives out slots without end', ['slots', 'claims', 'histories'], () => ({ slots: [] })),
  writes('loses signals', ['signals', 'histories'], () => ({ signals: [] })),
  writes('keeps only the first and the last state of a commit', ['audit', 'histories'], ({ audit }) => ({
    audit: audit.map((entry) => ({ ...entry, path: [entry.path[0] ?? null, entry.path.at(-1) ?? null] })),
  })),
  writes('tells only of the first record of a commit', ['audit', 'histories'], ({ audit }) => ({
    audit: audit.slice(0, 1),
  })),
  {
    name: 'does not record refusals',
    caughtBy: ['refusals', 'audit', 'etags', 'watch', 'histories'],
    plant: (sound) =>
      new Meddler(sound, (decision) =>
        decision.kind === 'refusal' ? { ...decision, audit: null } : decision,
      ),
  },
  {
    name: 'writes the records before it has the slots',
    caughtBy: ['transact', 'claims'],
    plant: (sound) => Object.assign(new Facade(sound), { transact: tornTransact(sound) }),
  },
  {
    name: 'decides on what was there a moment ago',
    caughtBy: ['concurrency', 'claims', 'etags'],
    plant: (sound) => Object.assign(new Facade(sound), { transact: staleTransact(sound) }),
  },
  {
    name: 'gives a record the etag it had before',
    caughtBy: ['etags', 'histories'],
    plant: (sound) => Object.assign(new Facade(sound), { transact: sameEtagTransact(sound) }),
  },
  verbs('gives a record a new etag with a refusal', ['etags', 'refusals', 'histories'], (sound) => ({
    transact: async (keys, decide) => {
      const outcome = await sound.transact(keys, decide)
      const record = keys[0] === undefined ? null : await sound.get(keys[0])
      if (!outcome.ok && record !== null) record.etag += '!'
      return outcome
    },
  })),
  verbs('swallows what a decision throws', ['transact'], (sound) => ({
    transact: (keys, decide) =>
      sound.transact(keys, decide).catch(() => ({ ok: false, refusal: NOTHING }) as Outcome<never>),
  })),
  verbs('lets time go back with the clock', ['transact', 'histories'], (sound, { clock }) => ({
    transact: (keys, decide) => sound.transact(keys, (given) => decide(withTime(given, clock.now()))),
  })),
  writes('writes only the first aggregate of a batch', ['batch', 'histories'], ({ puts }) => ({
    puts: puts.filter((put) => aggregateOf(put) === aggregateOf(puts[0])),
  })),
]

const NOTHING = { code: 'NOT_FOUND', message: '', next: '', details: {} } as const

function aggregateOf(record: LedgerRecord | undefined): string {
  if (record === undefined) return ''
  return `${record.tenant_id} ${'job_id' in record ? record.job_id : idOf(record)}`
}

function withTime(given: Given, now: number): Given {
  return {
    now,
    ids: given.ids,
    get: (kind, tenant_id, id) => given.get(kind, tenant_id, id),
    ownerOf: (claim) => given.ownerOf(claim),
    isFull: (slot) => given.isFull(slot),
  }
}

/** Two writes where there should be one: the second may be refused when the first is done. */
function tornTransact(sound: Store): Store['transact'] {
  return async (keys, decide) => {
    let accepted: Accepted<unknown> | null = null
    await sound.transact(keys, (given) => {
      const decision = decide(given)
      if (decision.kind !== 'change') return decision
      accepted = decision
      return change(null, { puts: decision.change.puts, audit: decision.change.audit })
    })
    if (accepted === null) return sound.transact(keys, decide)
    const { answer, change: whole } = accepted as Accepted<never>
    return sound.transact(keys, (given) =>
      whole.slots.some((slot) => given.isFull(slot))
        ? refuse({ ...NOTHING, code: 'CONCURRENCY_LIMIT' })
        : change(answer, { ...whole, puts: [], audit: [] }),
    )
  }
}

/** Reads, decides, waits, writes: without looking whether anything has changed in between. */
function staleTransact(sound: Store): Store['transact'] {
  return async <A>(keys: Parameters<Store['transact']>[0], decide: (given: Given) => Decision<A>) => {
    let decided: Decision<A> | null = null
    await sound.transact(keys, (given) => {
      decided = decide(given)
      return refuse(NOTHING)
    })
    await new Promise((resolve) => setImmediate(resolve))
    const old = decided as Decision<A> | null
    return sound.transact(keys, (given) =>
      old?.kind !== 'change' || old.change.slots.some((slot) => given.isFull(slot)) ? decide(given) : old,
    )
  }
}

function sameEtagTransact(sound: Store): Store['transact'] {
  const first = new Map<string, string>()
  return async (keys, decide) => {
    let puts: readonly LedgerRecord[] = []
    const outcome = await sound.transact(keys, (given) => {
      const decision = decide(given)
      puts = decision.kind === 'change' ? decision.change.puts : []
      return decision
    })
    for (const put of puts) {
      const name = `${put.kind} ${put.tenant_id} ${idOf(put)}`
      first.set(name, first.get(name) ?? put.etag)
      put.etag = first.get(name) ?? put.etag
    }
    return outcome
  }
}
