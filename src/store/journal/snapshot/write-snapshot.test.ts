import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../core/json.ts'
import { toIso } from '../../../core/time.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import type { Progress } from './progress.ts'
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
import { type Found, TABLES, type TableName } from './tables.ts'
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

async function write(path: string, { tables: records, work }: GivenRecords) {
  const facts = sampleFacts({ document_count: records.states.length })
  await writeSnapshot({ disk, path, base: null, facts, records, work })
  return await open(path)
}

async function open(path: string): Promise<Snapshot> {
  return (await Snapshot.open(disk, path)) as Snapshot
}

async function everything(
  snapshot: Snapshot,
  given: GivenRecords['tables'],
): Promise<GivenRecords['tables']> {
  const found = new GivenRecords().tables
  for (const table of TABLES) {
    const list = found[table] as Found<TableName>[]
    for (const { tenant_id, id } of given[table]) {
      const value = await snapshot.get(table, tenant_id, id)
      if (value !== null) list.push({ tenant_id, id, value })
    }
  }
  return found
}

function inOrder(tables: GivenRecords['tables']): { readonly [table: string]: string[] } {
  return Object.fromEntries(
    TABLES.map((table) => [table, tables[table].map((one) => JSON.stringify(one)).sort()]),
  )
}

describe('a snapshot', () => {
  it('gives back every kind of record', async () => {
    const given = new GivenRecords()
    for (const name of ['a', 'b']) {
      given
        .put(sampleDocument({ doc_id: name, retry_count: 2, error_type: 'Timeout', error_message: 'late' }))
        .put(sampleDocument({ doc_id: name, tenant_id: 'acme', max_retries: 9, metadata: { a: { b: [1] } } }))
        .put(sampleJob({ job_id: name }), sampleStep({ job_id: name }), sampleOutbox({ outbox_id: name }))
        .put(sampleRun({ run_id: name }), sampleWorkstream({ workstream_id: name }))
    }
    given.claim('acme', 'key', 'job-1').claim('default', 'key', 'job-2').refusals('default', 'job/1', 7)
    const snapshot = await write('/ledger/s', given)
    expect(inOrder(await everything(snapshot, given.tables))).toEqual(inOrder(given.tables))
    expect(await snapshot.verify()).toEqual([])
  })

  it('is one JSON object that anybody can read, in the documented order', async () => {
    const given = new GivenRecords()
      .put(sampleDocument({ doc_id: 'b' }), sampleDocument({ doc_id: 'a', tenant_id: 'acme' }))
      .put(sampleDocument({ doc_id: 'z', updated_at: 1, etag: '3' }), sampleJob({ due_at: toIso(5) }))
      .claim('default', 'key', 'job-1')
    await write('/ledger/s', given)
    const text = await zcat('/ledger/s')
    expect(Object.keys(text)).toEqual([
      'version',
      'created_at',
      'seq',
      'document_count',
      ...TABLES,
      'work',
      'by_changed',
      'pages',
      'index',
      'trailer',
    ])
    expect(text).toMatchObject({
      version: '1.0',
      created_at: '2025-01-02T03:04:05.678Z',
      seq: 41,
      document_count: 3,
    })
    expect(Object.entries(text.states as JsonObject)).toEqual([
      [
        'acme\ta',
        {
          state: 'completed',
          updated_at: 1735787045.678,
          adapter: 'pubmed',
          metadata: {},
          etag: '17',
          tenant_id: 'acme',
        },
      ],
      ['b', { state: 'completed', updated_at: 1735787045.678, adapter: 'pubmed', metadata: {}, etag: '17' }],
      ['z', { state: 'completed', updated_at: 1, adapter: 'pubmed', metadata: {}, etag: '3' }],
    ])
    expect(text.jobs).toEqual({ 'job-1': sampleJob({ due_at: toIso(5) }) })
    expect(text.work).toEqual({ due: [[5, 'default', 'job-1']], ready: [], waiting: [], rows: [], slots: [] })
    expect(text.claims).toEqual({ key: 'job-1' })
    expect(text.by_changed.states).toEqual([
      [1000, 'z', 'completed'],
      [1735787045678, 'acme\ta', 'completed'],
      [1735787045678, 'b', 'completed'],
    ])
    expect(text.index).toMatchObject({
      seq: 41,
      document_count: 3,
      audit_records: 41,
      counts: {},
      signals: [],
    })
  })

  it('keeps what its writer wants to find again', async () => {
    const facts = sampleFacts({ counts: { default: { job: { QUEUED: 3 } } }, durations: [1, 2] })
    await writeSnapshot({ disk, path: '/ledger/s', base: null, facts, records: {} })
    expect((await open('/ledger/s')).head).toEqual({ version: '1.0', ...facts })
  })

  it('can be empty', async () => {
    const snapshot = await write('/ledger/s', new GivenRecords())
    expect(await zcat('/ledger/s')).toMatchObject({ states: {}, refusals: {}, pages: [] })
    expect(await snapshot.get('states', 'default', 'a')).toBeNull()
    expect(snapshot.surelyAbsent('states', 'default', 'a')).toBe(true)
    expect(await snapshot.verify()).toEqual([])
  })

  it('keeps apart ids that look alike, whatever is in them', async () => {
    const odd = [
      '',
      'a',
      'A',
      'a\tb',
      'a\\tb',
      'a\\',
      '"',
      '"a":',
      '\n',
      ',\n',
      '\u0000',
      '__proto__',
      'constructor',
    ]
    odd.push(
      'ä',
      'a\u0308',
      '😀',
      '\ud83d',
      '\ude00',
      '\ud83d\t',
      'default',
      'default\ta',
      '{}',
      ' ',
      '0',
      '1',
    )
    const given = new GivenRecords()
    for (const tenant_id of odd) {
      for (const doc_id of odd) {
        const metadata = JSON.parse(`{"__proto__":${JSON.stringify(doc_id)}}`)
        given.put(sampleDocument({ tenant_id, doc_id, metadata }))
        given.claim(tenant_id, doc_id, `${tenant_id} of ${doc_id}`)
      }
    }
    const snapshot = await write('/ledger/s', given)
    expect(inOrder(await everything(snapshot, given.tables))).toEqual(inOrder(given.tables))
    expect(await snapshot.verify()).toEqual([])
    const text = await zcat('/ledger/s')
    expect(Object.keys(text.states as object)).toHaveLength(odd.length ** 2)
  })

  it('refuses a record that is given twice', async () => {
    const given = new GivenRecords().put(sampleDocument(), sampleDocument())
    await expect(write('/ledger/s', given)).rejects.toThrow('once')
  })

  it('does not get its name when it is not what was meant', async () => {
    const facts = sampleFacts({ document_count: 5 })
    const records = new GivenRecords().put(sampleDocument()).tables
    await expect(writeSnapshot({ disk, path: '/ledger/s', base: null, facts, records })).rejects.toThrow(
      '1 documents',
    )
    expect(await disk.list('/ledger')).toEqual([])
  })

  it('has nothing left of an attempt that a crash ended', async () => {
    for (const name of ['/ledger/s.tmp', '/ledger/s.pages.tmp']) {
      await (await disk.open(name)).write(0, new Uint8Array(100_000).fill(7))
    }
    const snapshot = await write('/ledger/s', new GivenRecords().put(sampleDocument()))
    expect(await snapshot.verify()).toEqual([])
    expect(await disk.list('/ledger')).toEqual(['s'])
  })

  it('leaves nothing behind when the disk is full', async () => {
    const given = new GivenRecords().put(sampleDocument())
    const openFile = disk.open.bind(disk)
    disk.open = async (path) => {
      const file = await openFile(path)
      file.sync = () => Promise.reject(new Error('ENOSPC'))
      return file
    }
    await expect(write('/ledger/s', given)).rejects.toThrow('ENOSPC')
    expect(await disk.list('/ledger')).toEqual([])
  })

  it('says how far it has come, up to the end', async () => {
    const records = new GivenRecords()
    for (let i = 0; i < 1000; i++) records.put(sampleDocument({ doc_id: `${i}` }))
    const seen: Progress[] = []
    const facts = sampleFacts({ document_count: 1000 })
    const onProgress = (progress: Progress) => seen.push(progress)
    await writeSnapshot({ disk, path: '/ledger/s', base: null, facts, records: records.tables, onProgress })
    expect(seen.length).toBeGreaterThan(10)
    expect(seen.map(({ done }) => done)).toEqual(seen.map(({ done }) => done).sort((a, b) => a - b))
    expect(new Set(seen.map(({ total }) => total)).size).toBe(1)
    expect(seen.at(-1)?.done).toBe(seen.at(-1)?.total)
  })
})
