import { beforeEach, describe, expect, it } from 'vitest'
import { LedgerDamaged, UnknownFormat } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import {
  GivenRecords,
  sampleDocument,
  sampleFacts,
  sampleJob,
  sampleOutbox,
  sampleStep,
} from './sample-records.ts'
import { Snapshot } from './snapshot.ts'
import { SNAPSHOT_DRESS } from './snapshot-index.ts'
import { writeSnapshot } from './write-snapshot.ts'

let disk: MemoryDisk

beforeEach(() => {
  disk = new MemoryDisk()
})

async function snapshotOf(given: GivenRecords, document_count: number): Promise<Snapshot> {
  const facts = sampleFacts({ document_count })
  await writeSnapshot({ disk, path: '/s', base: null, facts, records: given.tables, work: given.work })
  return (await Snapshot.open(disk, '/s')) as Snapshot
}

const COUNT = 20_000

async function manyDocuments(): Promise<Snapshot> {
  const given = new GivenRecords()
  for (let i = 0; i < COUNT; i++) given.put(sampleDocument({ doc_id: `doc:${i}` }))
  return await snapshotOf(given, COUNT)
}

/** A file that is as good as any, with an index of our choosing. */
async function fileWithIndex(text: string): Promise<void> {
  const file = await disk.open('/s')
  const writer = new BlockFileWriter(file, SNAPSHOT_DRESS)
  await writer.finish(await writer.text(text))
}

/** Of a file in which there is nothing to do. */
const WORK = {
  at: 0,
  bytes: 0,
  crc: 0,
  lists: { due: [], ready: [], waiting: [], rows: [], slots: [] },
  groups: [],
  limits: [],
}

describe('opening', () => {
  it('gives null when there is no such file', async () => {
    expect(await Snapshot.open(disk, '/none')).toBeNull()
  })

  it('reads the same little, however many records there are', async () => {
    const reads: number[] = []
    await manyDocuments()
    const openToRead = disk.openToRead.bind(disk)
    disk.openToRead = async (path) => {
      const file = await openToRead(path)
      const read = file?.read.bind(file)
      if (file && read) {
        file.read = (position, length) => {
          reads.push(length)
          return read(position, length)
        }
      }
      return file
    }
    const snapshot = await Snapshot.open(disk, '/s')
    expect(reads).toHaveLength(3)
    expect(reads.reduce((sum, length) => sum + length)).toBeLessThan(2000)
    expect(snapshot?.blocksRead).toBe(0)
    await snapshot?.close()
  })

  it('refuses a format it does not know, and takes later ones of the same kind', async () => {
    await fileWithIndex('{"version":"2.0","sections":{}}')
    await expect(Snapshot.open(disk, '/s')).rejects.toThrow(UnknownFormat)
    await fileWithIndex('{"sections":{}}')
    await expect(Snapshot.open(disk, '/s')).rejects.toThrow(UnknownFormat)
    await fileWithIndex(JSON.stringify({ version: '1.7', seq: 3, sections: {}, work: WORK }))
    expect((await Snapshot.open(disk, '/s'))?.head.seq).toBe(3)
  })

  it.each([
    '',
    'null',
    '[',
    '{"version":"1.0"}',
    '{"version":"1.0","sections":{}}',
    '{"version":"1.0","work":{}}',
  ])('calls an index that is %j damaged', async (text) => {
    await fileWithIndex(text)
    const opened = Snapshot.open(disk, '/s')
    await expect(opened).rejects.toThrow(
      text === 'null' || text === '' || text === '[' ? 'not one' : 'no sections',
    )
    await expect(opened).rejects.toThrow(LedgerDamaged)
  })
})

describe('getting one record', () => {
  it('costs one block, and none when it was just there', async () => {
    const snapshot = await manyDocuments()
    for (const n of [0, 7, 12_345, COUNT - 1]) {
      const before = snapshot.blocksRead
      expect(await snapshot.get('states', 'default', `doc:${n}`)).toEqual(
        sampleDocument({ doc_id: `doc:${n}` }),
      )
      expect(snapshot.blocksRead - before).toBe(1)
      await snapshot.get('states', 'default', `doc:${n}`)
      expect(snapshot.blocksRead - before).toBe(1)
    }
  })

  it('costs nothing, nearly always, when there is no such record', async () => {
    const snapshot = await manyDocuments()
    const absent = Array.from({ length: 2000 }, (_, i) => `doc:${i * 9}x`)
    for (const id of absent) expect(await snapshot.get('states', 'default', id)).toBeNull()
    expect(snapshot.blocksRead).toBeLessThan(absent.length * 0.02)
    const sure = absent.filter((id) => snapshot.surelyAbsent('states', 'default', id) === true)
    expect(sure.length).toBeGreaterThan(absent.length * 0.98)
  })

  it('is not known to be absent before the page was read', async () => {
    const snapshot = await manyDocuments()
    expect(snapshot.surelyAbsent('states', 'default', 'doc:5x')).toBeUndefined()
    expect(snapshot.surelyAbsent('states', 'acme', 'doc:5')).toBe(true)
    expect(snapshot.surelyAbsent('claims', 'default', 'doc:5')).toBe(true)
    await snapshot.get('states', 'default', 'anything between')
    expect(snapshot.surelyAbsent('states', 'default', 'doc:5')).toBeUndefined()
    await snapshot.get('states', 'default', 'doc:7')
    expect(snapshot.surelyAbsent('states', 'default', 'doc:5')).toBe(false)
  })

  it('reads a block once for all who want something from it', async () => {
    const snapshot = await manyDocuments()
    await Promise.all(Array.from({ length: 10 }, () => snapshot.get('states', 'default', 'doc:77')))
    expect(snapshot.blocksRead).toBe(1)
  })

  it('names file and byte when the block is damaged', async () => {
    const snapshot = await manyDocuments()
    const [page] = snapshot.run('states', 'records').pages
    await (await disk.open('/s')).write((page?.from ?? 0) + 30, new Uint8Array(40))
    const got = snapshot.get('states', 'default', 'doc:0')
    await expect(got).rejects.toThrow(LedgerDamaged)
    await expect(got).rejects.toMatchObject({ place: { file: '/s', byte: page?.from } })
    expect(await snapshot.get('states', 'default', 'doc:999')).not.toBeNull()
  })
})

describe('a job', () => {
  it('has its steps in their order, without those of jobs with similar names', async () => {
    const given = new GivenRecords()
    for (const job_id of ['a', 'a/b', 'a0', 'a!', 'b', '']) {
      given.put(sampleJob({ job_id }), sampleJob({ tenant_id: 'acme', job_id }))
      for (let i = 0; i < 12; i++) {
        given.put(sampleStep({ job_id, step_id: `${i}\t`, step_index: i }))
        given.put(sampleStep({ tenant_id: 'acme', job_id, step_id: `${i}`, step_index: 11 - i }))
      }
    }
    const snapshot = await snapshotOf(given, 0)
    const steps = (await snapshot.job('default', 'a'))?.steps
    expect(steps?.map(({ step_id, job_id }) => [job_id, step_id])).toEqual(
      Array.from({ length: 12 }, (_, i) => ['a', `${i}\t`]),
    )
    const others = (await snapshot.job('acme', 'a/b'))?.steps
    expect(others?.map(({ step_index }) => step_index)).toEqual(Array.from({ length: 12 }, (_, i) => i))
    expect(await snapshot.job('acme', 'none')).toBeNull()
  })

  it.each([
    ['across blocks', (i: number) => `${i}`],
    ['whatever their names are', (i: number) => (i % 3 === 0 ? `${i}` : `${i}\t`)],
  ])('has steps that are found %s', async (_, step_id) => {
    const given = new GivenRecords().put(sampleJob({ job_id: 'job' }))
    for (let i = 0; i < 1000; i++)
      given.put(sampleStep({ job_id: 'job', step_id: step_id(i), step_index: i }))
    const snapshot = await snapshotOf(given, 0)
    const steps = (await snapshot.job('default', 'job'))?.steps
    expect(steps?.map(({ step_index }) => step_index)).toEqual(Array.from({ length: 1000 }, (_, i) => i))
  })

  it('has its outbox rows that are open, and those of no other job', async () => {
    const row = (tenant_id: string, job_id: string, n: number, state: 'PENDING' | 'SENT') =>
      sampleOutbox({ tenant_id, job_id, outbox_id: `${tenant_id} ${job_id} ${n}`, state })
    const rows = ['acme', 'default'].flatMap((tenant) =>
      ['a', 'a0', 'b'].flatMap((job) => [row(tenant, job, 1, 'PENDING'), row(tenant, job, 2, 'SENT')]),
    )
    const given = new GivenRecords().put(...rows, row('acme', 'b', 3, 'PENDING'))
    given.put(
      sampleJob({ tenant_id: 'acme', job_id: 'b' }),
      sampleJob({ job_id: 'a' }),
      sampleJob({ job_id: 'z' }),
    )
    const snapshot = await snapshotOf(given, 0)
    const open = async (tenant: string, job: string) =>
      (await snapshot.job(tenant, job))?.outbox.map(({ outbox_id }) => outbox_id)
    expect(await open('acme', 'b')).toEqual(['acme b 1', 'acme b 3'])
    expect(await open('default', 'a')).toEqual(['default a 1'])
    expect(await open('default', 'z')).toEqual([])
    expect(await snapshot.verify()).toEqual([])
    expect([snapshot.path, snapshot.bytes > 1000]).toEqual(['/s', true])
  })

  it('is damaged when a row is said to be open, and is not there', async () => {
    const { tables } = new GivenRecords().put(sampleJob())
    const work = new GivenRecords().put(sampleOutbox({ state: 'PENDING' })).work
    await writeSnapshot({ disk, path: '/s', base: null, facts: sampleFacts(), records: tables, work })
    const got = (await Snapshot.open(disk, '/s'))?.job('default', 'job-1')
    await expect(got).rejects.toThrow('out-1 is open, and is not there')
    await expect(got).rejects.toMatchObject({ name: 'LedgerDamaged', place: { file: '/s' } })
  })
})
