import type { LiveState } from '../live/live-state.ts'
import {
  compareEntries,
  rowEntry,
  type SortedList,
  type StoredWork,
  type WorkEntries,
  type WorkListName,
  workOfJob,
} from '../live/stored-work.ts'
import type { WorkLists } from './snapshot/write-work.ts'

/** What there is to do for all open jobs: those in memory, and the others as it was stored before. */
export function openWork(live: LiveState, stored: StoredWork | null, now: number): WorkLists {
  const here = workInMemory(live)
  // Nobody gives back what is held until a time: if it were kept, the list would grow for ever.
  const slots = live.devices.holders(now)
  if (stored === null) return { ...here, slots }
  const isHere = (tenant_id: string, job_id: string) => live.aggregate('job', tenant_id, job_id) !== null
  return {
    due: merged(here.due, stored.due, ([, tenant_id, job_id]) => isHere(tenant_id, job_id)),
    ready: merged(here.ready, stored.ready, ([, tenant_id, , , job_id]) => isHere(tenant_id, job_id)),
    waiting: merged(here.waiting, stored.waiting, ([tenant_id, , job_id]) => isHere(tenant_id, job_id)),
    rows: merged(here.rows, stored.rows, ([tenant_id, job_id]) => isHere(tenant_id, job_id)),
    slots,
  }
}

type TakenOver = Exclude<WorkListName, 'slots'>

function workInMemory(live: LiveState): { [L in TakenOver]: readonly WorkEntries[L][] } {
  const here: { [L in TakenOver]: WorkEntries[L][] } = { due: [], ready: [], waiting: [], rows: [] }
  for (const { job, outbox } of live.jobs()) {
    const { due, ready, waiting } = workOfJob(job)
    here.due.push(...due)
    here.ready.push(...ready)
    here.waiting.push(...waiting)
    here.rows.push(...outbox.map(rowEntry))
  }
  for (const entries of Object.values(here)) entries.sort(compareEntries)
  return here
}

/** Both in one order, without those stored of which there is something newer. */
function* merged<E extends readonly unknown[]>(
  here: readonly E[],
  stored: SortedList<E>,
  isReplaced: (entry: E) => boolean,
): Generator<E> {
  let next = 0
  for (let index = 0; index < stored.length; index++) {
    const entry = stored.at(index)
    if (isReplaced(entry)) continue
    while (next < here.length && compareEntries(here[next] as E, entry) < 0) yield here[next++] as E
    yield entry
  }
  for (; next < here.length; next++) yield here[next] as E
}
