import type { AuditRecord } from '../../../core/audit.ts'
import { DurationRollup, type DurationRow } from '../../../core/durations.ts'
import { BadCursor } from '../../../errors/input-errors.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { seqOf } from '../../cursor.ts'
import { type AuditQuery, auditPage, type DurationsQuery, matchesDurations, type Page } from '../../query.ts'

export type Direction = 'asc' | 'desc'

/** Part of a history: sealed, or still being written. Sources follow each other in the order of their seqs. */
export interface HistorySource {
  /** The first seq it has, or would have if there is nothing in it. */
  readonly firstSeq: number
  /** The last seq it has; one less than the first when there is nothing in it. */
  readonly lastSeq: number
  /**
   * What matches: after the place, in order, or before it, newest first. Cursor, direction and limit of the query
   * itself are not looked at.
   */
  records(query: AuditQuery, place: number, direction: Direction): AsyncIterable<AuditRecord>
  /** Adds up what matches. Only for sources that know better than to read it all. */
  addDurations?(query: DurationsQuery, rollup: DurationRollup): Promise<void>
}

/** A file that history was to be read from is gone: sealed, and what it had is in a segment now; or retired. */
export class HistoryMoved extends LedgerDamaged {
  constructor(file: string) {
    super({ file, byte: 0 }, 'the file is missing')
  }
}

/** The records of a history that match, from a place on in either direction. */
export async function* readHistory(
  sources: readonly HistorySource[],
  query: AuditQuery,
  place: number,
  direction: Direction,
): AsyncGenerator<AuditRecord> {
  for (const source of direction === 'asc' ? sources : sources.toReversed()) {
    const isOutside = direction === 'asc' ? source.lastSeq <= place : source.firstSeq >= place
    if (!isOutside) yield* source.records(query, place, direction)
  }
}

/** One page of a history, as `Store.audit` answers. */
export async function auditHistory(
  sources: readonly HistorySource[],
  query: AuditQuery,
): Promise<Page<AuditRecord>> {
  const direction = query.direction ?? 'asc'
  const start = direction === 'asc' ? 0 : Number.POSITIVE_INFINITY
  const place = query.after === undefined ? start : placeIn(sources, query.after)
  return auditPage(readHistory(sources, query, place, direction), query)
}

/** How long records stayed in their states, as `Store.durations` answers. */
export async function historyDurations(
  sources: readonly HistorySource[],
  query: DurationsQuery,
): Promise<readonly DurationRow[]> {
  const rollup = new DurationRollup()
  for (const source of sources) {
    if (source.addDurations === undefined) await scanDurations(source, query, rollup)
    else await source.addDurations(query, rollup)
  }
  return rollup.rows(query)
}

/** Adds up what matches by reading it. */
export async function scanDurations(
  source: HistorySource,
  query: DurationsQuery,
  rollup: DurationRollup,
): Promise<void> {
  const { state, ...fields } = query
  for await (const record of source.records({ ...fields, event: 'moved' }, 0, 'asc')) {
    if (matchesDurations(record, query)) rollup.add(record)
  }
}

/** The place that a cursor stands for. One beyond the end came from another history. */
export function placeIn(sources: readonly HistorySource[], cursor: string): number {
  const seq = seqOf(cursor)
  if (seq > (sources.at(-1)?.lastSeq ?? 0)) throw new BadCursor(cursor)
  return seq
}
