import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import type { JobAggregate } from '../aggregate.ts'
import { JOB_ACTIONS, type JobAction, jobActions } from './actions.ts'

function aggregateOf(kernel: KernelLedger): JobAggregate {
  const aggregate = kernel.get('job', TENANT, 'j1')
  if (aggregate === null) throw new Error('the job is there')
  return aggregate
}

function actionsOn(kernel: KernelLedger): readonly JobAction[] {
  const before = JSON.stringify(kernel.contents())
  const actions = jobActions(aggregateOf(kernel), kernel)
  if ('kind' in actions) throw new Error('everything is loaded here')
  expect(JSON.stringify(kernel.contents())).toBe(before)
  expect(actions.map(({ action }) => action)).toEqual(JOB_ACTIONS)
  for (const { allowed, why_not, about } of actions) {
    expect(why_not === null).toBe(allowed)
    expect(about).toMatch(/^[A-Z].{10,}$/)
  }
  return actions
}

function allowedOn(kernel: KernelLedger): readonly string[] {
  return actionsOn(kernel)
    .filter(({ allowed }) => allowed)
    .map(({ action }) => action)
}

describe('what may be done with a job', () => {
  it('that waits: everything but to run it again, and why not', () => {
    const kernel = new KernelLedger()
    kernel.submit({ delay_ms: 1000 })
    expect(allowedOn(kernel)).toEqual(['cancel', 'expedite', 'annotate'])
    expect(actionsOn(kernel)[1]).toMatchObject({
      why_not: 'Job j1 is QUEUED; only a job that has ended can be run again',
      next: 'Wait for it, or end it first: waybill jobs cancel j1',
      from_steps: [],
    })
  })

  it('that is being cancelled: not to wait for its worker', () => {
    const kernel = new KernelLedger()
    kernel.submit()
    kernel.claim()
    kernel.cancel()
    expect(kernel.job().state).toBe('CANCELLING')
    expect(allowedOn(kernel)).toEqual(['expedite', 'annotate'])
    expect(actionsOn(kernel)[0]?.why_not).toBe('Job j1 is CANCELLING: it would change nothing')
  })

  it('that has ended: to run it again, from as far as it came', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pulled('a'), pulled('b'), pulled('c')) })
    kernel.claim()
    kernel.succeed()
    kernel.claim()
    kernel.fail('NON_RETRYABLE')
    expect(allowedOn(kernel)).toEqual(['again'])
    expect(actionsOn(kernel).map(({ from_steps }) => from_steps)).toEqual([[], ['a', 'b'], [], []])
    const annotate = actionsOn(kernel)[3]
    expect(annotate?.why_not).toMatch(/does not change any more$/)
    expect(annotate?.next).toMatch(/^Record an event instead/)
  })

  it('of a run that takes no more jobs: not to run it again', () => {
    const kernel = new KernelLedger()
    kernel.submit({ run_id: 'r1' })
    kernel.cancel()
    const seal = { tenant_id: TENANT, kind: 'run', id: 'r1', actor: 'ann', reason: null } as const
    kernel.run({ type: 'sealGroup', ...seal })
    expect(allowedOn(kernel)).toEqual([])
    expect(actionsOn(kernel)[1]?.why_not).toBe('The run r1 is sealed and takes no more jobs')
  })

  it('asks for what it has to know', () => {
    const kernel = new KernelLedger()
    kernel.submit({ run_id: 'r1' })
    kernel.cancel()
    const asked = jobActions(aggregateOf(kernel), withoutLoaded(kernel, 'run'))
    expect(asked).toEqual({ kind: 'need', keys: [{ kind: 'run', tenant_id: TENANT, id: 'r1' }] })
  })

  it('makes no id and takes no place', () => {
    const kernel = new KernelLedger()
    kernel.submit()
    kernel.cancel()
    const next = kernel.ids.next()
    actionsOn(kernel)
    expect(kernel.ids.next()).toBe(`id-${Number(next.slice(3)) + 1}`)
    const full = { ...withoutLoaded(kernel, 'token'), isFull: () => true }
    expect(jobActions(aggregateOf(kernel), full)).toMatchObject([
      {},
      { action: 'again', allowed: true },
      {},
      {},
    ])
  })

  it('gives a job that would take over a name that is nobody’s', () => {
    const kernel = new KernelLedger()
    const rungs = [{ protocol: protocolOf(pulled('x')), payload: {}, priority: 1 }] as const
    kernel.submit({ rungs })
    kernel.submit({ job_id: 'j1~2' })
    kernel.claim()
    expect(allowedOn(kernel)).toEqual(['cancel', 'expedite', 'annotate'])
  })
})
