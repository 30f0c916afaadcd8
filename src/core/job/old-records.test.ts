import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withDefaults } from './old-records.ts'

/** As it was written when these fields did not exist; what they stand for now is what it had to be. */
function without<R extends object>(record: R, fields: Partial<R>): R {
  expect(record).toMatchObject(fields)
  return Object.fromEntries(Object.entries(record).filter(([field]) => !(field in fields))) as R
}

describe('records that were written before some of their fields were thought of', () => {
  const ledger = new KernelLedger()
  ledger.submit()

  it('jobs were submitted by hand, for the first time, and kept to their limits', () => {
    const before = { again_of: null, schedule_id: null, unlimited: false, pipeline_name: null, doc_key: null }
    const since = { ...before, metadata: {}, job_attempts: 0, report_by: null, escalation: null }
    const old = without(ledger.job(), since)
    expect(withDefaults(old)).toEqual(ledger.job())
  })

  it('steps were never given back, held no place of a queue, and kept their own output', () => {
    const old = without(ledger.step(), {
      released: 0,
      queue_slot: false,
      output_file: null,
      gate: null,
      document: null,
    })
    expect(withDefaults(old)).toEqual(ledger.step())
  })

  it('whatever says more stays as it is', () => {
    const job = { ...ledger.job(), again_of: 'j0', unlimited: true }
    const step = { ...ledger.step(), released: 2 }
    expect(withDefaults(job)).toBe(job)
    expect(withDefaults(step)).toBe(step)
    ledger.run({
      type: 'updateDocument',
      tenant_id: 't1',
      doc_id: 'd',
      state: 'fetching',
      actor: 'a',
      reason: null,
    })
    const document = ledger.get('document', 't1', 'd')
    expect(document).not.toBeNull()
    if (document !== null) expect(withDefaults(document)).toBe(document)
  })
})
