import type { RecordKey } from '../core/aggregate.ts'
import { type Decision, type Given, refuse } from '../core/decision.ts'
import { decideJob } from '../core/job/decide.ts'
import type { JobRecord } from '../core/job/record.ts'
import type { Sweep } from '../store/store.ts'
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
    const signalled = await sweep(committer, { what: 'signalled', limit: PAGE })
    const due = await sweep(committer, { what: 'due', limit: PAGE })
    if (signalled + due === 0) break
    advanced += signalled + due
  }
  return advanced
}

async function sweep(committer: Committer, selector: Sweep): Promise<number> {
  const swept = await committer.store.sweep(selector, advance)
  for (const { outcome } of swept) if (!outcome.ok) committer.logRefusal(outcome.refusal)
  return swept.filter(({ outcome }) => outcome.ok).length
}

/** One job that contradicts itself must not hold up the timers of all the others. */
function advance({ tenant_id, id }: RecordKey, given: Given): Decision<JobRecord> {
  try {
    return decideJob({ type: 'advanceJob', tenant_id, job_id: id, actor: TIMEKEEPER, reason: null }, given)
  } catch (error) {
    return refuse({
      code: 'BROKEN_RECORD',
      message: `Job ${id} cannot be advanced: ${(error as Error).message}`,
      next: 'Look at its history, cancel it, and report what you found: the rules never write such a job.',
      details: { tenant_id, job_id: id },
    })
  }
}
