import type { AuditRecord } from '../../../core/audit.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk, DiskReader } from '../../../world/disk.ts'
import { countWhile } from '../../count-while.ts'
import { type AuditQuery, matchesAudit } from '../../query.ts'
import { likeLine, type WrittenLine } from '../lines/batch-lines.ts'
import type { Line } from '../lines/line.ts'
import { type Direction, HistoryMoved, type HistorySource } from '../segments/history.ts'
import { recordsOf } from '../segments/line-records.ts'
import { type ParsedBatch, parseLine } from './parse-batches.ts'
import { readBatches, readHeader } from './read-delta.ts'

/** How much is read and looked through at a time. */
const PIECE_BYTES = 256 * 1024

interface Written {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly at: number
  readonly end: number
}

/** The history in a delta file, as far as it is durable. */
export class DeltaLog implements HistorySource {
  readonly path: string
  readonly firstSeq: number
  readonly #disk: Disk
  /** First seq and first byte of each batch. */
  readonly #seqs: number[] = []
  readonly #ats: number[] = []
  #end = 0
  #lastSeq: number
  /** Resolves when it is known where the batches are; null when nobody has looked into the file yet. */
  #known: Promise<void> | null = Promise.resolve()

  constructor(disk: Disk, path: string, firstSeq: number) {
    this.#disk = disk
    this.path = path
    this.firstSeq = firstSeq
    this.#lastSeq = firstSeq - 1
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Where the last batch ends. */
  get end(): number {
    return this.#end
  }

  /** Where the last batch begins; undefined when there is none. */
  get lastBatchAt(): number | undefined {
    return this.#ats.at(-1)
  }

  /** It goes up to there, but nobody needed to read it yet. */
  endBefore(seq: number): void {
    this.#lastSeq = seq - 1
    this.#known = null
  }

  /** A batch is durable. */
  note({ firstSeq, lastSeq, at, end }: Written): void {
    this.#seqs.push(firstSeq)
    this.#ats.push(at)
    this.#end = end
    this.#lastSeq = lastSeq
  }

  /** All of it. */
  async *batches(): AsyncGenerator<ParsedBatch> {
    const file = await this.#disk.openToRead(this.path)
    if (file === null) throw new HistoryMoved(this.path)
    try {
      for await (const batches of readBatches(file, await readHeader(file, this.path))) yield* batches
    } finally {
      await file.close()
    }
  }

  async *records(query: AuditQuery, place: number, direction: Direction): AsyncGenerator<AuditRecord> {
    const sign = direction === 'asc' ? 1 : -1
    const needles = needlesOf(query)
    const has = (text: { includes(needle: string): boolean }, model?: string) =>
      needles.every((any) =>
        any.some((all) => all.every((needle) => text.includes(needle) || model?.includes(needle) === true)),
      )
    for await (const piece of sign === 1 ? this.#forwards(place) : this.#backwards(place)) {
      if (!has(piece)) continue
      const lines = linesOf(piece)
      for (const { text, model } of sign === 1 ? lines : lines.reverse()) {
        const records = has(text, model) ? recordsOf(this.#whole(text, model)) : []
        for (const record of sign === 1 ? records : records.reverse()) {
          if (sign * (record.seq - place) > 0 && matchesAudit(record, query)) yield record
        }
      }
    }
  }

  #whole(text: string, model: string | undefined): Line {
    const line = this.#parse(text)
    if (line.like === undefined) return line
    if (model === undefined) throw new LedgerDamaged({ file: this.path, byte: 0 }, NO_MODEL)
    return likeLine(this.#parse(model), line)
  }

  #parse(text: string): WrittenLine {
    const line = parseLine(Buffer.from(text))
    if (typeof line === 'string') throw new LedgerDamaged({ file: this.path, byte: 0 }, line)
    return line
  }

  /** Pieces from the batch on that holds what comes after the place. */
  async *#forwards(place: number): AsyncGenerator<Buffer> {
    await using file = await this.#open()
    for (let batch = Math.max(0, this.#batchOf(place + 1)); batch < this.#ats.length; ) {
      const at = this.#ats[batch] as number
      let next = batch + 1
      while (next < this.#ats.length && (this.#ats[next] as number) - at < PIECE_BYTES) next++
      yield file.read(at, this.#ats[next] ?? this.#end)
      batch = next
    }
  }

  /** Pieces from the batch on that holds what comes before the place, the last one first. */
  async *#backwards(place: number): AsyncGenerator<Buffer> {
    await using file = await this.#open()
    for (let batch = this.#batchOf(place - 1); batch >= 0; ) {
      const end = this.#ats[batch + 1] ?? this.#end
      let first = batch
      while (first > 0 && end - (this.#ats[first - 1] as number) < PIECE_BYTES) first--
      yield file.read(this.#ats[first] as number, end)
      batch = first - 1
    }
  }

  /** The last batch that begins at or before a seq; -1 when there is none. */
  #batchOf(seq: number): number {
    return countWhile(this.#seqs, (first) => first <= seq) - 1
  }

  async #look(): Promise<void> {
    try {
      const batches = await Array.fromAsync(this.batches(), ({ firstSeq, lastSeq, at, end }) => {
        return { firstSeq, lastSeq, at, end }
      })
      for (const batch of batches) this.note(batch)
    } catch (error) {
      this.#known = null
      throw error
    }
  }

  async #open(): Promise<OpenDelta> {
    // Whoever asks at the same time waits for the same look.
    this.#known ??= this.#look()
    await this.#known
    const file = await this.#disk.openToRead(this.path)
    if (file === null) throw new HistoryMoved(this.path)
    return new OpenDelta(file)
  }
}

class OpenDelta implements AsyncDisposable {
  readonly #file: DiskReader

  constructor(file: DiskReader) {
    this.#file = file
  }

  async read(at: number, end: number): Promise<Buffer> {
    const bytes = await this.#file.read(at, end - at)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }
}

const NO_MODEL = 'a line is like one that is not before it in its batch'

interface TextLine {
  readonly text: string
  /** The line that it says it is like, which is before it in its batch. */
  readonly model: string | undefined
}

/** How a line begins that says what is different from another one. */
const LIKE = /^\{"seq":\d+,"like":(\d+)/
const SEQ = /^\{"seq":(\d+)/

/** Of whole batches. */
function linesOf(piece: Buffer): TextLine[] {
  const texts = piece
    .toString('utf8')
    .split('\n')
    .filter((text) => text !== '')
  if (!piece.includes('"like":')) return texts.map((text) => ({ text, model: undefined }))
  const bySeq = new Map<string | undefined, string>()
  return texts.map((text) => {
    const like = LIKE.exec(text)?.[1]
    if (like === undefined) bySeq.set(SEQ.exec(text)?.[1], text)
    return { text, model: like === undefined ? undefined : bySeq.get(like) }
  })
}

/**
 * What a line that matches has in it, as it stands there: most lines can be passed over without parsing them. For each
 * field that is asked for the ways in which its value may stand there, each of them texts that all have to be.
 */
function needlesOf(query: AuditQuery): readonly (readonly (readonly string[])[])[] {
  const { id, job_id, doc_id, tenant_id, adapter, error_type, actor, state } = query
  const asked = [job_id, doc_id, tenant_id, adapter, error_type, actor, state]
  const needles = asked.filter((value) => value !== undefined).map((value) => [[JSON.stringify(value)]])
  return id === undefined ? needles : [...needles, idNeedles(id)]
}

/** A step's id may stand there as that of its job and its own within it. */
function idNeedles(id: string): readonly (readonly string[])[] {
  const slash = id.lastIndexOf('/')
  if (slash === -1) return [[JSON.stringify(id)]]
  return [[JSON.stringify(id)], [JSON.stringify(id.slice(0, slash)), JSON.stringify(id.slice(slash + 1))]]
}
