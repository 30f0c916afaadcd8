import type { RecordKey } from '../core/aggregate.ts'
import type { Given } from '../core/decision.ts'
import { decideJob } from '../core/job/decide.ts'
import type { Store, Sweep } from '../store/store.ts'

/** Jobs advanced in one write. */
const PAGE = 100

/** A bound on one call, whatever is due: the caller can call again. */
const MAX_PAGES = 1000

/** Does whatever is due now: delivers signals, fires timers. Answers how many jobs it looked at. */
export async function advanceDue(store: Store, actor: string): Promise<number> {
  let advanced = 0
  for (let page = 0; page < MAX_PAGES; page++) {
    const signalled = await sweep(store, { what: 'signalled', limit: PAGE }, actor)
    const due = await sweep(store, { what: 'due', limit: PAGE }, actor)
    if (signalled + due === 0) break
    advanced += signalled + due
  }
  return advanced
}

async function sweep(store: Store, selector: Sweep, actor: string): Promise<number> {
  const advance = ({ tenant_id, id }: RecordKey, given: Given) =>
    decideJob({ type: 'advanceJob', tenant_id, job_id: id, actor, reason: null }, given)
  return (await store.sweep(selector, advance)).length
}
