// The lanes as one log. Lines come in the order of their times; one that rests on a line of another lane comes after it,
// also when that was seen later.
import type { AuditRecord } from '../../core/audit.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import type { LaneTails } from './lane-tails.ts'
import type { Lanes } from './lanes.ts'
import { type Line, recordsOfLine } from './line-columns.ts'
import { BEGINNING, cursorOf, type LanePosition, type Position } from './position.ts'

const FIRST_LINES = 8
const MOST_LINES = 100

interface LaneReader {
  readonly lane: number
  seq: number
  offset: number
  /** The last line that is asked for. */
  readonly last: number
  lines: Line[]
  /** There was nothing more when somebody last looked. */
  isAtEnd: boolean
  atOnce: number
}

interface Turn {
  readonly reader: LaneReader
  readonly readers: ReadonlyMap<number, LaneReader>
}

export class MergedLog {
  readonly #lanes: Lanes
  readonly #tails: LaneTails

  constructor(lanes: Lanes, tails: LaneTails) {
    this.#lanes = lanes
    this.#tails = tails
  }

  /** Where it ends now. */
  async end(): Promise<Position> {
    const ends = await this.#tails.ends()
    return new Map([...ends].map(([lane, seq]) => [lane, { seq, offset: 0 }]))
  }

  /** A position that no reader of this log can have come to is of another one. */
  async mustBeReached(position: Position): Promise<void> {
    const ends = await this.#tails.ends()
    for (const [lane, { seq, offset }] of position) {
      const end = ends.get(lane)
      if (end === undefined || seq + (offset > 0 ? 1 : 0) > end) throw new BadCursor(cursorOf(position))
    }
  }

  /** Everything after a position, as far as it is written; each record with the cursor after it. */
  async *after(start: Position): AsyncGenerator<AuditRecord> {
    for await (const { reader, readers } of this.#lines(start)) yield* tell(reader, readers)
  }

  /** The lines after one position, up to another. */
  async *between(start: Position, end: Position): AsyncGenerator<Line> {
    for await (const { reader } of this.#lines(start, end)) {
      const line = reader.lines.shift() as Line
      reader.seq = line.seq
      yield line
    }
  }

  /** Lane by lane, the one whose line is next. Whoever is shown one takes the line off it. */
  async *#lines(start: Position, end?: Position): AsyncGenerator<Turn> {
    await this.#lanes.refresh()
    const readers = new Map<number, LaneReader>()
    const readerOf = (lane: number): LaneReader => {
      const known = readers.get(lane)
      if (known !== undefined) return known
      const { seq, offset } = start.get(lane) ?? BEGINNING
      const last = end === undefined ? Number.POSITIVE_INFINITY : (end.get(lane)?.seq ?? 0)
      const reader = { lane, seq, offset, last, lines: [], isAtEnd: false, atOnce: FIRST_LINES }
      readers.set(lane, reader)
      return reader
    }
    for (const lane of [...this.#lanes.numbers, ...start.keys()]) readerOf(lane)
    for (;;) {
      await Promise.all([...readers.values()].map((reader) => this.#fill(reader)))
      const reader = earliest(readers.values())
      if (reader === undefined) return
      const line = reader.lines[0] as Line
      const behind = Object.entries(line.after)
        .map(([lane, seq]) => ({ reader: readerOf(Number(lane)), seq }))
        .filter((other) => other.reader.seq < other.seq && other.reader.lines.length === 0)
        .filter((other) => other.reader.seq < other.reader.last)
      if (behind.length > 0) {
        await Promise.all(behind.map((other) => this.#catchUp(other.reader, other.seq)))
        continue
      }
      yield { reader, readers }
    }
  }

  async #fill(reader: LaneReader): Promise<void> {
    if (reader.lines.length > 0 || reader.isAtEnd) return
    const { lane, seq, atOnce, last } = reader
    const lines = seq >= last ? [] : await this.#tails.after(lane, seq, atOnce)
    reader.lines = lines.filter((line) => line.seq <= last)
    reader.isAtEnd = reader.lines.length === 0
    reader.atOnce = Math.min(2 * atOnce, MOST_LINES)
  }

  /** Somebody rests on a line that was not there a moment ago. It is in the table, or was removed as past its time. */
  async #catchUp(reader: LaneReader, seq: number): Promise<void> {
    const { lane, atOnce, last } = reader
    const lines = await this.#tails.newer(lane, reader.seq, atOnce)
    reader.lines = lines.filter((line) => line.seq <= last)
    reader.isAtEnd = false
    if (reader.lines.length > 0) return
    reader.seq = Math.min(seq, last)
    reader.offset = 0
  }

  /** Everything up to a position, the newest first; each record with the cursor after it. */
  async *before(end: Position): AsyncGenerator<AuditRecord> {
    const readers = [...end].map(([lane, position]) => new BackReader(lane, position, this.#tails))
    for (;;) {
      await Promise.all(readers.map((reader) => reader.fill()))
      let latest: BackReader | undefined
      for (const reader of readers) {
        if (reader.line === undefined) continue
        if (latest?.line === undefined || comesBefore(latest.line, reader.line)) latest = reader
      }
      if (latest === undefined) return
      const position = new Map(readers.map((reader) => [reader.lane, reader.position]))
      yield { ...latest.record, cursor: cursorOf(position) }
      latest.stepBack()
    }
  }
}

function* tell(reader: LaneReader, readers: ReadonlyMap<number, LaneReader>): Generator<AuditRecord> {
  const line = reader.lines.shift() as Line
  const records = recordsOfLine(line)
  for (let n = reader.offset; n < records.length; n++) {
    const isLast = n === records.length - 1
    reader.seq = isLast ? line.seq : line.seq - 1
    reader.offset = isLast ? 0 : n + 1
    const position = new Map([...readers].map(([lane, { seq, offset }]) => [lane, { seq, offset }]))
    yield { ...(records[n] as AuditRecord), cursor: cursorOf(position) }
  }
  reader.seq = line.seq
  reader.offset = 0
}

function earliest(readers: Iterable<LaneReader>): LaneReader | undefined {
  let first: LaneReader | undefined
  for (const reader of readers) {
    const [line] = reader.lines
    if (line === undefined) continue
    if (first === undefined || comesBefore(line, first.lines[0] as Line)) first = reader
  }
  return first
}

function comesBefore(a: Line, b: Line): boolean {
  return a.at < b.at || (a.at === b.at && a.lane < b.lane)
}

/** One lane, read backwards. */
class BackReader {
  readonly lane: number
  readonly #tails: LaneTails
  /** Lines up to this one have not been told. */
  #seq: number
  /** Records of the line after it that have not been told; null when all of it is to be. */
  #offset: number
  #lines: Line[] = []
  #records: readonly AuditRecord[] = []

  constructor(lane: number, { seq, offset }: LanePosition, tails: LaneTails) {
    this.lane = lane
    this.#tails = tails
    this.#seq = seq
    this.#offset = offset
  }

  /** The line that is being told. */
  get line(): Line | undefined {
    return this.#lines.at(-1)
  }

  get record(): AuditRecord {
    return this.#records[this.#offset - 1] as AuditRecord
  }

  get position(): LanePosition {
    // A line that was told to its end counts as read.
    return this.#offset === this.#records.length && this.#records.length > 0
      ? { seq: this.#seq + 1, offset: 0 }
      : { seq: this.#seq, offset: this.#offset }
  }

  /** Sees to it that there is a record to tell, if there is one. */
  async fill(): Promise<void> {
    while (this.line === undefined || this.#offset === 0) {
      if (this.line === undefined && this.#offset > 0) {
        this.#lines = [...(await this.#tails.between(this.lane, this.#seq + 1, this.#seq + 1))]
        this.#records = this.line === undefined ? [] : recordsOfLine(this.line)
        if (this.line === undefined) this.#offset = 0
        continue
      }
      this.#lines.pop()
      if (this.#lines.length === 0) {
        if (this.#seq === 0) return
        const first = Math.max(1, this.#seq - MOST_LINES + 1)
        this.#lines = [...(await this.#tails.between(this.lane, first, this.#seq))]
      }
      const { line } = this
      // What was removed because it was past its time is not there.
      if (line === undefined) {
        this.#seq = 0
        return
      }
      this.#seq = line.seq - 1
      this.#records = recordsOfLine(line)
      this.#offset = this.#records.length
    }
  }

  stepBack(): void {
    this.#offset--
  }
}
