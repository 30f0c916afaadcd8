import type { RecordKind } from '../../core/machines/all.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { NextRow } from './cell-rows.ts'
import { countKey } from './lane-rows.ts'
import { whole } from './long-columns.ts'
import type { Row } from './service.ts'

/** How many records of a tenant came into each state through a lane, less those that left it. */
type Tally = { readonly [kind: string]: { readonly [state: string]: number } }

export type LaneCounts = ReadonlyMap<string, Tally>

/** The counts with these added, of the tenants concerned. */
export function addedTo(counts: LaneCounts, entries: readonly CountEntry[]): LaneCounts {
  const changed = new Map<string, Tally>()
  for (const { tenant_id, kind, state, n } of entries) {
    const tally = changed.get(tenant_id) ?? counts.get(tenant_id) ?? {}
    const states = tally[kind] ?? {}
    changed.set(tenant_id, { ...tally, [kind]: { ...states, [state]: (states[state] ?? 0) + n } })
  }
  return changed
}

export function countRows(counts: LaneCounts): readonly NextRow[] {
  return [...counts].map(([tenant_id, tally]) => ({
    rk: countKey(tenant_id),
    columns: { tenant_id, counts: JSON.stringify(tally) },
  }))
}

export function countsOfRow(row: Row): readonly [tenant_id: string, tally: Tally] {
  const { tenant_id, counts } = whole(row.columns) as { tenant_id: string; counts: string }
  return [tenant_id, JSON.parse(counts)]
}

export function* countEntries(row: Row): Generator<CountEntry> {
  const [tenant_id, tally] = countsOfRow(row)
  for (const [kind, states] of Object.entries(tally)) {
    for (const [state, n] of Object.entries(states)) yield { tenant_id, kind: kind as RecordKind, state, n }
  }
}
