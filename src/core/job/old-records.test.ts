import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withDefaults } from './old-records.ts'

describe('records that were written before some of their fields were thought of', () => {
  const ledger = new KernelLedger()
  ledger.submit()

  it('jobs were submitted by hand, for the first time, and kept to their limits', () => {
    const { again_of: _, schedule_id: __, unlimited: ___, ...old } = ledger.job()
    expect(withDefaults(old as ReturnType<KernelLedger['job']>)).toEqual(ledger.job())
  })

  it('steps were never given back, held no place of a queue, and kept their own output', () => {
    const { released: _, queue_slot: __, output_file: ___, ...old } = ledger.step()
    expect(withDefaults(old as ReturnType<KernelLedger['step']>)).toEqual(ledger.step())
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
