import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { SubmitJob } from '../job/commands.ts'
import type { Gate } from '../pipeline/gate.ts'
import { HOUR_MS, toIso } from '../time.ts'
import { seenJob, seenStage, seenStep } from './seen-job.ts'

const ONE = protocolOf(pulled('first'))

function isHeld(ledger: KernelLedger, job_id = 'j1'): boolean {
  return seenJob(ledger.job(job_id), ledger.now).is_held
}

describe('what is seen of a job', () => {
  it('is where it stands, and since when', () => {
    const ledger = new KernelLedger()
    ledger.submit({ workstream_id: 'ws' })
    const submitted = toIso(ledger.now)
    expect(seenJob(ledger.job(), ledger.now)).toStrictEqual({
      tenant_id: TENANT,
      job_id: 'j1',
      protocol_id: 'test.v1',
      pipeline_name: null,
      workstream_id: 'ws',
      state: 'QUEUED',
      stage: 'first',
      stage_index: 0,
      since: submitted,
      is_held: false,
    })
    ledger.now += 1000
    ledger.claim()
    expect(seenStep(ledger.step())).toStrictEqual({
      tenant_id: TENANT,
      job_id: 'j1',
      stage: 'first',
      stage_index: 0,
      service: 'first-service',
      state: 'IN_PROGRESS',
      since: toIso(ledger.now),
    })
    expect(seenStage(ledger.step(1))).toStrictEqual({
      stage: 'second',
      stage_index: 1,
      service: 'second-service',
    })
  })

  it('is held while it waits for another job or for a time, not while it waits for a worker', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: ONE })
    ledger.submit({ job_id: 'j2', protocol: ONE, depends_on: ['j1'] })
    ledger.submit({ job_id: 'j3', protocol: ONE, run_at: toIso(ledger.now + HOUR_MS) })
    expect([isHeld(ledger), isHeld(ledger, 'j2'), isHeld(ledger, 'j3')]).toEqual([false, true, true])
    ledger.claim()
    ledger.succeed()
    ledger.pass(HOUR_MS)
    expect([isHeld(ledger, 'j2'), isHeld(ledger, 'j3')]).toEqual([false, false])
  })

  it('is held at a gate that opens by itself one day, not at one that may stay shut until the job expires', () => {
    const gate: Gate = { name: 'ready', when: { field: 'metadata.ready', op: 'equals', value: true } }
    const ledger = new KernelLedger()
    const at = (job_id: string, one: Gate, more: Partial<SubmitJob> = {}) =>
      ledger.submit({ job_id, protocol: protocolOf(pulled('first', { gate: one })), ...more })
    at('timed', { ...gate, timeout_ms: HOUR_MS })
    at('endless', gate)
    at('expiring', gate, { expires_at: toIso(ledger.now + HOUR_MS) })
    ledger.pass(0)
    expect([isHeld(ledger, 'timed'), isHeld(ledger, 'endless'), isHeld(ledger, 'expiring')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
