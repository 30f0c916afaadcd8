// Any history, copied into another store, is the same history with the same records, work and places under limits.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { it } from 'vitest'
import type { StoreSubject } from 'waybill/testing'
import type { LedgerRecord } from '../../src/core/aggregate.ts'
import type { AuditRecord } from '../../src/core/audit.ts'
import { change } from '../../src/core/decision.ts'
import { machines, type RecordKind } from '../../src/core/machines/all.ts'
import { EVERYBODY } from '../../src/core/queue/record.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import type { Store } from '../../src/store/store.ts'
import { historyArbitrary } from '../../src/testing/conformance/history/arbitrary.ts'
import { History } from '../../src/testing/conformance/history/history.ts'
import { sortHeads } from '../../src/testing/conformance/history/reference-reads.ts'
import { auditAll, findAll } from '../../src/testing/conformance/reading.ts'
import { Scene } from '../../src/testing/conformance/scene.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import type { VirtualWorld } from '../../src/testing/virtual-world.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]
const QUEUES = ['read', 'push:send', 'push:ocr', 'push:embedding', 'push:nobody']
const LIMITS = ['in-flight', 'gpu', 'line', 'queue:read', 'queue:send', 'queue:ocr']

export interface CopyTarget {
  readonly name: string
  /** The same one again when it is called again with the same world. */
  readonly open: (world: VirtualWorld) => Promise<Store>
  /** Whether it is still there when it was closed. */
  readonly lasts: boolean
}

/** Everything that can be asked, but for etags, which every store gives out by itself. */
export async function seen(store: Store) {
  // Whoever waits in a copy is to look once more at what it waits for. All were told before, so let them be.
  await store.sweep({ what: 'signalled', limit: 1000 }, () => change(null, {}))
  const bare = ({ etag: _, ...record }: LedgerRecord) => record
  const records = []
  for (const kind of KINDS) records.push((await findAll(store, { kind, limit: 50 })).map(bare))
  const history = (await auditAll(store, { limit: 70 })).map(({ seq: _, cursor: __, ...told }) => told)
  const heads = await store.ready(QUEUES, 100, sortHeads)
  const counts = await Promise.all(KINDS.map((kind) => store.counts(kind)))
  const { audit_records } = await store.stats()
  return {
    records,
    history,
    heads,
    counts,
    audit_records,
    due: await store.nextDue(),
    durations: await store.durations({}),
    ...(await devices(store)),
  }
}

/**
 * What is told of each job and document by itself: engines find that in other ways than the whole. Those of a document have
 * what is told of its jobs between them, wherever the engine puts it that only has an order for each record.
 */
async function stories(store: Store) {
  const told = []
  for (const { tenant_id, job_id } of await findAll(store, { kind: 'job' })) {
    told.push(await auditAll(store, { tenant_id, job_id }))
  }
  for (const { tenant_id, doc_id } of await findAll(store, { kind: 'document' })) {
    told.push(await auditAll(store, { tenant_id, doc_id, direction: 'desc' }))
    told.push(await auditAll(store, { kind: 'document', id: doc_id }))
  }
  const record = ({ tenant_id, kind, id }: AuditRecord) => `${tenant_id} ${kind} ${id}`
  return told.map((records) =>
    records
      .toSorted((a, b) => (record(a) < record(b) ? -1 : record(a) > record(b) ? 1 : 0))
      .map(({ seq: _, cursor: __, ...rest }) => rest),
  )
}

async function devices(store: Store) {
  const jobs = await findAll(store, { kind: 'job' })
  const tenants = [...new Set(jobs.map(({ tenant_id }) => tenant_id))]
  const claims = await Array.fromAsync(store.claims())
  const owners = [
    ...new Set(claims.map(({ tenant_id, key, owner }) => `${tenant_id} ${key} ${owner}`)),
  ].sort()
  // It may be shown several times what there is.
  const used = await store.ready([], 1, (_, view) =>
    [EVERYBODY, ...tenants].flatMap((tenant_id) =>
      LIMITS.map((key) => [tenant_id, key, view.used(tenant_id, key)]),
    ),
  )
  return { owners, used }
}

/** A store whose nth write fails: nothing of it is there, or all of it and nobody knows. */
function failingAt(store: Store, { nth, isWritten }: { nth: number; isWritten: boolean }): Store {
  let writes = 0
  const transact: Store['transact'] = async (keys, decide) => {
    if (++writes !== nth) return store.transact(keys, decide)
    if (isWritten) await store.transact(keys, decide)
    throw new Error('cut off')
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'transact') return transact
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export interface Copies {
  readonly sources: readonly StoreSubject[]
  readonly targets: readonly CopyTarget[]
  /** How many histories are copied from each to each. */
  readonly runs: number
  /** The longest of them. */
  readonly steps?: number
}

export function registerCopies({ sources, targets, runs, steps = 60 }: Copies): void {
  const pairs = sources.flatMap((source) => targets.map((target) => ({ source, target })))
  it.each(pairs.map(({ source, target }) => ({ from: source.name, to: target.name, source, target })))(
    'a copy from $from into $to says the same, also when it was cut off and gone on with',
    async ({ source, target }) => {
      const cut = fc.record({ nth: fc.nat(12), isWritten: fc.boolean() })
      const property = fc.asyncProperty(historyArbitrary(fc, steps), cut, async (intents, cutAt) => {
        const scene = new Scene(source)
        await scene.open()
        try {
          await new History(scene).play(intents)
          await copyAndCompare(scene, target, cutAt)
        } finally {
          await scene.close()
        }
      })
      await fc.assert(property, {
        numRuns: Number(process.env.WAYBILL_RUNS ?? runs),
        ...(process.env.WAYBILL_SEED === undefined ? null : { seed: Number(process.env.WAYBILL_SEED) }),
      })
    },
  )
}

async function copyAndCompare(
  { world: sourceWorld, store: source }: Scene,
  { open, lasts }: CopyTarget,
  cutAt: { nth: number; isWritten: boolean },
): Promise<void> {
  const world = { ...sourceWorld, disk: new MemoryDisk() }
  let target = await open(world)
  try {
    await copyStore(source, failingAt(target, cutAt)).catch((error: Error) =>
      assert.equal(error.message, 'cut off'),
    )
    await copyStore(source, target)
    assert.deepEqual(await seen(target), await seen(source))
    assert.deepEqual(await stories(target), await stories(source))
    if (lasts) {
      await target.close()
      target = await open(world)
      assert.deepEqual(await seen(target), await seen(source))
    }
    assert.deepEqual(await target.check(), [])
  } finally {
    await target.close()
  }
}
