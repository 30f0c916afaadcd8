import { dirname } from 'node:path'
import { must, present } from '../../../core/must.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { PageSpill } from './page-spill.ts'
import type { OnProgress, Progress } from './progress.ts'
import { SEPARATOR } from './run-writer.ts'
import { Snapshot } from './snapshot.ts'
import { SNAPSHOT_DRESS, type SnapshotFacts } from './snapshot-index.ts'
import { SnapshotWriter, type SortedRecords } from './snapshot-writer.ts'
import { type Found, isRecordTable, TABLES, type TableName } from './tables.ts'
import { sortedByPlace } from './write-table.ts'
import { NO_WORK, type WorkLists } from './write-work.ts'

export interface SnapshotSource {
  readonly disk: Disk
  /** What it is to be called when it is whole. */
  readonly path: string
  /** The one before; null when there is none. */
  readonly base: Snapshot | null
  readonly facts: SnapshotFacts
  /** Every record that changed since the one before. */
  readonly records: { readonly [T in TableName]?: Iterable<Found<T>> }
  /** What there is to do, all of it; nothing when it is left out. */
  readonly work?: WorkLists
  readonly onProgress?: OnProgress | undefined
}

export interface WrittenSnapshot {
  readonly bytes: number
  readonly sha256: string
}

/**
 * Writes a snapshot, makes it durable, reads it back and compares, and only then gives it its name. It may be
 * interrupted at any time: until the name is there, nothing has happened. The memory it takes depends on what it is
 * given, not on how much there is in the snapshot before.
 */
export async function writeSnapshot(source: SnapshotSource): Promise<WrittenSnapshot> {
  const { disk, path, base, facts } = source
  const unfinished = `${path}.tmp`
  const pages = `${path}.pages.tmp`
  const records = sorted(source.records)
  const progress = new WriteProgress(workOf(records, base), source.onProgress)
  try {
    const written = await write(source, records, progress)
    await disk.remove(pages)
    await verify(disk, unfinished, facts, progress)
    await disk.rename(unfinished, path)
    await disk.syncFolder(dirname(path))
    return written
  } catch (error) {
    // A full disk has no room for what was not finished. If removing it fails, the next writer will do it.
    await Promise.allSettled([disk.remove(unfinished), disk.remove(pages)])
    throw error
  }
}

async function write(
  { disk, path, base, facts, work = NO_WORK }: SnapshotSource,
  records: SortedRecords,
  progress: WriteProgress,
): Promise<WrittenSnapshot> {
  const file = await disk.open(`${path}.tmp`)
  try {
    const spilled = await disk.open(`${path}.pages.tmp`)
    try {
      const blocks = new BlockFileWriter(file, SNAPSHOT_DRESS)
      const pages = new PageSpill(spilled, SEPARATOR)
      const writer = new SnapshotWriter(blocks, pages, base, (count) => progress.written(count))
      return await writer.write(facts, records, work)
    } finally {
      await spilled.close()
    }
  } finally {
    await file.close()
  }
}

async function verify(
  disk: Disk,
  path: string,
  { seq }: SnapshotFacts,
  progress: WriteProgress,
): Promise<void> {
  const snapshot = present(await Snapshot.open(disk, path), 'the file just written is there')
  try {
    must(snapshot.head.seq === seq, 'the snapshot has the seq that was written')
    const [finding] = await snapshot.verifyBlocks((verified) => progress.verified(verified))
    if (finding !== undefined) throw new LedgerDamaged({ file: path, byte: 0 }, finding.what)
  } finally {
    await snapshot.close()
  }
}

function sorted(records: SnapshotSource['records']): SortedRecords {
  const tables = TABLES.map((table) => [table, sortedByPlace<TableName>(records[table] ?? [])])
  return Object.fromEntries(tables)
}

/** How many lines there will be, if none of what is given replaces another. */
function workOf(records: SortedRecords, base: Snapshot | null): number {
  let work = 0
  for (const table of TABLES) {
    work += records[table].length * (isRecordTable(table) ? 2 : 1)
    for (const run of ['records', 'by_changed'] as const) {
      for (const page of base?.run(table, run).pages ?? []) work += page.records
    }
  }
  return work
}

/** Writing is the first half, reading back the second. */
class WriteProgress {
  readonly #work: number
  readonly #onProgress: OnProgress
  #written = 0

  constructor(work: number, onProgress: OnProgress = () => {}) {
    this.#work = Math.max(1, work)
    this.#onProgress = onProgress
  }

  written(records: number): void {
    this.#written = Math.min(this.#work, this.#written + records)
    this.#onProgress({ done: this.#written, total: 2 * this.#work })
  }

  verified({ done, total }: Progress): void {
    const verified = Math.floor((this.#work * done) / total)
    this.#onProgress({ done: this.#work + verified, total: 2 * this.#work })
  }
}
