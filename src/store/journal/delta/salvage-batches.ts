import { BatchLines } from '../lines/batch-lines.ts'
import { withChecksum } from '../lines/checksum.ts'
import { type Line, placesOf } from '../lines/line.ts'
import { parseLine } from './parse-batches.ts'

const NEWLINE = 0x0a

export interface Salvage {
  readonly firstSeq: number
  /** The batch that holds this byte cannot be, and is left out; null when bytes are damaged and nothing else. */
  readonly dropAt: number | null
  /** Everything before this seq that is not here is lost; null when nothing says how far it went. */
  readonly until: number | null
  readonly timestamp: number
}

export interface Salvaged {
  /** Lines with their newlines: whole batches in their order, and a line in place of each gap. */
  readonly lines: Buffer
  readonly lost: readonly (readonly [first: number, last: number])[]
}

interface WholeBatch {
  readonly first: number
  readonly next: number
  readonly at: number
  readonly end: number
}

/** Everything that can be saved of lines that were written one after the other. */
export function salvageBatches(bytes: Buffer, { firstSeq, dropAt, until, timestamp }: Salvage): Salvaged {
  const parts: Buffer[] = []
  const lost: (readonly [number, number])[] = []
  let next = firstSeq
  const fillUpTo = (seq: number) => {
    if (seq <= next) return
    lost.push([next, seq - 1])
    parts.push(Buffer.from(gapLine(next, seq - 1, timestamp)))
    next = seq
  }
  const { batches, seen } = wholeBatches(bytes)
  for (const batch of batches) {
    const isDropped = dropAt !== null && batch.at <= dropAt && dropAt < batch.end
    if (isDropped || batch.first < next) continue
    fillUpTo(batch.first)
    parts.push(bytes.subarray(batch.at, batch.end))
    next = batch.next
  }
  fillUpTo(until ?? seen)
  return { lines: Buffer.concat(parts), lost }
}

/** Batches whose lines are all there, one after the other, wherever they are; and how far good lines went at all. */
function wholeBatches(bytes: Buffer): { readonly batches: readonly WholeBatch[]; readonly seen: number } {
  const batches: WholeBatch[] = []
  let seen = 0
  let open: OpenBatch | null = null
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    const written = newline === -1 ? 'cut off' : parseLine(bytes.subarray(at, end))
    const start = at
    at = end + 1
    if (typeof written === 'string' || written.batch === undefined) {
      open = null
      continue
    }
    const [first, size, index] = written.batch
    if (index === 0) open = { first, at: start, next: written.seq, seen: 0, lines: new BatchLines() }
    const line = open?.lines.add(written) ?? 'it is of no batch that is whole up to here'
    // How many seqs it takes is only known of a line that is whole.
    seen = Math.max(seen, written.seq + (typeof line === 'string' ? 1 : placesOf(line)))
    if (typeof line === 'string') {
      open = null
      continue
    }
    if (open === null || !continues(open, line)) {
      open = null
      continue
    }
    open.next += placesOf(line)
    open.seen++
    if (open.seen < size) continue
    batches.push({ first, next: open.next, at: open.at, end: at })
    open = null
  }
  return { batches, seen }
}

interface OpenBatch {
  readonly first: number
  readonly at: number
  readonly lines: BatchLines
  next: number
  seen: number
}

function continues({ first, next, seen }: OpenBatch, { batch, seq }: Line): boolean {
  return batch[0] === first && batch[2] === seen && seq === next
}

function gapLine(first: number, until: number, timestamp: number): string {
  const line = { seq: first, event: 'repaired', timestamp, until, batch: [first, 1, 0] }
  return `${withChecksum(JSON.stringify(line).slice(0, -1))}\n`
}
