import { describe, expect, it } from 'vitest'
import { jobMachine } from '../../../../src/core/machines/job.ts'
import { planMany } from './many.ts'

const plan = (verb: 'cancel' | 'again', filters: Parameters<typeof planMany>[1], tenant = 'acme') =>
  planMany(verb, filters, tenant, jobMachine)

describe('what is done to many jobs', () => {
  it('goes by what the server finds jobs by', () => {
    expect(plan('cancel', { run_id: 'run-1', doc_id: undefined })).toEqual({
      filter: { run_id: 'run-1' },
      whyNot: null,
    })
  })

  it('only concerns the chosen states that it can be done to', () => {
    const filters = { state: 'QUEUED,FAILED_FINAL' }
    expect(plan('cancel', filters).filter).toEqual({ state: ['QUEUED'] })
    expect(plan('again', filters).filter).toEqual({ state: ['FAILED_FINAL'] })
  })

  it('says why it cannot be done', () => {
    expect(plan('cancel', { state: 'SUCCEEDED' }).whyNot).toContain('ended')
    expect(plan('again', { state: 'QUEUED' }).whyNot).toContain('None')
    expect(plan('cancel', {}, '*').whyNot).toContain('tenant')
  })

  it('is not done where the list is narrower than what the server can find', () => {
    for (const name of ['q', 'pipeline_name', 'step_id']) {
      expect(plan('cancel', { [name]: 'x' }).filter).toBeNull()
    }
  })
})
