import type { RecordKey } from '../../../core/aggregate.ts'
import type { Claim, ClaimKey, SlotKey } from '../../../core/decision.ts'
import type { StoredCell } from '../cell.ts'
import { type Loaded, NOTHING_LOADED, type SlotRow, type Wanted } from '../tables.ts'
import type { Known } from './known.ts'
import type { Tail } from './tail.ts'

/** What is wanted, where it stands: in the tail as it is known, or else in the tables. Null when some of it is in a tail of others. */
export async function loadKnown(known: Known, tail: Tail, wanted: Wanted): Promise<Loaded | null> {
  const cells: StoredCell[] = []
  const claims: Claim[] = []
  const slots: SlotRow[] = []
  let isHidden = wanted.rows.length > 0 && known.hasInTail('row')
  const unsure: RecordKey[] = []
  const isElsewhere = (key: RecordKey) => {
    const cell = known.cell(key)
    if (cell === null && !known.isChanged(key)) {
      // New, and no longer kept in mind; or where it is found, and nothing in the tail is about it.
      unsure.push(key)
      return true
    }
    if (cell === null) isHidden = true
    else if (cell !== undefined) cells.push(cell)
    return cell === undefined
  }
  const isUnclaimed = ({ tenant_id, key }: ClaimKey) => {
    const owner = known.ownerOf({ tenant_id, key })
    if (owner !== undefined) claims.push({ tenant_id, key, owner })
    return owner === undefined
  }
  const isUnknown = (slot: SlotKey) => {
    const row = known.limit(slot)
    if (row !== undefined) slots.push(row)
    else if (known.isOthersLimit(slot)) isHidden = true
    return row === undefined
  }
  const left = {
    ...wanted,
    jobs: wanted.jobs.filter(isElsewhere),
    records: wanted.records.filter(isElsewhere),
    claims: wanted.claims.filter(isUnclaimed),
    slots: wanted.slots.filter(isUnknown),
    refusals: wanted.refusals,
    rows: wanted.rows,
  }
  if (isHidden) return null
  const isAll = Object.values(left).every((keys) => Array.isArray(keys) && keys.length === 0)
  const loaded = isAll ? NOTHING_LOADED : await tail.load(left)
  if (unsure.length > 0) {
    const there = new Set(loaded.jobs.map(({ tenant_id, job_id }) => `${tenant_id}\n${job_id}`))
    if (!unsure.every(({ tenant_id, id }) => there.has(`${tenant_id}\n${id}`))) return null
  }
  return { ...loaded, cells, claims: [...loaded.claims, ...claims], slots: [...loaded.slots, ...slots] }
}
