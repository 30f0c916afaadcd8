// What a disk has of a file when the power comes back.
//
// Sizes come through in order: a file system keeps a journal of them. Data comes through in any order, or not at all: of
// each write, everything, nothing, a part that ends at any byte, or some of its pages or sectors and others not. Where the
// size came through and the data did not, there are zeros. Data behind the end is not seen, nor is data written into
// room that was cut off and made again, unless the cutting came through too.
import type { Random } from '../../world/random.ts'
import { coin, type Luck, rollLuck, upTo } from './luck.ts'
import type { PagedBytes } from './paged-bytes.ts'
import type { DataChange, FileChange, StoredFile } from './stored-file.ts'

/** What systems, and drives, write as one. */
const PAGE_BYTES = 4096
const SECTOR_BYTES = 512

export function survivingBytes(file: StoredFile, random: Random): PagedBytes {
  const bytes = file.durable.copy()
  if (file.changes.length === 0) return bytes
  const luck = rollLuck(random)
  let sizesLeft = survivingSizes(file.changes, luck, random)
  let reach = Number.POSITIVE_INFINITY
  for (const change of file.changes) {
    if (change.kind === 'data') {
      const end = Math.min(bytes.size, reach)
      for (const [from, until] of survivingParts(change, luck, random))
        writeUpTo(end, bytes, change, from, until)
    } else if (sizesLeft-- > 0) {
      bytes.resize(change.size)
    } else if (change.size < bytes.size) {
      reach = Math.min(reach, change.size)
    } else if (sizesLeft === -1 && luck === 'some') {
      bytes.resize(bytes.size + upTo(change.size - bytes.size, random))
    }
  }
  return bytes
}

/** How many of the changes of size came through. */
function survivingSizes(changes: readonly FileChange[], luck: Luck, random: Random): number {
  const sizes = changes.filter(({ kind }) => kind === 'size')
  const certain = sizes.findLastIndex((change) => change.certain) + 1
  if (luck === 'nothing') return certain
  return luck === 'everything' ? sizes.length : certain + upTo(sizes.length - certain, random)
}

type Part = readonly [from: number, until: number]

/** Parts of a write, as positions in the file. */
function survivingParts({ position, bytes, certain }: DataChange, luck: Luck, random: Random): Part[] {
  const end = position + bytes.length
  if (certain || luck === 'everything') return [[position, end]]
  if (luck === 'nothing') return []
  switch (upTo(4, random)) {
    case 0:
      return []
    case 1:
      return [[position, end]]
    case 2:
      return [[position, position + upTo(bytes.length, random)]]
    case 3:
      return survivingBlocks(position, end, PAGE_BYTES, random)
    default:
      return survivingBlocks(position, end, SECTOR_BYTES, random)
  }
}

function survivingBlocks(position: number, end: number, blockBytes: number, random: Random): Part[] {
  const parts: Part[] = []
  for (let from = position; from < end; ) {
    const until = Math.min(end, from - (from % blockBytes) + blockBytes)
    if (coin(random)) parts.push([from, until])
    from = until
  }
  return parts
}

function writeUpTo(end: number, into: PagedBytes, change: DataChange, from: number, until: number): void {
  const last = Math.min(until, end)
  if (from < last) into.write(from, change.bytes.subarray(from - change.position, last - change.position))
}
