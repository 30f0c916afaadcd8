import { expect, it } from 'vitest'
import { protocolOf, pulled, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Rung } from './record.ts'
import { HUMAN_LANE } from './tool-service.ts'
import { whyJob } from './why.ts'

const PEOPLE = protocolOf(pulled('human', { delivery: 'external', service: HUMAN_LANE }))

const FACTS = { dependencies: new Map(), queue: null, place: null }

function causeOf(kernel: KernelLedger, job_id = 'j1') {
  const job = kernel.get('job', TENANT, job_id)
  if (job === null) throw new Error('the job is there')
  return whyJob(job, { ...FACTS, now: kernel.now }).causes[0]
}

it('says of what waits for a person how that person says that it is done', () => {
  const kernel = new KernelLedger()
  kernel.submit({ protocol: PEOPLE })
  const command = `waybill jobs resolve j1 --tenant ${TENANT} --done`
  expect(causeOf(kernel)).toMatchObject({
    cause: 'external',
    message: 'It waits for a person, who has not said yet how it ended',
    unblock: { command, does: null },
  })
  const report = { what: 'started', stage: 'human' } as const
  kernel.run({ type: 'reportStage', tenant_id: TENANT, job_id: 'j1', report, actor: 'ann', reason: null })
  expect(causeOf(kernel)).toMatchObject({
    cause: 'lease',
    message: expect.stringMatching(/^ann has taken it on, and has until /),
    until: expect.any(String),
    unblock: { command },
  })
})

it('says of a job that was handed on who has its work now', () => {
  const kernel = new KernelLedger()
  const rungs: readonly Rung[] = [{ protocol: PEOPLE, payload: {}, priority: 1 }]
  kernel.submit({ protocol: protocolOf(pulled('first')), rungs })
  kernel.claim()
  kernel.fail('NON_RETRYABLE')
  expect(causeOf(kernel)).toMatchObject({
    cause: 'ended',
    message: expect.stringMatching(/it broke\. Job j1~2 took over$/),
    details: { escalated_to: 'j1~2' },
    unblock: {
      command: `waybill why 'j1~2' --tenant ${TENANT}`,
      does: { verb: 'look', tenant_id: TENANT, job_id: 'j1~2' },
    },
  })
  expect(causeOf(kernel, 'j1~2')).toMatchObject({ cause: 'external' })
})

it('says of a job between two stages that its scheduler has to go on', () => {
  const kernel = new KernelLedger()
  kernel.submit({ protocol: protocolOf(pulled('bootstrap', { delivery: 'external' })) })
  const uncounted = { attempts: null, output_count: null, duration_ms: null }
  const report = { what: 'succeeded', stage: 'chunk', output: null, ...uncounted } as const
  kernel.run({ type: 'reportStage', tenant_id: TENANT, job_id: 'j1', report, actor: 'ann', reason: null })
  expect(causeOf(kernel)).toMatchObject({
    cause: 'external',
    message: expect.stringMatching(/^Stage chunk is done, and the scheduler that runs it \(.*\) has until /),
    until: expect.any(String),
    unblock: {
      command: `waybill jobs cancel j1 --tenant ${TENANT}`,
      does: { verb: 'cancel', tenant_id: TENANT, job_id: 'j1' },
    },
  })
})
