// Any history, copied into another store, is the same history with the same records, work and places under limits.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StoreSubject } from 'waybill/testing'
import type { LedgerRecord } from '../../src/core/aggregate.ts'
import { change } from '../../src/core/decision.ts'
import type { DocumentRecord } from '../../src/core/document/record.ts'
import { machines, type RecordKind } from '../../src/core/machines/all.ts'
import { present } from '../../src/core/must.ts'
import { EVERYBODY } from '../../src/core/queue/record.ts'
import { copyLedger, openLedger } from '../../src/index.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import type { Store } from '../../src/store/store.ts'
import { historyArbitrary } from '../../src/testing/conformance/history/arbitrary.ts'
import { History } from '../../src/testing/conformance/history/history.ts'
import { sortHeads } from '../../src/testing/conformance/history/reference-reads.ts'
import { auditAll, findAll } from '../../src/testing/conformance/reading.ts'
import { Scene } from '../../src/testing/conformance/scene.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { type VirtualWorld, virtualWorld } from '../../src/testing/virtual-world.ts'

const KINDS = Object.keys(machines) as readonly RecordKind[]
const QUEUES = ['read', 'push:send', 'push:ocr', 'push:embedding', 'push:nobody']
const LIMITS = ['in-flight', 'gpu', 'line', 'queue:read', 'queue:send', 'queue:ocr']

const journal = { snapshotSchedule: null } as const

const SOURCES: readonly StoreSubject[] = [
  { name: 'memory', open: async (world) => new MemoryStore(world) },
  { name: 'journal', open: (world) => openJournal('/ledger', world, journal) },
]

const TARGETS: { readonly [name: string]: (world: VirtualWorld) => Promise<Store> } = {
  memory: async (world) => new MemoryStore(world),
  journal: (world) => openJournal('/copy', world, journal),
}

/** Everything that can be asked, but for etags, which every store gives out by itself. */
async function seen(store: Store) {
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

async function devices(store: Store) {
  const jobs = await findAll(store, { kind: 'job' })
  const tenants = [...new Set(jobs.map(({ tenant_id }) => tenant_id))]
  const claims = await Array.fromAsync(store.claims())
  const owners = [
    ...new Set(claims.map(({ tenant_id, key, owner }) => `${tenant_id} ${key} ${owner}`)),
  ].sort()
  const used: unknown[] = []
  await store.ready([], 1, (_, view) => {
    for (const tenant_id of [EVERYBODY, ...tenants])
      for (const key of LIMITS) used.push([tenant_id, key, view.used(tenant_id, key)])
  })
  return { owners, used }
}

/** A store whose nth write fails. */
function failingAt(store: Store, nth: number): Store {
  let writes = 0
  const transact: Store['transact'] = (keys, decide) =>
    ++writes === nth ? Promise.reject(new Error('cut off')) : store.transact(keys, decide)
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'transact') return transact
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe.each(SOURCES)('a copy of a ledger from $name', (subject) => {
  it.each(Object.keys(TARGETS))(
    'into %s says the same, also when it was cut off and gone on with',
    async (name) => {
      const property = fc.asyncProperty(historyArbitrary(fc, 60), fc.nat(8), async (intents, cutAt) => {
        const scene = new Scene(subject)
        await scene.open()
        try {
          await new History(scene).play(intents)
          const world = { ...scene.world, disk: new MemoryDisk() }
          let target = await present(TARGETS[name], 'a target')(world)
          await copyStore(scene.store, failingAt(target, cutAt)).catch((error: Error) =>
            assert.equal(error.message, 'cut off'),
          )
          await copyStore(scene.store, target)
          assert.deepEqual(await seen(target), await seen(scene.store))
          if (name === 'journal') {
            await target.close()
            target = await openJournal('/copy', world, journal)
            assert.deepEqual(await seen(target), await seen(scene.store))
          }
          assert.deepEqual(await target.check(), [])
          await target.close()
        } finally {
          await scene.close()
        }
      })
      await fc.assert(property, {
        numRuns: Number(process.env.WAYBILL_RUNS ?? 15),
        ...(process.env.WAYBILL_SEED === undefined ? null : { seed: Number(process.env.WAYBILL_SEED) }),
      })
    },
  )
})

describe('copyLedger', () => {
  it('says how far it has come, and what it copied', async () => {
    const world = virtualWorld()
    {
      await using ledger = await openLedger('./from', { world })
      await ledger.documents.updateMany(
        Array.from({ length: 2500 }, (_, i) => ({ doc_id: `d${i}`, state: 'fetching' as const })),
      )
    }
    const heard: string[] = []
    const onProgress = ({ what, done, total }: { what: string; done: number; total: number }) =>
      void heard.push(`${what} ${done}/${total}`)
    expect(await copyLedger('./from', './to', { world, onProgress })).toMatchObject({
      copied_audit_records: 2500,
      audit_records: 2500,
      records: { document: 2500 },
    })
    expect(heard).toContain('history 2500/2500')
    expect(heard).toContain('documents 2500/2500')
    // Again, and nothing is left to do.
    expect(await copyLedger('./from', './to', { world })).toMatchObject({ copied_audit_records: 0 })
    {
      await using ledger = await openLedger('./from', { world })
      await ledger.documents.updateState('d0', 'fetched')
    }
    expect(await copyLedger('./from', './to', { world })).toMatchObject({ copied_audit_records: 1 })
  })

  it('mixes nothing up', async () => {
    const world = virtualWorld()
    for (const name of ['one', 'two']) {
      await using ledger = await openLedger(`./${name}`, { world })
      await ledger.documents.updateState(name, 'fetching')
    }
    await expect(copyLedger('./one', './two', { world })).rejects.toMatchObject({
      code: 'NOT_EMPTY',
      exitCode: 4,
    })
    await expect(copyLedger('./one', './one', { world })).rejects.toMatchObject({ field: 'to' })
    await expect(copyLedger('./none', './two', { world })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    await using _ = await openLedger('./one', { world })
    await expect(copyLedger('./one', './three', { world })).rejects.toMatchObject({ code: 'LEDGER_LOCKED' })
    await using two = await openLedger('./two', { world })
    expect((await two.stats()).audit_records).toBe(1)
  })
})

describe('a ledger whose history was removed in part', () => {
  // Found with a million documents: what the history does not tell was put into the copy without looking at what was
  // there. Where that was in a snapshot already and no longer in memory, it was counted a second time.
  it('is copied as it is, also when most of the copy is out of memory by then', async () => {
    const world = virtualWorld()
    const brief = { ...journal, keepSnapshots: 1, keepHistoryMs: 0 }
    const ids = Array.from({ length: 2500 }, (_, n) => `d${n}`)
    {
      await using ledger = await openLedger('/from', { world, journal: brief })
      for (const [state, metadata] of [
        ['fetching', { first: 1 }],
        ['failed', { second: 2 }],
      ] as const) {
        await world.advanceBy(1000)
        await ledger.documents.updateMany(ids.map((doc_id) => ({ doc_id, state, metadata })))
        await ledger.compact()
      }
      await ledger.documents.updateState('last', 'fetching')
      await ledger.compact()
      expect((await ledger.stats()).audit_records).toBe(5001)
    }
    const source = await openJournal('/from', world, brief)
    const target = await openJournal('/copy', world, { ...journal, snapshotAfterBytes: 1 })
    await copyStore(source, target)
    const { audit_records: _, ...copied } = await seen(target)
    const { audit_records: __, ...were } = await seen(source)
    assert.deepEqual(copied, were)
    expect((await target.stats()).records.document).toBe(2501)
    expect(await target.get({ kind: 'document', tenant_id: 'default', id: 'd7' })).toMatchObject({
      metadata: { first: 1, second: 2 },
    })
    await source.close()
    await target.close()
  })
})

describe('a ledger that took over an old log', () => {
  it('is copied as it is, and what its history keeps of the log is not laid over the documents', async () => {
    const world = virtualWorld()
    const log = await world.disk.open('/old.jsonl')
    const lines = Array.from({ length: 3000 }, (_, n) =>
      JSON.stringify({ doc_id: `d${n}`, state: n % 2 ? 'auto_done' : 'mine', timestamp: n, metadata: { n } }),
    )
    await log.write(0, Buffer.from(`${lines.join('\n')}\n`))
    await log.close()
    {
      await using ledger = await openLedger('/from', { world, journal })
      await ledger.migrate('/old.jsonl')
    }
    const source = await openJournal('/from', world, journal)
    const target = await openJournal('/copy', world, { ...journal, snapshotAfterBytes: 1 })
    await copyStore(source, target)
    for (const document of await findAll(source, { kind: 'document', limit: 1000 })) {
      // What it keeps for one is not laid over the other.
      expect(Object.keys(document.metadata)).toEqual(['n'])
    }
    assert.deepEqual(await seen(target), await seen(source))
    expect((await target.stats()).records.document).toBe(3000)
    expect(await target.check()).toEqual([])
    // The document that asOf tells is the document that was.
    const [some] = (await source.find({ kind: 'document', limit: 1 })).items
    await source.close()
    await target.close()
    await using ledger = await openLedger('/copy', { world, journal })
    const { etag: _, kind: __, ...told } = some as DocumentRecord
    expect(await ledger.documents.asOf('d0', world.clock.now())).toEqual({ ...told, complete: true })
  })
})
