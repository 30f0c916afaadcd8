import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { decodePage, type PageEntry } from './page.ts'
import type { Progress } from './progress.ts'
import { RUN_FORMATS, type RunName } from './run-format.ts'
import { GivenRecords, sampleDocument, sampleFacts, sampleJob } from './sample-records.ts'
import { Snapshot } from './snapshot.ts'
import { decodeIndex, type Sections, SNAPSHOT_DRESS, type SnapshotIndex } from './snapshot-index.ts'
import { verifySnapshot } from './verify-snapshot.ts'
import { writeSnapshot } from './write-snapshot.ts'

const disk = new MemoryDisk()
const JOB = sampleJob({ waits_for: ['x', 'y'] })
let file: BlockFileReader
let index: SnapshotIndex

beforeAll(async () => {
  const given = new GivenRecords().put(JOB)
  for (let i = 0; i < 1000; i++) given.put(sampleDocument({ doc_id: `doc ${i}` }))
  const facts = sampleFacts({ document_count: 1000 })
  await writeSnapshot({ disk, path: '/s', base: null, facts, records: given.tables, work: given.work })
  file = (await BlockFileReader.open(disk, '/s', SNAPSHOT_DRESS)) as BlockFileReader
  index = decodeIndex((await file.index()).toString(), '/s', 0)
})

/** What is found when the index says something else of the documents, or of the list of them. */
async function findings(run: RunName, change: (page: PageEntry) => object | null) {
  const states = { ...index.sections.states }
  states[run] = states[run].flatMap((page) => {
    const changed = change(page)
    return changed === null ? [] : [{ ...page, ...changed }]
  })
  const sections: Sections = { ...index.sections, states }
  const found = await verifySnapshot(file, { ...index, sections }, { records: false })
  return found.map(({ what }) => what)
}

describe('verifying', () => {
  it('finds nothing where everything is right, and says how far it is', async () => {
    const seen: Progress[] = []
    const onProgress = (progress: Progress) => seen.push(progress)
    expect(await verifySnapshot(file, index, { records: true, onProgress })).toEqual([])
    expect(seen.at(-1)).toEqual({ done: 2 * file.size, total: 2 * file.size })
  })

  it('finds counts that do not agree', async () => {
    expect(await findings('records', ({ records }) => ({ records: records + 1 }))).toEqual([
      'the page counts otherwise',
    ])
    const head = { ...index.head, document_count: 999 }
    const found = await verifySnapshot(file, { ...index, head }, { records: false })
    expect(found.map(({ what }) => what)).toEqual(['1000 documents, where the index says 999'])
  })

  it('finds that records are not listed', async () => {
    expect(await findings('by_changed', () => null)).toEqual(['states: 1000 records, 0 are listed by time'])
  })

  it('finds pages that are not what the index says', async () => {
    const other = { at: 0, tenant_id: 'default', id: 'doc 3' }
    expect(await findings('records', () => ({ first: other }))).toContain(
      'the page starts with another record',
    )
    expect(await findings('records', ({ last }) => ({ last: { ...last, id: `${last.id}x` } }))).toContain(
      'the page ends with another record',
    )
    expect(await findings('records', ({ last, first }) => ({ first: last, last: first }))).toContain(
      'the page is out of order',
    )
    expect(await findings('records', ({ to }) => ({ to: to + 1 }))).toContain('the page ends elsewhere')
    expect((await findings('records', ({ from }) => ({ from: from + 1 }))).length).toBeGreaterThan(2)
  })

  it('finds work that is listed and not there, or there and not listed', async () => {
    const there = new GivenRecords().put(JOB)
    const none = new GivenRecords()
    for (const [{ tables }, { work }] of [
      [there, none],
      [none, there],
    ] as const) {
      await writeSnapshot({ disk, path: '/t', base: null, facts: sampleFacts(), records: tables, work })
      const snapshot = (await Snapshot.open(disk, '/t')) as Snapshot
      const [finding, ...others] = await snapshot.verify()
      expect(finding?.what).toBe('the work listed is not that of the open jobs')
      expect(others).toEqual([])
      expect(await snapshot.verifyBlocks()).toEqual([])
    }
  })

  it('finds work that is damaged, out of order, or in other groups', async () => {
    const foundIn = async (work: object) => {
      const changed = { ...index, work: { ...index.work, ...work } }
      return await verifySnapshot(file, changed, { records: false })
    }
    const where = `/s, byte ${index.work.at}`
    expect(await foundIn({ crc: 1 })).toEqual([{ where, what: 'the list of open work is damaged' }])
    expect(await foundIn({ groups: [['q', 't', 'g', 1]] })).toEqual([
      { where, what: 'ready: the groups are not those of the entries' },
    ])
    const { waiting } = index.work.lists
    expect(await foundIn({ lists: { ...index.work.lists, waiting: [...waiting, ...waiting] } })).toEqual([
      { where, what: 'waiting: ["default","x","job-1"] is out of order' },
    ])
    const [at, bytes, entries, first] = waiting[0] as (typeof waiting)[number]
    const otherwise = 'the index describes the block there otherwise'
    for (const block of [
      [at, bytes, entries + 1, first],
      [at, bytes, entries, ['default', 'w', 'job-1']],
    ]) {
      const found = await foundIn({ lists: { ...index.work.lists, waiting: [block] } })
      expect(found).toEqual([{ where: `/s, byte ${index.work.at + at}`, what: otherwise }])
    }
  })

  it('goes on after something that cannot be read', async () => {
    const [page] = index.sections.states.records
    const text = (await file.member(page as PageEntry)).toString()
    const [block] = decodePage(text, RUN_FORMATS.records, page?.from as number)
    expect(await findings('records', () => ({ at: block?.at, bytes: block?.bytes }))).toEqual([
      expect.stringContaining('makes no sense'),
      'states: 0 records, 1000 are listed by time',
      '0 documents, where the index says 1000',
    ])
    expect(await findings('records', () => ({ bytes: 10 }))).toContainEqual(
      expect.stringMatching(/^the block there is damaged/),
    )
  })
})
