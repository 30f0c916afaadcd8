import { claimOf, readyKeyOf, withBorn } from './birth-runs.ts'
import { bornRow } from './born-row.ts'
import { LoneSet } from './lone-set.ts'
import { withMoved } from './stride-runs.ts'
import type { WriteSet } from './tables.ts'

/** The same with a row for every job, as it is when all of it is written. */
export function inRows(given: WriteSet): WriteSet {
  if (given instanceof LoneSet) return given.inRows()
  const set = withMoved(given)
  if (set.runs.length === 0) return set
  const born = set.runs.flatMap(({ births }) =>
    births.map((birth) => ({ row: bornRow(birth), ready: readyKeyOf(birth), claim: claimOf(birth) })),
  )
  return withBorn({ ...set, runs: [] }, born)
}
