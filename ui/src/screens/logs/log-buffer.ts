// The part of the history that the page holds: without holes unless it says so, without doubles, and no more than fits. It may be
// anywhere in the log, and grows and shrinks at both ends.
import type { Level } from '../../../../src/core/audit-level.ts'
import type { HistoryRecord } from '../../api/live.ts'

export interface BufferSize {
  readonly records: number
  /** Letters of all texts: a few records with long ones are as heavy as many. */
  readonly weight: number
}

const LARGEST: BufferSize = { records: 100_000, weight: 100_000_000 }

/** More than is over is let go at once, so that it does not happen all the time. */
const SLACK = 0.025
/** What a record weighs that has no long texts. */
const PLAIN_WEIGHT = 200

type Counts = { [level in Level]: number }

export class LogBuffer {
  readonly #largest: BufferSize
  readonly #shared = new Map<string, string>()
  readonly #gaps = new Set<number>()
  #records: HistoryRecord[] = []
  #base = 0
  #weight = 0
  #isGapNext = false
  #counts: Counts = { error: 0, warn: 0, info: 0, debug: 0 }

  constructor(largest = LARGEST) {
    this.#largest = largest
  }

  get records(): readonly HistoryRecord[] {
    return this.#records
  }

  /** The number of the first record. A record keeps its number for as long as it is here. */
  get base(): number {
    return this.#base
  }

  get counts(): Readonly<Counts> {
    return this.#counts
  }

  get first(): HistoryRecord | undefined {
    return this.#records[0]
  }

  get last(): HistoryRecord | undefined {
    return this.#records.at(-1)
  }

  get isOver(): boolean {
    return this.#records.length > this.#largest.records || this.#weight > this.#largest.weight
  }

  /** Entries between this one and the one before it are gone for good. */
  isAfterGap(record: HistoryRecord): boolean {
    return this.#gaps.has(record.seq)
  }

  /** Whatever comes next, something before it is missing. */
  noteGap(): void {
    this.#isGapNext = true
  }

  /** A page of older ones, the newest first. What is not older is here already. */
  prepend(page: readonly HistoryRecord[]): number {
    const before = this.first?.seq ?? Number.POSITIVE_INFINITY
    const older: HistoryRecord[] = []
    let oldest = before
    for (const record of page) {
      if (record.seq >= oldest) continue
      oldest = record.seq
      older.push(this.#take(record))
    }
    this.#records = [...older.reverse(), ...this.#records]
    this.#base -= older.length
    return older.length
  }

  /** Newer ones, in the order in which they happened. What is not newer is here already, or was let go. */
  append(newer: readonly HistoryRecord[]): number {
    let count = 0
    for (const record of newer) {
      const last = this.last
      if (last !== undefined && record.seq <= last.seq) continue
      if (this.#isGapNext && last !== undefined) this.#gaps.add(record.seq)
      this.#isGapNext = false
      this.#records.push(this.#take(record))
      count++
    }
    return count
  }

  /** Lets the oldest go until the rest fits. */
  dropOldest(): void {
    const count = this.#tooMany((i) => i)
    this.#base += count
    this.#forget(this.#records.splice(0, count))
  }

  /** Lets the newest go until the rest fits. */
  dropNewest(): void {
    const { length } = this.#records
    const count = this.#tooMany((i) => length - 1 - i)
    this.#forget(this.#records.splice(length - count, count))
  }

  clear(): void {
    this.#records = []
    this.#gaps.clear()
    this.#shared.clear()
    this.#base = 0
    this.#weight = 0
    this.#isGapNext = false
    this.#counts = { error: 0, warn: 0, info: 0, debug: 0 }
  }

  /** Where the record with this place in the log is, or the first one after it. */
  indexOf(seq: number): number {
    let low = 0
    let high = this.#records.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#records[middle] as HistoryRecord).seq < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  #tooMany(nth: (i: number) => number): number {
    if (!this.isOver) return 0
    const { records, weight } = this.#largest
    let count = 0
    let left = this.#weight
    const most = this.#records.length
    while (count < most - 1 && (most - count > records * (1 - SLACK) || left > weight * (1 - SLACK))) {
      left -= weightOf(this.#records[nth(count)] as HistoryRecord)
      count++
    }
    return count
  }

  #take(record: HistoryRecord): HistoryRecord {
    const kept = this.#compact(record)
    this.#weight += weightOf(kept)
    this.#counts[kept.level]++
    return kept
  }

  #forget(records: readonly HistoryRecord[]): void {
    for (const record of records) {
      this.#weight -= weightOf(record)
      this.#counts[record.level]--
      this.#gaps.delete(record.seq)
    }
  }

  /** The same few names are in most records: they are kept once. */
  #compact(record: HistoryRecord): HistoryRecord {
    const { id, job_id, doc_id, metadata } = record
    return {
      ...record,
      tenant_id: this.#share(record.tenant_id),
      job_id: job_id === id ? id : job_id,
      doc_id: doc_id === id ? id : doc_id === job_id ? job_id : doc_id,
      adapter: this.#share(record.adapter),
      actor: this.#share(record.actor),
      error_type: record.error_type === null ? null : this.#share(record.error_type),
      error_message: record.error_message === null ? null : this.#share(record.error_message),
      reason: record.reason === null ? null : this.#share(record.reason),
      metadata: isEmpty(metadata) ? EMPTY : metadata,
    }
  }

  #share(text: string): string {
    const known = this.#shared.get(text)
    if (known !== undefined) return known
    if (this.#shared.size < MOST_SHARED && text.length < LONGEST_SHARED) this.#shared.set(text, text)
    return text
  }
}

const MOST_SHARED = 10_000
const LONGEST_SHARED = 500
const EMPTY = Object.freeze({})

function isEmpty(value: object): boolean {
  for (const _ in value) return false
  return true
}

function weightOf({ id, error_message, reason, traceback, metadata }: HistoryRecord): number {
  const texts = (error_message?.length ?? 0) + (reason?.length ?? 0) + (traceback?.length ?? 0)
  return PLAIN_WEIGHT + id.length + texts + (metadata === EMPTY ? 0 : roughly(metadata))
}

/** How long it would be, without writing it. */
function roughly(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let sum = 16
  for (const key in value) sum += key.length + roughly((value as { [key: string]: unknown })[key])
  return sum
}
