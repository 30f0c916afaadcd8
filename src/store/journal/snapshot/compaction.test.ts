import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { idOf, type LedgerRecord } from '../../../core/aggregate.ts'
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

async function write(path: string, records: GivenRecords['tables'], base: Snapshot | null = null) {
  const count =
    base === null ? 0 : base.run('states', 'settled').pages.reduce((sum, page) => sum + page.records, 0)
  const facts = sampleFacts({ document_count: records.states.length + count })
  await writeSnapshot({ disk, path, base, facts, records })
  return await open(path)
}

async function open(path: string): Promise<Snapshot> {
  return (await Snapshot.open(disk, path)) as Snapshot
}

/** One record of the model: few ids, so that they meet again. */
const change = fc
  .record({
    kind: fc.constantFrom('document', 'document', 'job', 'step', 'outbox', 'run', 'workstream'),
    tenant_id: fc.constantFrom('default', 'default', 'acme', 'ta\tb'),
    id: fc.nat(40).map((n) => `id ${n}`),
    at: fc.nat(20),
    open: fc.boolean(),
    /** Makes a block of a few of them. */
    pad: fc.constantFrom(0, 0, 20_000),
  })
  .map(({ kind, tenant_id, id, at, open, pad }) => {
    const updated_at = `2025-01-01T00:00:00.0${String(at).padStart(2, '0')}Z`
    const metadata = { pad: 'x'.repeat(pad) }
    const records: { readonly [kind: string]: () => LedgerRecord } = {
      document: () => sampleDocument({ tenant_id, doc_id: id, updated_at: at / 1000, metadata }),
      job: () => sampleJob({ tenant_id, job_id: id, updated_at, payload: metadata }),
      step: () => sampleStep({ tenant_id, job_id: id, updated_at, output: metadata }),
      outbox: () => sampleOutbox({ tenant_id, outbox_id: id, updated_at, payload: metadata }),
      run: () => sampleRun({ tenant_id, run_id: id, updated_at, metadata }),
      workstream: () => sampleWorkstream({ tenant_id, workstream_id: id, updated_at, metadata }),
    }
    return { record: (records[kind] as () => LedgerRecord)(), open }
  })

interface Held {
  readonly record: LedgerRecord
  readonly open: boolean
}

const nameOf = ({ kind, ...record }: LedgerRecord) =>
  `${kind} ${joinKey(record.tenant_id, idOf({ kind, ...record } as LedgerRecord))}`

/** The text that a snapshot of the model should have, less what helps to find things in it. */
function expectedText(model: ReadonlyMap<string, Held>): { readonly [table: string]: string[] } {
  const sorted = [...model.values()].sort(
    (a, b) => comparable(a) - comparable(b) || compare(a.record, b.record),
  )
  return Object.fromEntries(
    RECORD_TABLES.map((table) => [
      table,
      sorted
        .filter(({ record }) => TABLE_OF[record.kind] === table)
        .map(({ record }) => joinKey(record.tenant_id, idOf(record))),
    ]),
  )
}

const comparable = ({ open: isOpen }: Held) => (isOpen ? 0 : 1)

function compare(a: LedgerRecord, b: LedgerRecord): number {
  const keys = [
    [a.tenant_id, idOf(a)],
    [b.tenant_id, idOf(b)],
  ] as const
  if (keys[0][0] !== keys[1][0]) return keys[0][0] < keys[1][0] ? -1 : 1
  return keys[0][1] < keys[1][1] ? -1 : 1
}

describe('a snapshot made from the one before', () => {
  it('is the same as one made from scratch, over several generations', async () => {
    const generations = fc.array(fc.array(change, { maxLength: 60, size: 'max' }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(generations, async (changes) => {
        const model = new Map<string, Held>()
        let base: Snapshot | null = null
        for (const [i, list] of changes.entries()) {
          const changed = new Set(list.map((held) => nameOf(held.record)))
          for (const held of list) model.set(nameOf(held.record), held)
          const given = new GivenRecords()
          for (const [name, held] of model)
            if (held.open || changed.has(name)) given.put(held.open, held.record)
          const path = `/ledger/${i}`
          const documents = [...model.values()].filter(({ record }) => record.kind === 'document').length
          const facts = sampleFacts({ document_count: documents })
          await writeSnapshot({ disk, path, base, facts, records: given.tables })
          base = await open(path)
          await expectSame(base, path, model)
        }
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  async function expectSame(snapshot: Snapshot, path: string, model: ReadonlyMap<string, Held>) {
    expect(await snapshot.verify()).toEqual([])
    const text = await zcat(path)
    for (const [table, keys] of Object.entries(expectedText(model))) {
      // By hand: an object would put keys that look like numbers first.
      expect(Object.keys(text[table] as object)).toEqual(keys)
    }
    for (const { record, open: isOpen } of model.values()) {
      const [table, id] = [TABLE_OF[record.kind], idOf(record)]
      expect(await snapshot.get(table, record.tenant_id, id)).toEqual(isOpen ? null : record)
      if (!isOpen) expect(snapshot.surelyAbsent(table, record.tenant_id, id)).toBe(false)
    }
    for (const table of RECORD_TABLES) {
      const settled = [...model.values()].filter((held) => TABLE_OF[held.record.kind] === table && !held.open)
      const listed = (text.by_changed[table] as [number, string, string][]).map(([at, key]) => ({
        at,
        ...splitKey(key),
      }))
      expect(listed).toEqual(
        settled
          .map(({ record }) => ({
            at: changedAt(record),
            tenant_id: record.tenant_id,
            id: idOf(record),
            record,
          }))
          .sort((a, b) => a.at - b.at || compare(a.record, b.record))
          .map(({ at, tenant_id, id }) => ({ at, tenant_id, id })),
      )
    }
  }

  it('has open records again that were settled, and settled ones that were open', async () => {
    const first = new GivenRecords()
      .put(false, sampleDocument({ doc_id: 'a' }), sampleDocument({ doc_id: 'b' }))
      .put(true, sampleDocument({ doc_id: 'c' }))
    const base = await write('/ledger/1', first.tables)
    const second = new GivenRecords()
      .put(true, sampleDocument({ doc_id: 'a', etag: '18' }))
      .put(false, sampleDocument({ doc_id: 'c', etag: '19' }))
    const facts = sampleFacts({ document_count: 3 })
    await writeSnapshot({ disk, path: '/ledger/2', base, facts, records: second.tables })
    const snapshot = await open('/ledger/2')
    expect(Object.keys((await zcat('/ledger/2')).states as object)).toEqual(['a', 'b', 'c'])
    expect(await snapshot.get('states', 'default', 'a')).toBeNull()
    expect(await snapshot.get('states', 'default', 'c')).toMatchObject({ etag: '19' })
    expect(await snapshot.verify()).toEqual([])
  })

  it('is copied, where nothing changed, even if nothing of it could be read', async () => {
    const given = new GivenRecords()
    for (let i = 0; i < 3000; i++)
      given.put(false, sampleDocument({ doc_id: `doc ${10_000 + i}`, updated_at: i }))
    const base = await write('/ledger/1', given.tables)
    const blocks = base.run('states', 'settled').pages[0]
    const file = await disk.open('/ledger/1')
    await file.write(blocks?.from as number, new Uint8Array(20))
    const facts = sampleFacts({ document_count: 3001 })
    const records = new GivenRecords().put(
      false,
      sampleDocument({ doc_id: 'doc 2', updated_at: 9999 }),
    ).tables
    // It is found out when the copy is read back, and then the copy does not get its name.
    await expect(writeSnapshot({ disk, path: '/ledger/2', base, facts, records })).rejects.toThrow(
      '/ledger/2.tmp',
    )
    expect(await disk.list('/ledger')).toEqual(['1'])
  })
})
