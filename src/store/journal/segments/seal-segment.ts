import { must } from '../../../core/must.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk, DiskFile } from '../../../world/disk.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { paddedSeq, TEMPORARY } from '../file-names.ts'
import { entriesOf, type Line, type ReadLine } from '../lines/line.ts'
import { DRESS, type SegmentLink } from './layout.ts'
import { segmentName } from './segment-name.ts'
import { type SegmentShape, SegmentWriter } from './segment-writer.ts'
import { verifySegmentBytes } from './verify-segment.ts'

/** What it is to be made of. */
export interface Seal {
  /** The ledger's `audit` folder; it is there. */
  readonly folder: string
  readonly firstSeq: number
  readonly shape?: SegmentShape | undefined
}

/** A segment as it was sealed: a link for the next one, and what is in it. */
export interface Sealed extends SegmentLink {
  readonly path: string
  readonly bytes: number
  readonly lines: number
  readonly records: number
}

/**
 * A delta that is being turned into a segment, while somebody reads it. The segment has its name only when it was written,
 * synced, opened again and read from end to end: what follows is that the delta is removed, and then there is no other copy.
 */
export class Sealing {
  readonly #disk: Disk
  readonly #seal: Seal
  readonly #file: DiskFile
  readonly #writer: SegmentWriter

  private constructor(disk: Disk, seal: Seal, file: DiskFile) {
    this.#disk = disk
    this.#seal = seal
    this.#file = file
    const blocks = new BlockFileWriter(file, DRESS)
    this.#writer = new SegmentWriter(blocks, unfinishedPath(seal), seal.firstSeq, seal.shape)
  }

  static async begin(disk: Disk, seal: Seal): Promise<Sealing> {
    const file = await disk.open(unfinishedPath(seal))
    const sealing = new Sealing(disk, seal, file)
    // An attempt that a crash ended may have left one.
    await file.truncate(0).catch((error: unknown) => sealing.#failed(error))
    return sealing
  }

  /** The next line. Resolves when there is room for more; null when there is. */
  add(line: ReadLine): Promise<void> | null {
    return this.#writer.add(line)
  }

  /** `previous` is the newest segment there is. */
  async finish(lastSeq: number, previous: SegmentLink | null): Promise<Sealed> {
    const { folder, firstSeq } = this.#seal
    must(firstSeq <= lastSeq, 'a segment holds something')
    const name = segmentName(firstSeq, lastSeq)
    const path = `${folder}/${name}`
    const unfinished = unfinishedPath(this.#seal)
    try {
      const written = await this.#writer.finish(lastSeq, previous)
      await this.#file.close()
      const [finding] = await verifySegmentBytes(this.#disk, { name, path: unfinished, firstSeq, lastSeq })
      if (finding !== undefined) throw new LedgerDamaged(finding, finding.what)
      await this.#disk.rename(unfinished, path)
      await this.#disk.syncFolder(folder)
      return { name, path, ...written }
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** It is only a copy. A disk that fails may fail at this too; what is the matter was said already. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    await this.#disk.remove(unfinishedPath(this.#seal)).catch(() => {})
  }

  async #failed(error: unknown): Promise<never> {
    await this.discard()
    throw error
  }
}

function unfinishedPath({ folder, firstSeq }: Seal): string {
  return `${folder}/${paddedSeq(firstSeq)}.jsonl.gz${TEMPORARY}`
}

export interface WholeSeal extends Seal {
  readonly lines: Iterable<string>
  readonly lastSeq: number
  readonly previous: SegmentLink | null
}

/** All at once, from lines as they stand in a delta, without newlines; neither its header nor blank lines. */
export async function sealSegment(
  disk: Disk,
  { lines, lastSeq, previous, ...seal }: WholeSeal,
): Promise<Sealed> {
  const sealing = await Sealing.begin(disk, seal)
  try {
    for (const text of lines) {
      const line = JSON.parse(text) as Line
      const room = sealing.add({ line, entries: entriesOf(line), bytes: Buffer.from(text) })
      if (room !== null) await room
    }
  } catch (error) {
    await sealing.discard()
    throw error
  }
  return sealing.finish(lastSeq, previous)
}
