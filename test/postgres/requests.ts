// What tests of PostgreSQL ask for, and how they hear that it is there.
import type { Ledger, Protocol } from 'waybill'
import { START } from 'waybill'

const STEP = { step_id: 'a', step_type: 'A', service: 'a', delivery: 'pull' } as const

export const PROTOCOL: Protocol = { protocol_id: 'a.v1', request_type: 'A', steps: [STEP] }

export const REQUEST = {
  tenant_id: 'default',
  request_type: 'A',
  input_ref: 'i',
  output_ref: 'o',
  payload: {},
  schema_version: 'v1',
} as const

const LONGEST_WAIT_MS = 30_000

/** Resolves when all of these jobs are in the ledger, however that came about. */
export async function appeared(ledger: Ledger, ...jobs: readonly string[]): Promise<void> {
  const missing = new Set(jobs)
  for await (const { job_id } of ledger.events({
    after: START,
    signal: AbortSignal.timeout(LONGEST_WAIT_MS),
  })) {
    if (job_id !== null) missing.delete(job_id)
    if (missing.size === 0) return
  }
  throw new Error(`${[...missing].join(', ')} did not appear`)
}
