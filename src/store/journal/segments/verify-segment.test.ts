import { beforeEach, describe, expect, it } from 'vitest'
import {
  collect,
  Delta,
  entryOf,
  manyMoves,
  overwrite,
  readAll,
  seal,
} from '../../../../test/fixtures/segment-lines.ts'
import { strideOf } from '../../../../test/fixtures/turns.ts'
import type { AuditRecord } from '../../../core/audit.ts'
import type { RollupFields } from '../../../core/durations.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { MemoryDisk } from '../../../testing/memory-disk.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import type { Extent } from '../blocks/member.ts'
import { withChecksum } from '../lines/checksum.ts'
import { entriesOf } from '../lines/line.ts'
import {
  type BlockHeader,
  DRESS,
  decodeMember,
  encodeMember,
  type MemberName,
  type PageHeader,
  readIndex,
  type SegmentIndex,
} from './layout.ts'
import { Segment } from './segment.ts'
import { SegmentDurations } from './segment-durations.ts'
import { type SegmentFile, segmentFile } from './segment-name.ts'
import { verifySegment } from './verify-segment.ts'

describe('verifying a segment', () => {
  let disk: MemoryDisk
  let file: SegmentFile
  let bytes: Buffer
  let delta: Delta

  beforeEach(async () => {
    disk = new MemoryDisk()
    delta = new Delta([...manyMoves(5), 3, [], [entryOf({ path: ['parsing', 'parsed', 'validating'] })]])
    const { path } = await seal(disk, delta)
    file = segmentFile(path) as SegmentFile
    bytes = await readAll(disk, path)
  })

  /** What is in the file, or null when it says that it is damaged. */
  async function read(): Promise<readonly AuditRecord[] | null> {
    try {
      const segment = await Segment.open(disk, file.path)
      return await collect(segment.records({}, 0, 'asc'))
    } catch (error) {
      expect(error).toBeInstanceOf(LedgerDamaged)
      return null
    }
  }

  it('finds nothing in a good one, and reads all of it', async () => {
    let seen = 0
    expect(await verifySegment(disk, file, (more) => (seen += more))).toEqual([])
    expect(seen).toBe(bytes.length)
  })

  it('notices any byte that was changed; and no record is ever read wrongly', async () => {
    const { first, stride } = strideOf(4)
    for (let at = first; at < bytes.length; at += stride) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ (1 << (at % 8))
      await overwrite(disk, file.path, changed)
      const findings = await verifySegment(disk, file)
      expect(findings.length, `byte ${at}`).toBeGreaterThan(0)
      expect(findings[0]).toMatchObject({ file: file.path, byte: expect.any(Number) })
      const records = await read()
      if (records !== null) expect(records).toEqual(delta.records)
    }
  })

  it('notices wherever it was cut off, and what was added', async () => {
    const { first, stride } = strideOf(4)
    for (let length = first; length < bytes.length; length += stride) {
      await overwrite(disk, file.path, bytes.subarray(0, length))
      expect(await verifySegment(disk, file), `${length} bytes`).not.toEqual([])
      expect(await read()).toBeNull()
    }
    await overwrite(disk, file.path, Buffer.concat([bytes, Buffer.from('\0')]))
    expect(await verifySegment(disk, file)).not.toEqual([])
  })

  it('names every block that is damaged, not only the first', async () => {
    const segment = await Segment.open(disk, file.path)
    const { pages } = await segment.index()
    const [first, second] = pages.map(({ ids }) => ids.at - 8)
    const changed = Buffer.from(bytes)
    for (const at of [first as number, second as number]) changed[at] = (changed[at] as number) ^ 1
    await overwrite(disk, file.path, changed)
    const findings = await verifySegment(disk, file)
    expect(findings.filter(({ what }) => /the block there is damaged/.test(what))).toHaveLength(2)
    expect(findings.map(({ where }) => where)).toEqual(
      findings.map((found) => `${file.path}, byte ${found.byte}`),
    )
  })

  it('says that a file is missing', async () => {
    await disk.remove(file.path)
    expect(await verifySegment(disk, file)).toMatchObject([
      { file: file.path, byte: 0, what: 'the file is missing' },
    ])
  })

  /** Writes the segment anew, with all its checksums right, and something else in it. */
  async function forge(lies: Lies): Promise<readonly string[]> {
    const reader = (await BlockFileReader.open(disk, file.path, DRESS)) as BlockFileReader
    const index = await readIndex(reader, file)
    const out = await disk.open(`${file.path}.new`)
    const writer = new BlockFileWriter(out, DRESS)
    const read = async <T>(name: MemberName, extent: Extent) =>
      decodeMember<T>(name, await reader.member(extent), file.path, extent.at)
    const pages: { readonly page: PageHeader; readonly blocks: BlockHeader[] }[] = []
    for (const page of index.pages) {
      const blocks: BlockHeader[] = []
      for (const block of await read<readonly BlockHeader[]>('page', page)) {
        const text = (await reader.member(block)).toString()
        const extent = await writer.text(lies.text?.(text, block) ?? text)
        const told = { ...block, ...extent }
        blocks.push(lies.block?.(told) ?? told)
      }
      pages.push({ page, blocks })
    }
    const headers: PageHeader[] = []
    for (const { page, blocks } of pages) {
      const filter = await read<string>('ids', page.ids)
      const ids = await writer.text(encodeMember('ids', lies.ids ?? filter))
      headers.push({ ...page, ...(await writer.text(encodeMember('page', blocks))), ids })
    }
    const durations = await writer.text(encodeMember('durations', lies.durations ?? []))
    const told = { ...index, pages: headers, durations: lies.durations === null ? null : durations }
    await writer.finish(await writer.text(encodeMember(lies.name ?? 'index', { ...told, ...lies.index })))
    await reader.close()
    await disk.rename(`${file.path}.new`, file.path)
    return (await verifySegment(disk, file)).map(({ what }) => what)
  }

  it('compares what is said with what is there', async () => {
    const last = (text: string, { last_seq }: BlockHeader) => (last_seq === delta.lastSeq ? text : undefined)
    const checked = (text: string) => withChecksum(text.slice(0, text.indexOf(',"crc"')))
    const { durations } = await Segment.open(disk, file.path).then((segment) => segment.index())
    expect(durations).not.toBeNull()
    const told: Lies = { durations: await rollup() }
    const cases: readonly [Lies, RegExp][] = [
      [{ ...told, block: (block) => ({ ...block, records: 9 }) }, /the header of the block does not say/],
      [{ ...told, block: (block) => ({ ...block, values: {} }) }, /the header of the block does not say/],
      [{ ...told, block: (block) => ({ ...block, first_seq: block.first_seq + 1 }) }, /does not follow/],
      [{ ...told, ids: 'AAAAAAAAAAA=' }, /the filter is not that of the blocks/],
      [{ ...told, index: { lines: 1 } }, /the index does not say/],
      [{ durations: [] }, /the durations are not those of the lines/],
      [{ durations: null }, /the durations are not those of the lines/],
      [{ ...told, index: { version: '2.0' } }, /has the format "2.0"/],
      [{ ...told, name: 'page' }, /there is no index there/],
      [{ ...told, text: (text, block) => last(text, block)?.replace('parsing', 'parting') }, /its checksum/],
      [
        { ...told, text: (text, block) => last(text, block)?.trimEnd().concat('\n{"seq":1}\n') },
        /its checksum/,
      ],
      [
        { ...told, text: (text) => `${checked(text.replace('"seq":', '"seq":9'))}\n` },
        /should come here, and seq 9/,
      ],
      [{ ...told, text: () => `${withChecksum('["seq"')}\n` }, /the line is not JSON/],
    ]
    expect(await forge(told)).toEqual([])
    for (const [lies, what] of cases) {
      const found = await forge(lies)
      expect(
        found.find((one) => what.test(one)),
        `${what} in ${found.join(', ')}`,
      ).toBeDefined()
      await overwrite(disk, file.path, bytes)
    }
  })

  async function rollup() {
    const durations = new SegmentDurations()
    for (const text of delta.texts) for (const entry of entriesOf(JSON.parse(text))) durations.add(entry)
    return durations.toFields()
  }
})

interface Lies {
  readonly text?: (text: string, block: BlockHeader) => string | undefined
  readonly block?: (block: BlockHeader) => BlockHeader
  readonly ids?: string
  readonly durations?: RollupFields | null
  readonly index?: Partial<SegmentIndex>
  readonly name?: MemberName
}
