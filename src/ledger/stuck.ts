import type { LedgerState } from '../core/document/states.ts'
import {
  type StuckDocument,
  type StuckThreshold,
  stuckBefore,
  stuckOf,
  stuckThresholds,
} from '../core/document/stuck.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { findAll } from '../store/find-all.ts'
import type { Store } from '../store/store.ts'

export interface StuckQuery {
  /** How long is too long. Without it each state is measured by its own past: what 99 of 100 documents took. */
  readonly hours?: number | undefined
  readonly tenant_id?: string | undefined
  readonly state?: LedgerState | readonly LedgerState[] | undefined
  readonly adapter?: string | undefined
}

/** What counts as too long in each state. */
export async function thresholdsFor(
  store: Store,
  { hours, tenant_id, state }: StuckQuery,
): Promise<readonly StuckThreshold[]> {
  if (hours !== undefined && !(Number.isFinite(hours) && hours >= 0)) {
    throw new InvalidInput('hours', 'hours must be a number, 0 or more', 'Give hours such as 1 or 0.5.')
  }
  const rows = hours === undefined ? await store.durations({ kind: 'document', by: 'state', tenant_id }) : []
  const wanted = state === undefined ? null : [state].flat()
  return stuckThresholds(hours, rows).filter((one) => wanted === null || wanted.includes(one.state))
}

/** Those longest in their state first, where the engine sorts by time. */
export async function* stuckDocuments(
  store: Store,
  query: StuckQuery,
  thresholds: readonly StuckThreshold[],
  now: number,
): AsyncGenerator<StuckDocument> {
  if (thresholds.length === 0) return
  const found = findAll(store, {
    kind: 'document',
    tenant_id: query.tenant_id,
    where: { state: thresholds.map(({ state }) => state), adapter: query.adapter },
    changedBefore: stuckBefore(thresholds, now),
    order: store.capabilities.findOrders.includes('changed') ? 'changed' : 'id',
  })
  for await (const document of found) {
    const stuck = stuckOf(document, thresholds, now)
    if (stuck !== null) yield stuck
  }
}
