import { dirname } from 'node:path'
import type { AuditRecord } from '../../../core/audit.ts'
import { type DurationRollup, sketchOf } from '../../../core/durations.ts'
import { fromEpochSeconds } from '../../../core/time.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import { type AuditQuery, type DurationsQuery, matchesAudit, matchesGroup } from '../../query.ts'
import type { Line } from '../lines/line.ts'
import { type Header, mayHave, mayMatch, namesIn } from './header.ts'
import { type Direction, type HistorySource, scanDurations } from './history.ts'
import { readIndex, type SegmentIndex, type SegmentLink } from './layout.ts'
import { recordsOf } from './line-records.ts'
import { type SegmentFile, segmentFile } from './segment-name.ts'
import { type MemberCache, newMemberCache, openSegmentFile, SegmentReader } from './segment-reader.ts'

/** A sealed part of the history. It holds no file open between two readings. */
export class Segment implements HistorySource {
  readonly file: SegmentFile
  readonly #disk: Disk
  readonly #cache: MemberCache
  #known: { readonly index: SegmentIndex; readonly link: SegmentLink } | null = null
  #blocksRead = 0
  #isRetired = false

  /** Nothing is read before it is needed: a long history must not slow opening down. */
  constructor(disk: Disk, file: SegmentFile, cache: MemberCache = newMemberCache()) {
    this.#disk = disk
    this.file = file
    this.#cache = cache
  }

  /** Reads the trailer and the index, and nothing else. */
  static async open(disk: Disk, path: string, cache?: MemberCache): Promise<Segment> {
    const file = segmentFile(path)
    if (file === null)
      throw new LedgerDamaged({ file: path, byte: 0 }, 'the file is not named like a segment')
    const segment = new Segment(disk, file, cache)
    await segment.index()
    return segment
  }

  get firstSeq(): number {
    return this.file.firstSeq
  }

  get lastSeq(): number {
    return this.file.lastSeq
  }

  /** How many blocks were read from the disk so far. */
  get blocksRead(): number {
    return this.#blocksRead
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  async index(): Promise<SegmentIndex> {
    return (await this.#know()).index
  }

  /** What the next segment says of this one. */
  async link(): Promise<SegmentLink> {
    return (await this.#know()).link
  }

  async *records(query: AuditQuery, place: number, direction: Direction): AsyncGenerator<AuditRecord> {
    if (this.#isRetired || !mayMatch(await this.index(), query)) return
    const names = namesIn(query)
    const isWanted = (part: Header) => mayMatch(part, query) && !isOutside(part, place, direction)
    for await (const lines of this.#blocks(isWanted, names, direction)) {
      for (const line of inOrder(lines, direction)) {
        for (const record of inOrder(recordsOf(line), direction)) {
          const isThere = direction === 'asc' ? record.seq > place : record.seq < place
          if (isThere && matchesAudit(record, query)) yield record
        }
      }
    }
  }

  /** The lines after a seq, as they were written. A line that begins at or before it is left out. */
  async *lines(after = 0): AsyncGenerator<Line> {
    const isWanted = (part: Header) => part.last_seq > after
    for await (const lines of this.#blocks(isWanted, [], 'asc')) {
      for (const line of lines) if (line.seq > after) yield line
    }
  }

  /** From what was added up when it was sealed, unless only a part of its time is asked for. */
  async addDurations(query: DurationsQuery, rollup: DurationRollup): Promise<void> {
    if (this.#isRetired) return
    const { durations, times } = await this.index()
    if (times === null) return
    const isWhole =
      fromEpochSeconds(times[0]) >= (query.from ?? Number.NEGATIVE_INFINITY) &&
      fromEpochSeconds(times[1]) < (query.before ?? Number.POSITIVE_INFINITY)
    if (!isWhole || durations === null) return scanDurations(this, query, rollup)
    const reader = await this.#reader()
    try {
      for (const group of await reader.durations(durations)) {
        if (matchesGroup(group, query)) rollup.merge(group, sketchOf(group))
      }
    } catch (error) {
      if (!this.#isRetired) throw error
    } finally {
      await reader.close()
    }
  }

  /** Removes the file, for good. Whoever is still to read it finds nothing in it. */
  async retire(): Promise<void> {
    this.#isRetired = true
    try {
      await this.#disk.remove(this.file.path)
    } catch (error) {
      this.#isRetired = false
      throw error
    }
    await this.#disk.syncFolder(dirname(this.file.path))
  }

  /** The lines of every block that may have something, block by block. */
  async *#blocks(
    isWanted: (part: Header) => boolean,
    names: readonly string[],
    direction: Direction,
  ): AsyncGenerator<readonly Line[]> {
    const { pages } = await this.index()
    const reader = await this.#reader()
    try {
      for (const page of inOrder(pages, direction)) {
        if (!isWanted(page)) continue
        if (names.length > 0 && !mayHave(await reader.filter(page), names)) continue
        for (const block of inOrder(await reader.blocks(page), direction)) {
          if (isWanted(block.header) && mayHave(block.filter, names)) yield await reader.lines(block)
        }
      }
    } catch (error) {
      // It may have been retired after all of this began.
      if (!this.#isRetired) throw error
    } finally {
      this.#blocksRead += reader.blocksRead
      await reader.close()
    }
  }

  async #reader(): Promise<SegmentReader> {
    const { sha256 } = await this.link()
    return new SegmentReader(this.#disk, this.file.path, sha256, this.#cache)
  }

  async #know() {
    if (this.#known === null) {
      const file = await openSegmentFile(this.#disk, this.file.path)
      try {
        const link = { name: this.file.name, sha256: file.sha256 }
        this.#known = { index: await readIndex(file, this.file), link }
      } finally {
        await file.close()
      }
    }
    return this.#known
  }
}

function isOutside({ first_seq, last_seq }: Header, place: number, direction: Direction): boolean {
  return direction === 'asc' ? last_seq <= place : first_seq >= place
}

function inOrder<T>(items: readonly T[], direction: Direction): readonly T[] {
  return direction === 'asc' ? items : items.toReversed()
}
