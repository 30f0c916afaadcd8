import { type AuditEntry, type AuditRecord, expandHop, hopsOf } from '../../core/audit.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import { countWhile } from '../count-while.ts'
import { seqOf } from '../cursor.ts'
import type { Cursor } from '../query.ts'

/** The history in memory: entries as they were written, expanded when they are read. */
export class MemoryLog {
  readonly #entries: AuditEntry[] = []
  /** The place in the log of each entry's first record. */
  readonly #firstSeq: number[] = []
  #lastSeq = 0

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** A cursor beyond the end came from another log: following it would skip what is still to be written here. */
  placeOf(cursor: Cursor): number {
    const seq = seqOf(cursor)
    if (seq > this.#lastSeq) throw new BadCursor(cursor)
    return seq
  }

  append(entry: AuditEntry): void {
    this.#entries.push(entry)
    this.#firstSeq.push(this.#lastSeq + 1)
    this.#lastSeq += hopsOf(entry)
  }

  /** Records after a place, in order. */
  *after(seq: number): Generator<AuditRecord> {
    for (let i = this.#entryAt(seq + 1); i < this.#entries.length; i++) {
      const entry = this.#entries[i] as AuditEntry
      const first = this.#firstSeq[i] as number
      for (let hop = Math.max(0, seq + 1 - first); hop < hopsOf(entry); hop++) {
        yield expandHop(entry, hop, first + hop)
      }
    }
  }

  /** Records before a place, newest first. */
  *before(seq: number): Generator<AuditRecord> {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i] as AuditEntry
      const first = this.#firstSeq[i] as number
      for (let hop = hopsOf(entry) - 1; hop >= 0; hop--) {
        if (first + hop < seq) yield expandHop(entry, hop, first + hop)
      }
    }
  }

  /** Index of the entry that holds a place, or the end. */
  #entryAt(seq: number): number {
    return countWhile(
      this.#entries,
      (entry, index) => (this.#firstSeq[index] as number) + hopsOf(entry) - 1 < seq,
    )
  }
}
