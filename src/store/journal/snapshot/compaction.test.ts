import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { idOf, isOpenRow, type LedgerRecord } from '../../../core/aggregate.ts'
import type { JobRecord } from '../../../core/job/record.ts'
import { toIso } from '../../../core/time.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { changedAt } from '../../query.ts'
import { joinKey, splitKey } from './key-text.ts'
import {
  GivenRecords,
  sampleDocument,
  sampleFacts,
  sampleJob,
  sampleOutbox,
  sampleRun,
  sampleStep,
  sampleWorkstream,
} from './sample-records.ts'
import { Snapshot } from './snapshot.ts'
import { RECORD_TABLES, TABLE_OF } from './tables.ts'
import { writeSnapshot } from './write-snapshot.ts'

let disk: MemoryDisk

beforeEach(async () => {
  disk = new MemoryDisk()
  await disk.makeFolder('/ledger')
})

interface Text {
  readonly [table: string]: { readonly [key: string]: unknown }
}

/** What `zcat | jq` sees: nothing of ours is used to read it. */
async function zcat(
  path: string,
): Promise<Text & { readonly by_changed: { readonly [table: string]: unknown[] } }> {
  const file = await disk.openToRead(path)
  return JSON.parse(gunzipSync((await file?.read(0, 1e9)) as Uint8Array).toString('utf8'))
}

async function open(path: string): Promise<Snapshot> {
  return (await Snapshot.open(disk, path)) as Snapshot
}

/** Something to do, of one sort or another. */
function workAt(at: number): Partial<JobRecord> {
  if (at % 3 === 0) return { due_at: toIso(at) }
  if (at % 3 === 1) return { waits_for: [`topic ${at}`, 'all'] }
  return { ready: { queue: 'q', group: `${at % 4}`, rank: at, limits: [{ key: 'gpu', max: at }] } }
}

/** One record of the model: few ids, so that they meet again. */
const change = fc
  .record({
    kind: fc.constantFrom('document', 'document', 'job', 'step', 'outbox', 'run', 'workstream'),
    tenant_id: fc.constantFrom('default', 'default', 'acme', 'ta\tb'),
    id: fc.nat(40).map((n) => `id ${n}`),
    at: fc.nat(20),
    isOpen: fc.boolean(),
    /** Makes a block of a few of them. */
    pad: fc.constantFrom(0, 0, 20_000),
  })
  .map(({ kind, tenant_id, id, at, isOpen, pad }) => {
    const updated_at = `2025-01-01T00:00:00.0${String(at).padStart(2, '0')}Z`
    const metadata = { pad: 'x'.repeat(pad) }
    const records: { readonly [kind: string]: () => LedgerRecord } = {
      document: () => sampleDocument({ tenant_id, doc_id: id, updated_at: at / 1000, metadata }),
      job: () =>
        sampleJob({ tenant_id, job_id: id, updated_at, payload: metadata, ...(isOpen && workAt(at)) }),
      step: () => sampleStep({ tenant_id, job_id: id, updated_at, output: metadata }),
      outbox: () =>
        sampleOutbox({
          tenant_id,
          outbox_id: id,
          job_id: `id ${at}`,
          updated_at,
          payload: metadata,
          state: isOpen ? 'PENDING' : 'SENT',
        }),
      run: () => sampleRun({ tenant_id, run_id: id, updated_at, metadata }),
      workstream: () => sampleWorkstream({ tenant_id, workstream_id: id, updated_at, metadata }),
    }
    return (records[kind] as () => LedgerRecord)()
  })

const nameOf = (record: LedgerRecord) => `${record.kind} ${joinKey(record.tenant_id, idOf(record))}`

function compare(a: LedgerRecord, b: LedgerRecord): number {
  if (a.tenant_id !== b.tenant_id) return a.tenant_id < b.tenant_id ? -1 : 1
  return idOf(a) < idOf(b) ? -1 : 1
}

describe('a snapshot made from the one before', () => {
  it('is the same as one made from scratch, over several generations', async () => {
    const generations = fc.array(fc.array(change, { maxLength: 60, size: 'max' }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(generations, async (changes) => {
        const model = new Map<string, LedgerRecord>()
        let base: Snapshot | null = null
        for (const [i, list] of changes.entries()) {
          const changed = new Map(list.map((record) => [nameOf(record), record]))
          for (const [name, record] of changed) model.set(name, record)
          const { tables, work } = new GivenRecords().put(...model.values())
          const records = new GivenRecords().put(...changed.values()).tables
          const facts = sampleFacts({ document_count: tables.states.length })
          const path = `/ledger/${i}`
          await writeSnapshot({ disk, path, base, facts, records, work })
          base = await open(path)
          await expectSame(base, path, model)
          expect((await zcat(path)).work).toEqual(work)
        }
      }),
      { numRuns: 20 },
    )
  }, 60_000)

  async function expectSame(snapshot: Snapshot, path: string, model: ReadonlyMap<string, LedgerRecord>) {
    expect(await snapshot.verify()).toEqual([])
    const text = await zcat(path)
    const all = [...model.values()].sort(compare)
    for (const table of RECORD_TABLES) {
      const records = all.filter(({ kind }) => TABLE_OF[kind] === table)
      // By hand: an object would put keys that look like numbers first.
      expect(Object.keys(text[table] as object)).toEqual(
        records.map((record) => joinKey(record.tenant_id, idOf(record))),
      )
      const listed = text.by_changed[table] as [number, string, string][]
      expect(listed.map(([at, key]) => ({ at, ...splitKey(key) }))).toEqual(
        records
          .sort((a, b) => changedAt(a) - changedAt(b) || compare(a, b))
          .map((record) => ({ at: changedAt(record), tenant_id: record.tenant_id, id: idOf(record) })),
      )
    }
    for (const record of all) {
      const [table, tenant_id, id] = [TABLE_OF[record.kind], record.tenant_id, idOf(record)]
      expect(await snapshot.get(table, tenant_id, id)).toEqual(record)
      expect(snapshot.surelyAbsent(table, tenant_id, id)).toBe(false)
      if (record.kind !== 'job') continue
      const parts = all.filter((one) => 'job_id' in one && one.tenant_id === tenant_id && one.job_id === id)
      expect(await snapshot.job(tenant_id, id)).toEqual({
        job: record,
        steps: parts.filter(({ kind }) => kind === 'step'),
        outbox: parts.filter((part) => part.kind === 'outbox' && isOpenRow(part)),
      })
    }
  }

  it('is copied, where nothing changed, even if nothing of it could be read', async () => {
    const given = new GivenRecords()
    for (let i = 0; i < 3000; i++) given.put(sampleDocument({ doc_id: `doc ${10_000 + i}`, updated_at: i }))
    await writeSnapshot({
      disk,
      path: '/ledger/1',
      base: null,
      facts: sampleFacts({ document_count: 3000 }),
      records: given.tables,
    })
    const base = await open('/ledger/1')
    const blocks = base.run('states', 'records').pages[0]
    const file = await disk.open('/ledger/1')
    await file.write(blocks?.from as number, new Uint8Array(20))
    const facts = sampleFacts({ document_count: 3001 })
    const records = new GivenRecords().put(sampleDocument({ doc_id: 'doc 2', updated_at: 9999 })).tables
    // It is found out when the copy is read back, and then the copy does not get its name.
    await expect(writeSnapshot({ disk, path: '/ledger/2', base, facts, records })).rejects.toThrow(
      '/ledger/2.tmp',
    )
    expect(await disk.list('/ledger')).toEqual(['1'])
  })
})
