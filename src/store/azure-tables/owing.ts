import type { AuditEntry } from '../../core/audit.ts'
import type { AzureCell, Handover, LanePlaces, Logged, Owed, RowRef, SlotPlace } from './azure-cell.ts'
import { slotColumns } from './idempotency-rows.ts'
import type { Lane } from './lane.ts'
import { latest } from './lane-write.ts'
import type { Plan, PlannedCell } from './plan.ts'
import type { Reserved, SlotRows } from './reservations.ts'
import type { Give, Take } from './slot-plan.ts'
import { IDEMPOTENCY } from './table-names.ts'

export interface Owing {
  readonly plan: Plan
  readonly lane: Lane
  readonly signals: Owed['signals']
  readonly reserved: readonly Reserved[]
  readonly rowsOf: SlotRows
}

/** What has to follow when the first of its cells has decided. */
export function owedBy({ plan, lane, signals, reserved, rowsOf }: Owing): Owed {
  const [by, ...others] = plan.cells
  const looked = [...plan.cells.map(({ before }) => before), ...plan.seen, ...plan.about]
  const own = by?.told ?? []
  const told = [...others.flatMap((other) => other.told), ...plan.others]
  return {
    at: plan.at,
    told,
    own: own.length,
    order: orderOf([...own, ...told], plan.entries),
    ...plan.owed,
    releases: [
      ...plan.slots.gives.flatMap((give) => placeOf(give, rowsOf) ?? []),
      ...plan.forgets.map((ref) => ({ ...ref, etag: null })),
    ],
    confirms: reserved.filter(isUntold).map(({ ref }) => ref),
    handovers: plan.slots.handovers.flatMap(({ from, to }) => handoverOf(from, to, rowsOf)),
    signals,
    others: [...others.map(({ before }) => before.ref), ...plan.held.map(({ ref }) => ref)],
    ...restsOn(looked, lane),
  }
}

/** Where each comes among all of them; null when they are in that order. */
function orderOf(told: readonly Logged[], entries: readonly AuditEntry[]): readonly number[] | null {
  const places = new Map(entries.map((entry, n) => [entry, n]))
  const order = told.map(([, entry]) => places.get(entry) as number)
  return order.every((place, n) => place === n) ? null : order
}

/** Nothing but the row itself will tell that it is right. */
function isUntold({ take, isToldByOwner }: Reserved): boolean {
  return !isToldByOwner && take?.job == null
}

/**
 * Lines that what was decided on rests on. What this process has written to the lane comes first by itself; a later line there is
 * somebody's who has taken the lane from it, and then its own goes elsewhere. Null when it is not known which lane it goes to.
 */
export function restsOn(cells: readonly AzureCell[], lane: Lane | null): Pick<Owed, 'after' | 'afterAt'> {
  let after: LanePlaces = {}
  let afterAt = 0
  for (const { receipt } of cells) {
    if (receipt === null) continue
    afterAt = Math.max(afterAt, receipt.at)
    const isFirst = receipt.lane === lane?.number && receipt.seq <= lane.seq
    if (!isFirst) after = latest(after, { [receipt.lane]: receipt.seq })
  }
  return { after, afterAt }
}

/** The row of a place that is given back. */
function placeOf(
  { tenant_id, key, owner, job }: Give,
  rowsOf: SlotRows,
): (RowRef & { readonly etag: string | null }) | null {
  if (job !== null) {
    const slot = job.before.meta.job?.slots.find((place) => place.key === key)
    return slot === undefined
      ? null
      : { table: IDEMPOTENCY, pk: slot.pk, rk: slot.rk, etag: slot.etag || null }
  }
  const row = rowsOf({ tenant_id, key })?.find((candidate) => candidate.owner === owner)
  return row === undefined ? null : { ...row.ref, etag: row.etag }
}

function handoverOf(from: Give, to: Take, rowsOf: SlotRows): readonly Handover[] {
  const place = placeOf(from, rowsOf)
  if (place === null) return []
  const { table, pk, rk } = place
  return [{ table, pk, rk, from: from.owner, columns: slotColumns({ ...to, isJobs: to.job !== null }, null) }]
}

/** The places that a job holds afterwards. */
export function slotPlaces(
  cell: PlannedCell,
  { slots }: Plan,
  { reserved, rowsOf }: { readonly reserved: readonly Reserved[]; readonly rowsOf: SlotRows },
): readonly SlotPlace[] {
  const gone = new Set(
    [...slots.gives, ...slots.handovers.map(({ from }) => from)]
      .filter(({ job }) => job === cell)
      .map(({ key }) => key),
  )
  const kept = (cell.before.meta.job?.slots ?? []).filter(({ key }) => !gone.has(key))
  const taken = reserved.flatMap(({ ref, etag, take }) =>
    take?.job === cell ? [{ key: take.key, pk: ref.pk, rk: ref.rk, etag }] : [],
  )
  const given = slots.handovers.flatMap(({ from, to }) => {
    const place = to.job === cell ? placeOf(from, rowsOf) : null
    return place === null ? [] : [{ key: to.key, pk: place.pk, rk: place.rk, etag: '' }]
  })
  return [...kept, ...taken, ...given]
}
