import { must } from '../../../core/must.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { TEMPORARY } from '../file-names.ts'
import { DRESS, type SegmentLink } from './layout.ts'
import { segmentName } from './segment-name.ts'
import { type SegmentShape, SegmentWriter } from './segment-writer.ts'
import { verifySegmentBytes } from './verify-segment.ts'

export interface Seal {
  /** The ledger's `audit` folder; it is there. */
  readonly folder: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** The delta's lines as they are, without newlines; neither its header nor blank lines. */
  readonly lines: AsyncIterable<string> | Iterable<string>
  /** The newest segment there is. */
  readonly previous: SegmentLink | null
  readonly shape?: SegmentShape
}

/** A segment as it was sealed: a link for the next one, and what is in it. */
export interface Sealed extends SegmentLink {
  readonly path: string
  readonly bytes: number
  readonly lines: number
  readonly records: number
}

/**
 * Turns a delta into a segment. It has its name only when it was written, synced, opened again and read from end
 * to end: what follows is that the delta is removed, and then there is no other copy.
 */
export async function sealSegment(disk: Disk, seal: Seal): Promise<Sealed> {
  const { folder, firstSeq, lastSeq } = seal
  must(firstSeq <= lastSeq, 'a segment holds something')
  const name = segmentName(firstSeq, lastSeq)
  const path = `${folder}/${name}`
  const unfinished = path + TEMPORARY
  try {
    const written = await write(disk, unfinished, seal)
    const [finding] = await verifySegmentBytes(disk, { name, path: unfinished, firstSeq, lastSeq })
    if (finding !== undefined) throw new LedgerDamaged(finding, finding.what)
    await disk.rename(unfinished, path)
    await disk.syncFolder(folder)
    return { name, path, ...written }
  } catch (error) {
    // It is only a copy. A disk that fails may fail at this too; what is the matter was said already.
    await disk.remove(unfinished).catch(() => {})
    throw error
  }
}

async function write(disk: Disk, path: string, { firstSeq, lastSeq, lines, previous, shape }: Seal) {
  const file = await disk.open(path)
  try {
    await file.truncate(0)
    const writer = new SegmentWriter(new BlockFileWriter(file, DRESS), path, firstSeq, shape)
    for await (const text of lines) {
      if (writer.isFullFor(text)) await writer.endBlock()
      writer.add(text)
    }
    return await writer.finish(lastSeq, previous)
  } finally {
    await file.close()
  }
}
