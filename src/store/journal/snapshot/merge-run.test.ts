import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { comparePlaces } from '../../place.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { keyText } from './key-text.ts'
import { mergeRun, type OldRun, type RunChange } from './merge-run.ts'
import { type BlockEntry, decodePage, type PageEntry } from './page.ts'
import { PageSpill } from './page-spill.ts'
import { linesOf, recordLine } from './record-line.ts'
import { RUN_FORMATS, type RunFormat } from './run-format.ts'
import { RunWriter, SEPARATOR, Section } from './run-writer.ts'

/** Small enough that a few dozen lines are several pages. */
const FORMAT: RunFormat = { ...RUN_FORMATS.records, linesPerBlock: 8, blocksPerPage: 8 }
const DRESS = { before: '', after: '' }

const id = (n: number) => String(n).padStart(6, '0')

/** Values by number; null takes one out. */
type Changes = ReadonlyMap<number, string | null>

class Runs {
  readonly disk = new MemoryDisk()
  #files = 0

  /** Writes the run after some changes, and says what left it. */
  async next(old: OldRun | null, changes: Changes): Promise<{ run: OldRun; removed: string[] }> {
    const path = `/run-${this.#files++}`
    const file = await this.disk.open(path)
    const pagesFile = await this.disk.open(`${path}.pages`)
    const writer = new BlockFileWriter(file, DRESS)
    const spill = new PageSpill(pagesFile, SEPARATOR)
    const removed: string[] = []
    await writer.text('{\n')
    const entries = await mergeRun({
      old,
      changes: sorted(changes),
      lineOf: (place, value) => ({
        place,
        line: recordLine('claims', place, value),
        record: null,
        header: null,
      }),
      into: new RunWriter('claims', FORMAT, new Section(writer, spill, () => {})),
      onRemoved: (line) => removed.push(line),
    })
    const { at } = await writer.copyRange(spill, { at: 0, bytes: spill.size })
    await writer.finish(await writer.text('index'))
    const reader = (await BlockFileReader.open(this.disk, path, DRESS)) as BlockFileReader
    return { run: { file: reader, pages: entries.map((page) => ({ ...page, at: at + page.at })) }, removed }
  }

  /** Makes the bytes of a block useless, so that whoever inflates it notices. */
  async spoil(run: OldRun, block: BlockEntry): Promise<void> {
    const file = await this.disk.open(run.file.path)
    await file.write(block.at + 10, new Uint8Array(block.bytes - 10))
  }
}

function sorted(changes: Changes): RunChange<string>[] {
  const list = [...changes].map(([n, value]) => ({ at: 0, tenant_id: 'default', id: id(n), value }))
  return list.sort(comparePlaces)
}

async function blocksOf({ file, pages }: OldRun): Promise<BlockEntry[]> {
  const lists = await Promise.all(pages.map(async (page) => await blocksOfPage(file, page)))
  return lists.flat()
}

async function blocksOfPage(file: BlockFileReader, page: PageEntry): Promise<BlockEntry[]> {
  return decodePage((await file.member(page)).toString(), FORMAT, page.from)
}

async function contentOf(run: OldRun): Promise<Map<string, string>> {
  const content = new Map<string, string>()
  for (const block of await blocksOf(run)) {
    for (const line of linesOf((await run.file.member(block)).toString())) {
      const [key, value] = line.split(':') as [string, string]
      content.set(JSON.parse(key), JSON.parse(value))
    }
  }
  return content
}

/** Everything that pages and blocks say about themselves. */
async function expectConsistent(run: OldRun): Promise<void> {
  let before = ''
  for (const page of run.pages) {
    const blocks = await blocksOfPage(run.file, page)
    expect(blocks.length).toBeLessThanOrEqual(FORMAT.blocksPerPage)
    expect([page.blocks, page.first, page.last]).toEqual([
      blocks.length,
      blocks[0]?.first,
      blocks.at(-1)?.last,
    ])
    expect(page.records).toBe(blocks.reduce((sum, { records }) => sum + records, 0))
    for (const block of blocks) {
      const lines = linesOf((await run.file.member(block)).toString())
      const ids = lines.map((line) => FORMAT.placeOfLine(line).id)
      expect(ids).toEqual([...ids].sort())
      expect(before < (ids[0] as string)).toBe(true)
      before = ids.at(-1) as string
      expect([block.first.id, block.last.id, block.records]).toEqual([ids[0], before, ids.length])
      expect(ids.length).toBeLessThanOrEqual(FORMAT.linesPerBlock)
      const { filter } = block
      expect(ids.every((one) => filter?.has(keyText('default', one)))).toBe(true)
    }
  }
}

const numbered = (count: number, step = 10): Changes =>
  new Map(Array.from({ length: count }, (_, i) => [i * step, `v${i * step}`]))

describe('mergeRun', () => {
  it('comes to the same as writing everything anew, over many generations', async () => {
    const generation = fc.array(fc.tuple(fc.nat(400), fc.option(fc.nat(99).map(String), { freq: 3 })), {
      maxLength: 120,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(generation, { minLength: 1, maxLength: 6 }), async (generations) => {
        const runs = new Runs()
        const model = new Map<string, string>()
        let old: OldRun | null = null
        for (const changes of generations.map((pairs) => new Map(pairs))) {
          const expectedRemoved: string[] = []
          for (const { id: key, value } of sorted(changes)) {
            const there = model.get(key)
            if (there !== undefined)
              expectedRemoved.push(`${keyText('default', key)}:${JSON.stringify(there)}`)
            if (value === null) model.delete(key)
            else model.set(key, value)
          }
          const { run, removed } = await runs.next(old, changes)
          expect(removed).toEqual(expectedRemoved)
          expect([...(await contentOf(run))]).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)))
          await expectConsistent(run)
          old = run
        }
      }),
      { numRuns: 150 },
    )
  })

  it('copies what nothing touches without looking inside', async () => {
    const runs = new Runs()
    const { run: old } = await runs.next(null, numbered(500))
    const before = await blocksOf(old)
    const touched = before.findIndex(({ last }) => last.id >= id(2000))
    const spoilt = await Promise.all(
      before
        .filter((_, i) => i !== touched)
        .map(async (block) => {
          await runs.spoil(old, block)
          return await old.file.raw(block)
        }),
    )
    const { run } = await runs.next(old, new Map([[2000, 'new']]))
    const after = await blocksOf(run)
    const copied = await Promise.all(
      after.map(async (block) => Buffer.from(await run.file.raw(block)).toString('hex')),
    )
    expect(after).toHaveLength(before.length)
    expect(spoilt.every((bytes) => copied.includes(Buffer.from(bytes).toString('hex')))).toBe(true)
    const lines = linesOf((await run.file.member(after[touched] as BlockEntry)).toString())
    expect(lines).toContain('"002000":"new"')
    expect(run.pages.map(({ blocks }) => blocks)).toEqual(old.pages.map(({ blocks }) => blocks))
  })

  it('copies pages with all their blocks as they are', async () => {
    const runs = new Runs()
    const { run: old } = await runs.next(null, numbered(500))
    const { run } = await runs.next(old, new Map([[2000, 'new']]))
    const raw = async ({ file }: OldRun, page: PageEntry) => Buffer.from(await file.raw(page)).toString('hex')
    const same = await Promise.all(
      old.pages.map(
        async (page, i) => (await raw(old, page)) === (await raw(run, run.pages[i] as PageEntry)),
      ),
    )
    expect(same.filter((isSame) => !isSame)).toHaveLength(1)
  })

  it('leaves no small blocks behind, however little is added at a time', async () => {
    const runs = new Runs()
    let { run } = await runs.next(null, numbered(50))
    for (let round = 0; round < 60; round++) {
      const appended: [number, string] = [100_000 + round, 'end']
      const inserted: [number, string] = [round * 8 + 1, 'between']
      run = (await runs.next(run, new Map([appended, inserted]))).run
    }
    const blocks = await blocksOf(run)
    expect(blocks.slice(0, -1).every(({ records }) => records >= FORMAT.linesPerBlock / 4)).toBe(true)
    expect(run.pages.slice(0, -1).every((page) => page.blocks >= FORMAT.blocksPerPage / 4)).toBe(true)
    await expectConsistent(run)
  })

  it('fills blocks to the last when everything comes at the end', async () => {
    const runs = new Runs()
    let run: OldRun | null = null
    for (let round = 0; round < 30; round++) {
      const changes = new Map(Array.from({ length: 3 }, (_, i) => [round * 3 + i, 'x'] as const))
      run = (await runs.next(run, changes)).run
    }
    const blocks = await blocksOf(run as OldRun)
    expect(blocks.map(({ records }) => records)).toEqual([...Array<number>(11).fill(8), 2])
  })

  it('becomes empty when everything leaves, and is filled again', async () => {
    const runs = new Runs()
    const { run: full } = await runs.next(null, numbered(100))
    const { run: empty } = await runs.next(full, new Map([...numbered(100).keys()].map((n) => [n, null])))
    expect(empty.pages).toEqual([])
    const { run } = await runs.next(empty, numbered(3))
    expect((await contentOf(run)).size).toBe(3)
  })

  it('gives a long line a block of its own', async () => {
    const runs = new Runs()
    const changes = new Map([...numbered(9)].map(([n, value]) => [n, n === 40 ? 'x'.repeat(100_000) : value]))
    const { run } = await runs.next(null, changes)
    expect((await blocksOf(run)).map(({ records }) => records)).toEqual([4, 1, 4])
  })
})
