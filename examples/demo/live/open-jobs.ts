import { type JobRecord, type JobState, type Ledger, machines } from 'waybill'

/** States in which a job has not ended. */
const OPEN = Object.entries(machines.job.states)
  .filter(([, spec]) => !('terminal' in spec))
  .map(([state]) => state as JobState)

const MOST = 200

/** Jobs of all tenants that ask for the same and have not ended, the oldest first. */
export async function openJobs(ledger: Ledger, request_type: string): Promise<readonly JobRecord[]> {
  const { items } = await ledger.jobs.list({ tenant_id: '*', request_type, state: OPEN, limit: MOST })
  return items.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
}
