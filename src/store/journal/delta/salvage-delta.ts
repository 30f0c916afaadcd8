import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import type { NamedFile } from '../file-names.ts'
import { withChecksum } from '../lines/checksum.ts'
import { type Line, placesOf } from '../lines/line.ts'
import { headerLine } from './delta-writer.ts'
import { parseLine } from './parse-batches.ts'

const NEWLINE = 0x0a

export interface Salvage {
  /** The batch that holds this byte does not follow from what is there, or is damaged. */
  readonly dropFrom: number
  /** The first seq of the next delta: everything before it that is not here is lost. */
  readonly until: number | undefined
  readonly timestamp: number
  readonly created_at: string
}

export interface Salvaged {
  /** The file as it should be. */
  readonly bytes: Buffer
  readonly lost: readonly (readonly [first: number, last: number])[]
}

interface WholeBatch {
  readonly first: number
  readonly next: number
  readonly at: number
  readonly end: number
}

/** Everything of a delta that can be saved: its whole batches in their order, with a line in place of each gap. */
export async function salvageDelta(
  disk: Disk,
  { path, seq }: NamedFile,
  salvage: Salvage,
): Promise<Salvaged> {
  const file = await disk.openToRead(path)
  if (file === null) throw new LedgerDamaged({ file: path, byte: 0 }, 'the file is gone')
  const size = await file.size()
  const bytes = Buffer.from(await file.read(0, size))
  await file.close()
  const parts: Buffer[] = [Buffer.from(headerLine(seq, salvage.created_at))]
  const lost: (readonly [number, number])[] = []
  let next = seq
  const fillUpTo = (until: number) => {
    if (until <= next) return
    lost.push([next, until - 1])
    parts.push(Buffer.from(gapLine(next, until - 1, salvage.timestamp)))
    next = until
  }
  for (const batch of wholeBatches(bytes)) {
    const isDropped = batch.at <= salvage.dropFrom && salvage.dropFrom < batch.end
    if (isDropped || batch.first < next) continue
    fillUpTo(batch.first)
    parts.push(bytes.subarray(batch.at, batch.end))
    next = batch.next
  }
  if (salvage.until !== undefined) fillUpTo(salvage.until)
  return { bytes: Buffer.concat(parts), lost }
}

/** Batches whose lines are all there, one after the other, wherever they are. */
function* wholeBatches(bytes: Buffer): Generator<WholeBatch> {
  let open: { readonly first: number; readonly at: number; next: number; seen: number } | null = null
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    const line = newline === -1 ? 'cut off' : parseLine(bytes.subarray(at, end))
    const start = at
    at = end + 1
    if (typeof line === 'string' || line.batch === undefined) {
      open = null
      continue
    }
    const [first, size, index] = line.batch
    if (index === 0) open = { first, at: start, next: line.seq, seen: 0 }
    if (open === null || !continues(open, line)) {
      open = null
      continue
    }
    open.next += placesOf(line)
    open.seen++
    if (open.seen === size) {
      yield { first, next: open.next, at: open.at, end: at }
      open = null
    }
  }
}

function continues(
  open: { readonly first: number; readonly next: number; readonly seen: number },
  line: Line,
): boolean {
  return line.batch[0] === open.first && line.batch[2] === open.seen && line.seq === open.next
}

function gapLine(first: number, until: number, timestamp: number): string {
  const line = { seq: first, event: 'repaired', timestamp, until, batch: [first, 1, 0] }
  return `${withChecksum(JSON.stringify(line).slice(0, -1))}\n`
}
