import type { JobAggregate } from '../aggregate.ts'
import type { Change } from '../decision.ts'
import { isTerminal } from '../machine.ts'
import { jobMachine } from '../machines/job.ts'
import { isUnderWay } from '../machines/step.ts'
import { heldBy, IN_FLIGHT, NO_LIMIT, slotOwner } from './limits.ts'

/**
 * What a job has taken so far beside its records: places under limits; and it is to look again at what it waits for.
 * So a job can be put into another store as it is.
 */
export function holdingsOf({ job, steps }: JobAggregate): Pick<Change, 'slots' | 'signals'> {
  const { tenant_id } = job
  const running = steps.filter(({ state }) => isUnderWay(state))
  const held = running.flatMap((step) => heldBy(job, step))
  const taken = isTerminal(jobMachine, job.state) ? [] : [{ tenant_id, key: IN_FLIGHT }, ...held]
  return {
    // Whoever holds a place keeps it, whatever the limit is by now.
    slots: taken.map((slot) => ({
      ...slot,
      verb: 'take',
      owner: slotOwner(slot.tenant_id, job),
      max: NO_LIMIT,
    })),
    signals: job.waits_for.map((topic) => ({ tenant_id, topic })),
  }
}
