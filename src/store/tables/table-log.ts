import type { AuditRecord } from '../../core/audit.ts'
import { DurationRollup, type DurationRow, type RollupFields, sketchOf } from '../../core/durations.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import { seqOf } from '../cursor.ts'
import {
  type AuditQuery,
  auditPage,
  type Cursor,
  type DurationsQuery,
  matchesDurations,
  matchesGroup,
  type Page,
} from '../query.ts'
import type { WatchedLog } from '../watchers.ts'
import { tagsOf } from './chunk-tags.ts'
import { recordsOf } from './entry-codec.ts'
import type { ChunkSelect, ChunkSketch } from './log-parts.ts'
import type { Head, Tables } from './tables.ts'

/** Chunks that are read at a time: few at first, since the first may have all that is asked for. */
const FIRST_CHUNKS = 16
const MOST_CHUNKS = 256
const SKETCHES_AT_ONCE = 1000

const EVERYTHING = { tags: [], from: undefined, before: undefined } as const

/** The history: parts of it are rows, and are expanded when they are read. */
export class TableLog implements WatchedLog {
  readonly #tables: Tables
  #head: Head

  constructor(tables: Tables, head: Head) {
    this.#tables = tables
    this.#head = head
  }

  /** As far as is known. */
  get lastSeq(): number {
    return this.#head.seq
  }

  get head(): Head {
    return this.#head
  }

  /** Answers whether it has grown. What is heard late may be older than what is known. */
  reached(head: Head): boolean {
    if (head.seq < this.#head.seq) return false
    const hasGrown = head.seq > this.#head.seq
    this.#head = head
    return hasGrown
  }

  async refresh(): Promise<boolean> {
    return this.reached(await this.#tables.head())
  }

  /** Whether there is such a place yet only the database knows: whoever gave out the cursor may be further. */
  placeOf(cursor: Cursor): number {
    return seqOf(cursor)
  }

  async *after(seq: number): AsyncGenerator<AuditRecord> {
    if (seq > this.#head.seq) await this.#mustReach(seq)
    for await (const record of this.#read({ ...EVERYTHING, seq, isDescending: false })) yield record
  }

  async audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    const isDescending = query.direction === 'desc'
    const place = query.after === undefined ? undefined : seqOf(query.after)
    if (place !== undefined && place > this.#head.seq) await this.#mustReach(place)
    const { tenant_id, kind, id, job_id, doc_id, from, before } = query
    const isAbout = id !== undefined || job_id !== undefined || doc_id !== undefined
    const select = {
      ids: isAbout ? await this.#tables.chunksAbout({ tenant_id, kind, id, job_id, doc_id }) : undefined,
      tags: tagsOf(query),
      from,
      before,
      seq: place ?? (isDescending ? Number.MAX_SAFE_INTEGER : 0),
      isDescending,
    }
    return auditPage(this.#read(select), query)
  }

  async durations(query: DurationsQuery): Promise<readonly DurationRow[]> {
    const rollup = new DurationRollup()
    const { from, before } = query
    for (let after = 0; ; ) {
      const sketches = await this.#tables.sketches({ from, before, after, limit: SKETCHES_AT_ONCE })
      for (const sketch of sketches) await this.#addTo(rollup, sketch, query)
      const last = sketches.at(-1)
      if (last === undefined || sketches.length < SKETCHES_AT_ONCE) return rollup.rows(query)
      after = last.first_seq
    }
  }

  /** A part that lies in the time asked for as a whole has been added up already. */
  async #addTo(rollup: DurationRollup, sketch: ChunkSketch, query: DurationsQuery): Promise<void> {
    const { from = 0, before = Number.POSITIVE_INFINITY } = query
    if (sketch.first_at >= from && sketch.last_at < before) {
      for (const { tenant_id, kind, state, adapter, ...fields } of JSON.parse(
        sketch.sketch,
      ) as RollupFields) {
        const group = { tenant_id, kind, state, adapter }
        if (matchesGroup(group, query)) rollup.merge(group, sketchOf(fields))
      }
      return
    }
    const select = { ...EVERYTHING, seq: sketch.first_seq - 1, isDescending: false, limit: 1 }
    const [chunk] = await this.#tables.chunks(select)
    if (chunk === undefined) return
    for (const record of recordsOf(chunk)) if (matchesDurations(record, query)) rollup.add(record)
  }

  async *#read(select: Omit<ChunkSelect, 'limit'>): AsyncGenerator<AuditRecord> {
    const { isDescending } = select
    let { seq } = select
    for (let limit = FIRST_CHUNKS; ; limit = Math.min(2 * limit, MOST_CHUNKS)) {
      const chunks = await this.#tables.chunks({ ...select, seq, limit })
      for (const chunk of chunks) {
        const records = recordsOf(chunk)
        for (const record of isDescending ? records.toReversed() : records) {
          if (isDescending ? record.seq >= seq : record.seq <= seq) continue
          yield record
          seq = record.seq
        }
      }
      if (chunks.length < limit) return
    }
  }

  /** A place beyond the end came from another ledger: following it would skip what is still to be written here. */
  async #mustReach(seq: number): Promise<void> {
    await this.refresh()
    if (seq > this.#head.seq) throw new BadCursor(String(seq))
  }
}
