// A job as a row of the index has it: as much as is needed to decide on it, and to say what it was that was decided on.
import type { JobAggregate, RecordKey } from '../../core/aggregate.ts'
import { type AzureCell, type CellMeta, noCell } from './azure-cell.ts'
import { lineOfIndexed } from './lane-rows.ts'
import { MOST_CHARS_IN_VALUE, type Row } from './service.ts'

interface WholeJob {
  readonly aggregate: JobAggregate
  readonly meta: CellMeta
  readonly etag: string
}

/** Null when it would be too long; then whoever takes it has to read it. */
export function wholeJob({ aggregate, meta, etag }: AzureCell): string | null {
  if (etag === null) return null
  // What is owed is done by the time anybody reads this.
  const text = JSON.stringify({ aggregate, meta: { ...meta, last: null }, etag })
  return text.length <= MOST_CHARS_IN_VALUE ? text : null
}

export function jobOfWhole(key: RecordKey, row: Row, lane: number): AzureCell | null {
  if (row.columns.job === undefined) return null
  const { aggregate, meta, etag } = JSON.parse(row.columns.job as string) as WholeJob
  const { job, steps, outbox } = aggregate
  for (const record of [job, ...steps, ...outbox]) Object.freeze(record)
  return {
    ...noCell(key),
    aggregate,
    version: row.columns.v as number,
    holds: (meta.job?.slots ?? []).map((slot) => slot.key),
    etag,
    meta: { ...meta, line: null },
    receipt: { lane, ...lineOfIndexed(row) },
  }
}
