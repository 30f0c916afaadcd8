import { beforeEach, describe, expect, it } from 'vitest'
import { LedgerDamaged, UnknownFormat } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { GivenRecords, sampleDocument, sampleFacts, sampleJob, sampleStep } from './sample-records.ts'
import { Snapshot } from './snapshot.ts'
import { SNAPSHOT_DRESS } from './snapshot-index.ts'
import { writeSnapshot } from './write-snapshot.ts'

let disk: MemoryDisk

beforeEach(() => {
  disk = new MemoryDisk()
})

async function snapshotOf(given: GivenRecords, document_count: number): Promise<Snapshot> {
  const facts = sampleFacts({ document_count })
  await writeSnapshot({ disk, path: '/s', base: null, facts, records: given.tables })
  return (await Snapshot.open(disk, '/s')) as Snapshot
}

const COUNT = 20_000

async function manyDocuments(): Promise<Snapshot> {
  const given = new GivenRecords()
  for (let i = 0; i < COUNT; i++) given.put(false, sampleDocument({ doc_id: `doc:${i}` }))
  return await snapshotOf(given, COUNT)
}

/** A file that is as good as any, with an index of our choosing. */
async function fileWithIndex(text: string): Promise<void> {
  const file = await disk.open('/s')
  const writer = new BlockFileWriter(file, SNAPSHOT_DRESS)
  await writer.finish(await writer.text(text))
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
    expect(reads).toHaveLength(2)
    expect(reads.reduce((sum, length) => sum + length)).toBeLessThan(2000)
    expect(snapshot?.blocksRead).toBe(0)
    await snapshot?.close()
  })

  it('refuses a format it does not know, and takes later ones of the same kind', async () => {
    await fileWithIndex('{"version":"2.0","sections":{}}')
    await expect(Snapshot.open(disk, '/s')).rejects.toThrow(UnknownFormat)
    await fileWithIndex('{"sections":{}}')
    await expect(Snapshot.open(disk, '/s')).rejects.toThrow(UnknownFormat)
    await fileWithIndex('{"version":"1.7","seq":3,"sections":{}}')
    expect((await Snapshot.open(disk, '/s'))?.head.seq).toBe(3)
  })

  it.each(['', 'null', '[', '{"version":"1.0"}'])('calls an index that is %j damaged', async (text) => {
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
    const [page] = snapshot.run('states', 'settled').pages
    await (await disk.open('/s')).write((page?.from ?? 0) + 30, new Uint8Array(40))
    const got = snapshot.get('states', 'default', 'doc:0')
    await expect(got).rejects.toThrow(LedgerDamaged)
    await expect(got).rejects.toMatchObject({ place: { file: '/s', byte: page?.from } })
    expect(await snapshot.get('states', 'default', 'doc:999')).not.toBeNull()
  })
})

describe('the steps of a job', () => {
  it('come in their order, without those of jobs with similar names', async () => {
    const given = new GivenRecords()
    for (const job_id of ['a', 'a/b', 'a0', 'a!', 'b', '']) {
      for (let i = 0; i < 12; i++) {
        given.put(false, sampleStep({ job_id, step_id: `${i}\t`, step_index: i }))
        given.put(false, sampleStep({ tenant_id: 'acme', job_id, step_id: `${i}`, step_index: 11 - i }))
      }
    }
    const snapshot = await snapshotOf(given, 0)
    const steps = await snapshot.stepsOf('default', 'a')
    expect(steps.map(({ step_id, job_id }) => [job_id, step_id])).toEqual(
      Array.from({ length: 12 }, (_, i) => ['a', `${i}\t`]),
    )
    expect((await snapshot.stepsOf('acme', 'a/b')).map(({ step_index }) => step_index)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ])
    expect(await snapshot.stepsOf('acme', 'none')).toEqual([])
  })

  it('are found across blocks', async () => {
    const given = new GivenRecords()
    for (let i = 0; i < 1000; i++)
      given.put(false, sampleStep({ job_id: 'job', step_id: `${i}`, step_index: i }))
    const snapshot = await snapshotOf(given, 0)
    expect((await snapshot.stepsOf('default', 'job')).map(({ step_index }) => step_index)).toEqual(
      Array.from({ length: 1000 }, (_, i) => i),
    )
  })
})

describe('open records', () => {
  it('come in batches, and nothing settled with them', async () => {
    const given = new GivenRecords()
    for (let i = 0; i < 3000; i++) given.put(i % 2 === 0, sampleJob({ job_id: `job ${i}` }))
    const snapshot = await snapshotOf(given, 0)
    const batches: number[] = []
    const ids = new Set<string>()
    for await (const batch of snapshot.openRecords('jobs')) {
      batches.push(batch.length)
      for (const { id, value } of batch) {
        expect(value.job_id).toBe(id)
        ids.add(id)
      }
    }
    expect([ids.size, ids.has('job 2'), ids.has('job 3')]).toEqual([1500, true, false])
    expect(Math.max(...batches)).toBeLessThanOrEqual(1024)
    expect(snapshot.path).toBe('/s')
    expect(snapshot.bytes).toBeGreaterThan(1000)
  })
})
