import { describe, expect, it } from 'vitest'
import { protocolOf, pushed } from '../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../test/fixtures/kernel-ledger.ts'
import {
  aggregateKey,
  applyToJob,
  idOf,
  isAtRest,
  isPartKind,
  type JobAggregate,
  type LedgerRecord,
  nameOfKey,
  stepKey,
} from './aggregate.ts'

function jobOf(ledger: KernelLedger): JobAggregate {
  return ledger.get('job', 't1', 'j1') as JobAggregate
}

describe('ids', () => {
  it('every kind of record has its own; a step is named within its job', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    const { job, steps, outbox } = jobOf(ledger)
    expect(idOf(job)).toBe('j1')
    expect(steps.map(idOf)).toEqual(['j1/ocr'])
    expect(outbox.map(idOf)).toEqual(['id-2'])
    const alone = { tenant_id: 't1', doc_id: 'd', run_id: 'r', workstream_id: 'w' }
    const kinds = ['document', 'run', 'workstream'].map(
      (kind) => ({ ...alone, kind }) as unknown as LedgerRecord,
    )
    expect(kinds.map(idOf)).toEqual(['d', 'r', 'w'])
  })

  it('records of a job belong to it, and others to themselves', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    const { job, steps, outbox } = jobOf(ledger)
    const keys = [job, ...steps, ...outbox].map(aggregateKey)
    expect(new Set(keys.map(nameOfKey))).toEqual(new Set(['job\nt1\nj1']))
    const document = { kind: 'document', tenant_id: 't1', doc_id: 'd', state: 'completed' }
    expect(aggregateKey(document as unknown as LedgerRecord)).toEqual({
      kind: 'document',
      tenant_id: 't1',
      id: 'd',
    })
    expect([isPartKind('step'), isPartKind('document')]).toEqual([true, false])
    expect(stepKey('j1', 'ocr')).toBe('j1/ocr')
    expect([isAtRest(job), isAtRest({ ...job, state: 'SUCCEEDED' })]).toEqual([false, true])
  })
})

describe('a job after a commit', () => {
  it('has the changed records in the place of the old ones', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr'), pushed('index')) })
    const before = jobOf(ledger)
    const job = { ...before.job, tags: ['new'] }
    const step = { ...(before.steps[1] as (typeof before.steps)[0]), output: 'new' }
    const row = { ...(before.outbox[0] as (typeof before.outbox)[0]), tries: 2 }
    const after = applyToJob(before, [step, row, job])
    expect(after).toEqual({ job, steps: [before.steps[0], step], outbox: [row] })
    expect(jobOf(ledger)).toBe(before)
  })

  it('has lost the outbox rows that are closed', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('ocr')) })
    const before = jobOf(ledger)
    const row = { ...(before.outbox[0] as (typeof before.outbox)[0]), state: 'SENT' as const }
    expect(applyToJob(before, [row]).outbox).toEqual([])
  })

  it('is untouched by what else was written in the commit', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    const document = { kind: 'document', tenant_id: 't1', doc_id: 'd' } as LedgerRecord
    expect(applyToJob(jobOf(ledger), [document])).toEqual(jobOf(ledger))
  })

  it('is no job without its job record', () => {
    const ledger = new KernelLedger()
    ledger.submit()
    expect(() => applyToJob(null, ledger.steps())).toThrow('a job aggregate has its job')
  })
})
