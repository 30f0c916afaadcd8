import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed, submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Given } from '../decision.ts'
import { decideJob } from './decide.ts'
import { IN_FLIGHT } from './limits.ts'
import type { DependencyPolicy, JobRecord } from './record.ts'

const one = protocolOf(pulled('only'))

function succeed(ledger: KernelLedger, job_id: string): void {
  ledger.claim(job_id)
  ledger.succeed(job_id)
}

describe('A67: a job that depends on others', () => {
  it('waits for all of them, then runs', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ job_id: 'b', protocol: one })
    ledger.submit({ depends_on: ['a', 'b'], protocol: protocolOf(pushed('ocr')) })
    expect(ledger.job()).toMatchObject({
      state: 'QUEUED',
      waits_for: ['job:a', 'job:b'],
      ready: null,
      due_at: null,
    })
    succeed(ledger, 'a')
    ledger.pass(0)
    expect(ledger.job()).toMatchObject({ state: 'QUEUED', waits_for: ['job:b'] })
    succeed(ledger, 'b')
    ledger.pass(0)
    expect(ledger.job()).toMatchObject({ state: 'DISPATCHING', waits_for: [], depends_on: ['a', 'b'] })
  })

  it('cannot be claimed before', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ depends_on: ['a'] })
    expect(
      ledger.refusalOf({ type: 'claimStep', tenant_id: 't1', job_id: 'j1', actor: 'w', reason: null }),
    ).toMatchObject({ code: 'NOT_CLAIMABLE', details: { waits_for: 'dependency' } })
  })

  it('does not wait for one that has succeeded already', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ job_id: 'b', protocol: one })
    succeed(ledger, 'a')
    ledger.submit({ depends_on: ['a', 'b'] })
    expect(ledger.job().waits_for).toEqual(['job:b'])
    succeed(ledger, 'b')
    ledger.submit({ job_id: 'j2', depends_on: ['a', 'b'] })
    expect(ledger.job('j2')).toMatchObject({ waits_for: [], ready: { queue: 'first-service' } })
  })

  it('asks for the jobs it waits for when they were not loaded', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ depends_on: ['a'] })
    const given: Given = {
      now: ledger.now,
      ids: ledger.ids,
      ownerOf: () => undefined,
      isFull: () => false,
      get: (kind, tenant_id, id) => (id === 'a' ? undefined : ledger.get(kind, tenant_id, id)),
    }
    const command = { type: 'advanceJob', tenant_id: 't1', job_id: 'j1', actor: 't', reason: null } as const
    expect(decideJob(command, given)).toEqual({
      kind: 'need',
      keys: [{ kind: 'job', tenant_id: 't1', id: 'a' }],
    })
  })
})

describe('A67: what cannot be depended on', () => {
  it('a job that is not known', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a' })
    expect(ledger.refusalOf(submitOf({ depends_on: ['x', 'a', 'y'] }))).toMatchObject({
      code: 'DEPENDENCY_UNKNOWN',
      field: 'depends_on',
      message: 'Job j1 depends on x, y, which is not known here',
      details: { job_id: 'j1', unknown: ['x', 'y'] },
    })
    expect(ledger.get('job', 't1', 'j1')).toBeNull()
  })

  it('a job of another tenant', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', tenant_id: 't2' })
    expect(ledger.refusalOf(submitOf({ depends_on: ['a'] })).code).toBe('DEPENDENCY_UNKNOWN')
  })

  it('itself', () => {
    expect(new KernelLedger().refusalOf(submitOf({ depends_on: ['j1'] }))).toMatchObject({
      code: 'DEPENDENCY_CYCLE',
      field: 'depends_on',
      details: { job_id: 'j1' },
    })
  })
})

describe('A67: a dependency that did not succeed', () => {
  const endings: { readonly [state: string]: (ledger: KernelLedger) => void } = {
    FAILED_FINAL: (ledger) => {
      ledger.claim('a')
      ledger.fail('NON_RETRYABLE', 'a')
    },
    CANCELLED: (ledger) => void ledger.cancel('a'),
  }
  const outcomes: { readonly [policy in DependencyPolicy]: Partial<JobRecord> } = {
    fail: { state: 'FAILED_FINAL', error_code: 'DEPENDENCY_FAILED' },
    skip: { state: 'CANCELLED', error_code: 'DEPENDENCY_SKIPPED' },
    release: { state: 'QUEUED', error_code: null },
  }
  const cases = Object.keys(endings).flatMap((ending) =>
    (Object.keys(outcomes) as DependencyPolicy[]).map((policy) => [ending, policy] as const),
  )

  it.each(cases)('%s, policy %s, while the job waits', (ending, policy) => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ depends_on: ['a'], on_dependency_failure: policy })
    endings[ending]?.(ledger)
    ledger.pass(0)
    expect(ledger.job()).toMatchObject({ ...outcomes[policy], waits_for: [] })
    expect(ledger.used(IN_FLIGHT)).toBe(policy === 'release' ? 1 : 0)
  })

  it.each(cases)('%s, policy %s, before the job is submitted', (ending, policy) => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    endings[ending]?.(ledger)
    ledger.submit({ depends_on: ['a'], on_dependency_failure: policy })
    expect(ledger.job()).toMatchObject({ ...outcomes[policy], waits_for: [] })
    expect(ledger.used(IN_FLIGHT)).toBe(policy === 'release' ? 1 : 0)
  })

  it('says which job, and what became of it', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ depends_on: ['a'] })
    ledger.cancel('a')
    ledger.pass(0)
    expect(ledger.job().error_message).toBe('It depends on job a, which is CANCELLED')
    expect(ledger.steps().map(({ state }) => state)).toEqual(['CANCELLED', 'CANCELLED'])
  })

  it('skipping passes through CANCELLING, and everything is in the history', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.cancel('a')
    ledger.submit({ depends_on: ['a'], on_dependency_failure: 'skip' })
    expect(ledger.records('job', 'j1').map(({ new_state, error_type }) => [new_state, error_type])).toEqual([
      ['QUEUED', null],
      ['CANCELLING', null],
      ['CANCELLED', 'DEPENDENCY_SKIPPED'],
    ])
  })

  it('goes on down the chain', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ job_id: 'b', depends_on: ['a'] })
    ledger.submit({ job_id: 'c', depends_on: ['b'] })
    ledger.cancel('a')
    ledger.pass(0)
    expect(['b', 'c'].map((id) => ledger.job(id).state)).toEqual(['FAILED_FINAL', 'FAILED_FINAL'])
    expect(ledger.used(IN_FLIGHT)).toBe(0)
  })

  it.each([
    ['fail', 'FAILED_FINAL'],
    ['release', 'QUEUED'],
  ] as const)('one that is no longer kept counts as not succeeded: %s', (policy, state) => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', protocol: one })
    ledger.submit({ depends_on: ['a'], on_dependency_failure: policy })
    const given: Given = {
      now: ledger.now,
      ids: ledger.ids,
      ownerOf: () => undefined,
      isFull: () => false,
      get: (kind, tenant_id, id) => (id === 'a' ? null : ledger.get(kind, tenant_id, id)),
    }
    const command = { type: 'advanceJob', tenant_id: 't1', job_id: 'j1', actor: 't', reason: null } as const
    ledger.commit(decideJob(command, given))
    expect(ledger.job()).toMatchObject({ state, waits_for: [] })
    if (policy === 'fail') {
      expect(ledger.job().error_message).toBe('It depends on job a, which is no longer there')
    }
  })
})
