import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, submitOf, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { JobAggregate } from '../aggregate.ts'
import { Birth } from './birth.ts'
import { JobForm } from './job-form.ts'
import type { JobRecord } from './record.ts'

const SLOT = { tenant_id: TENANT, key: 'in-flight', verb: 'take', owner: 'j1', max: 0 } as const

/** A job that somebody submitted, as it is written. */
function submitted(more: Parameters<typeof submitOf>[0] = {}): JobAggregate {
  const ledger = new KernelLedger()
  const command = submitOf({ protocol: protocolOf(pulled('first'), pulled('second')), ...more })
  ledger.run(command)
  return ledger.get('job', TENANT, command.job_id as string) as JobAggregate
}

function formOf(job: JobAggregate): JobForm {
  const form = JobForm.ofRead(job, SLOT)
  if (form === null) throw new Error('it is not as it was when it was submitted')
  return form
}

describe('the form of a job that was read', () => {
  it.each([
    ['by its request', null],
    ['by a key', 'k'],
  ])('makes the same job of what is its own: %s', (_, idempotency_key) => {
    const read = submitted({ idempotency_key })
    const claim = idempotency_key === null ? `request:${read.job.idempotency_hash}` : `key:${idempotency_key}`
    const birth = new Birth(formOf(read), read.job as JobRecord & { payload: null }, claim, 1735787045000)
    birth.written(read.job.etag)
    expect({ job: birth.job, steps: birth.steps }).toEqual({ job: read.job, steps: read.steps })
    expect(birth.claimTail === undefined || claim.endsWith(birth.claimTail)).toBe(true)
    expect(birth.claimTail === undefined).toBe(idempotency_key !== null)
  })

  it('knows nothing of what was told when it was submitted', () => {
    const form = formOf(submitted())
    expect(() => form.entry).toThrow('was told of')
  })

  it.each<[string, Partial<JobRecord>]>([
    ['has begun', { state: 'IN_PROGRESS' }],
    ['was tried', { attempts_total: 1 }],
    ['was tried as a whole', { job_attempts: 1 }],
    ['has no limits', { unlimited: true }],
    ['is about a document', { doc_id: 'd' }],
    ['makes a document', { doc_key: 'd' }],
    ['is part of a run', { run_id: 'r' }],
    ['is part of a workstream', { workstream_id: 'w' }],
    ['begins later', { run_at: '2025-01-02T03:04:05.000Z' }],
    ['comes to an end', { expires_at: '2025-01-02T03:04:05.000Z' }],
    ['climbs a ladder', { escalation: { rung: 0 } as never }],
    ['came after another', { depends_on: ['j0'] }],
    ['has a payload for each step', { payload: { steps: {} } }],
    ['is not ready', { ready: null }],
    ['is due', { due_at: '2025-01-02T03:04:05.000Z' }],
    ['waits', { waits_for: ['topic'] }],
  ])('is not there when the job %s', (_, more) => {
    const { job, steps, outbox } = submitted()
    expect(JobForm.ofRead({ job: { ...job, ...more }, steps, outbox }, SLOT)).toBeNull()
  })

  it('is not there when a step has begun, or something is about to be sent', () => {
    const { job, steps, outbox } = submitted()
    const begun = steps.map((step) => ({ ...step, state: 'IN_PROGRESS' as const }))
    expect(JobForm.ofRead({ job, steps: begun, outbox }, SLOT)).toBeNull()
    expect(JobForm.ofRead({ job, steps, outbox: [{ kind: 'outbox' } as never] }, SLOT)).toBeNull()
  })
})
