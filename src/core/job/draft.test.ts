import { describe, expect, it } from 'vitest'
import { protocolOf, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { JobAggregate } from '../aggregate.ts'
import { JobDraft } from './draft.ts'
import type { OutboxRecord } from './record.ts'

function drafted() {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(pushed('ocr')) })
  const { tenant_id, job_id } = ledger.fence()
  const aggregate = ledger.get('job', tenant_id, job_id) as JobAggregate
  return { aggregate, draft: new JobDraft(aggregate, { actor: 'tester', reason: null }, ledger) }
}

describe('a draft', () => {
  it('goes nowhere that the machines do not know a way to', () => {
    const { draft } = drafted()
    expect(() => draft.moveJob('SUCCEEDED')).toThrow(/job .+ may go from DISPATCHING to SUCCEEDED/)
    expect(() => draft.moveStep(0, 'PENDING', {})).toThrow('step ocr may go from DISPATCHING to PENDING')
    expect(() => draft.moveRow(draft.outbox[0] as OutboxRecord, 'PENDING', {})).toThrow(
      /outbox row .+ may go from PENDING to PENDING/,
    )
  })

  it('keeps the histories of two rows apart', () => {
    const { draft } = drafted()
    const first = draft.outbox[0] as OutboxRecord
    const second = { ...first, outbox_id: 'second' }
    draft.addRow(second)
    draft.moveRow(first, 'SENT', {})
    draft.moveRow(second, 'FAILED_FINAL', {})
    expect(draft.finish(null).change.audit.map(({ id, path }) => [id, ...path])).toEqual([
      [first.outbox_id, 'PENDING', 'SENT'],
      ['second', 'PENDING', 'FAILED_FINAL'],
    ])
  })

  it('puts what it was told to change and nothing else, and leaves what there was as it was', () => {
    const { aggregate, draft } = drafted()
    const before = JSON.stringify(aggregate)
    expect(draft.finish(null).change.puts).toEqual([])
    draft.setStep(0, { holder: 'ada' })
    draft.setStep(0, { holder: 'bob' })
    expect(draft.finish(null).change.puts).toEqual([{ ...aggregate.steps[0], holder: 'bob' }])
    expect(JSON.stringify(aggregate)).toBe(before)
  })
})
