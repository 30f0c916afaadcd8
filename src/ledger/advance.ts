import type { RecordKey } from '../core/aggregate.ts'
import type { AdvanceJob } from '../core/job/commands.ts'
import type { Committer } from './committer.ts'

/** Who fires timers and delivers signals, in the history. */
const TIMEKEEPER = 'timekeeper'

/** Jobs advanced in one write. */
const PAGE = 100

/** A bound on one call, whatever is due: the caller can call again. */
const MAX_PAGES = 1000

/** Does whatever is due now: delivers signals, fires timers. Answers how many jobs it advanced. */
export async function advanceDue(committer: Committer): Promise<number> {
  let advanced = 0
  for (let page = 0; page < MAX_PAGES; page++) {
    const signalled = await committer.sweep({ what: 'signalled', limit: PAGE }, advance)
    const due = await committer.sweep({ what: 'due', limit: PAGE }, advance)
    if (signalled.length + due.length === 0) break
    advanced += signalled.length + due.length
  }
  return advanced
}

function advance({ tenant_id, id }: RecordKey): AdvanceJob {
  return { type: 'advanceJob', tenant_id, job_id: id, actor: TIMEKEEPER, reason: null }
}
