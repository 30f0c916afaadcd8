import { expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { briefOf, briefOfNone } from './brief.ts'

it('tells as much of a job as a link shows, and of one that is gone its name', () => {
  const kernel = new KernelLedger()
  kernel.submit()
  const { tenant_id, job_id, updated_at } = kernel.job()
  const brief = { tenant_id, job_id, state: 'QUEUED', request_type: 'TEST', current_step_id: 'first' }
  expect(briefOf(kernel.job())).toEqual({ ...brief, updated_at, exists: true })
  const none = { state: null, request_type: null, current_step_id: null, updated_at: null, exists: false }
  expect(briefOfNone({ tenant_id, job_id })).toEqual({ tenant_id, job_id, ...none })
})
