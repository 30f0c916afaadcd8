import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { decodePage, type PageEntry } from './page.ts'
import type { Progress } from './progress.ts'
import { RUN_FORMATS } from './run-format.ts'
import { GivenRecords, sampleDocument, sampleFacts } from './sample-records.ts'
import { decodeIndex, type Sections, SNAPSHOT_DRESS, type SnapshotIndex } from './snapshot-index.ts'
import { verifySnapshot } from './verify-snapshot.ts'
import { writeSnapshot } from './write-snapshot.ts'

const disk = new MemoryDisk()
let file: BlockFileReader
let index: SnapshotIndex

beforeAll(async () => {
  const given = new GivenRecords()
  for (let i = 0; i < 1000; i++) given.put(i % 2 === 0, sampleDocument({ doc_id: `doc ${i}` }))
  const facts = sampleFacts({ document_count: 1000 })
  await writeSnapshot({ disk, path: '/s', base: null, facts, records: given.tables })
  file = (await BlockFileReader.open(disk, '/s', SNAPSHOT_DRESS)) as BlockFileReader
  index = decodeIndex((await file.index()).toString(), '/s', 0)
})

/** What is found when the index says something else of the settled documents, or of the list of them. */
async function findings(run: 'settled' | 'by_changed', change: (page: PageEntry) => object | null) {
  const states = { ...index.sections.states }
  states[run] = states[run].flatMap((page) => {
    const changed = change(page)
    return changed === null ? [] : [{ ...page, ...changed }]
  })
  const sections: Sections = { ...index.sections, states }
  const found = await verifySnapshot(file, { head: index.head, sections }, { records: false })
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
    expect(await findings('settled', ({ records }) => ({ records: records + 1 }))).toEqual([
      'the page counts otherwise',
    ])
    const head = { ...index.head, document_count: 999 }
    const found = await verifySnapshot(file, { ...index, head }, { records: false })
    expect(found.map(({ what }) => what)).toEqual(['1000 documents, where the index says 999'])
  })

  it('finds that records are not listed', async () => {
    expect(await findings('by_changed', () => null)).toEqual([
      'states: 500 records are settled, 0 are listed by time',
    ])
  })

  it('finds pages that are not what the index says', async () => {
    const other = { at: 0, tenant_id: 'default', id: 'doc 3' }
    expect(await findings('settled', () => ({ first: other }))).toContain(
      'the page starts with another record',
    )
    expect(await findings('settled', ({ last }) => ({ last: { ...last, id: `${last.id}x` } }))).toContain(
      'the page ends with another record',
    )
    expect(await findings('settled', ({ last, first }) => ({ first: last, last: first }))).toContain(
      'the page is out of order',
    )
    expect(await findings('settled', ({ to }) => ({ to: to + 1 }))).toContain('the page ends elsewhere')
    expect((await findings('settled', ({ from }) => ({ from: from + 1 }))).length).toBeGreaterThan(2)
  })

  it('goes on after something that cannot be read', async () => {
    const [page] = index.sections.states.settled
    const text = (await file.member(page as PageEntry)).toString()
    const [block] = decodePage(text, RUN_FORMATS.settled, page?.from as number)
    expect(await findings('settled', () => ({ at: block?.at, bytes: block?.bytes }))).toEqual([
      expect.stringContaining('makes no sense'),
      'states: 0 records are settled, 500 are listed by time',
      '500 documents, where the index says 1000',
    ])
    expect(await findings('settled', () => ({ bytes: 10 }))).toContainEqual(
      expect.stringMatching(/^the block there is damaged/),
    )
  })
})
