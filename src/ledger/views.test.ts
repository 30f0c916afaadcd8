import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { requestOf, testLedger } from '../../test/fixtures/live-ledger.ts'
import { present } from '../core/must.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import type { Work } from './claim.ts'

const STEPS = [pulled('first', { policy: { max_attempts: 2 } }), pulled('second')]

const TENANT = 't1'

async function submit(ledger: LiveLedger, job_id: string, more: object = {}): Promise<void> {
  await ledger.jobs.submit(requestOf({ job_id, ...more }))
}

/** Claims what is ready in the first queue. */
async function claim(ledger: LiveLedger): Promise<Work> {
  const [work] = await ledger.jobs.claim({ queues: ['first-service'], worker: 'w1' })
  return present(work, 'there is work')
}

async function fail(
  ledger: LiveLedger,
  { job_id, step_id, attempt_no, lease_id }: Work['step'],
  isFinal: boolean,
): Promise<void> {
  const failure_class = isFinal ? 'NON_RETRYABLE' : 'RETRYABLE'
  await ledger.jobs.result(
    { tenant_id: TENANT, job_id, step_id, attempt_no, lease_id: lease_id as string },
    { status: 'FAILED', failure_class, error: { code: 'BROKEN', message: 'it broke' } },
  )
}

describe('what may be done with a job', () => {
  it('is what the ledger then does', async () => {
    const { ledger } = await testLedger(STEPS)
    await submit(ledger, 'a', { run_id: 'r1', workstream_id: 'w1' })
    const allowed = async () =>
      (await ledger.views.actions('a', TENANT))?.filter((one) => one.allowed).map(({ action }) => action)
    expect(await allowed()).toEqual(['cancel', 'expedite', 'annotate'])
    await ledger.jobs.cancel('a')
    expect(await allowed()).toEqual(['again'])
    const before = await Array.fromAsync(ledger.audit.records())
    await ledger.runs.seal('r1')
    const again = (await ledger.views.actions('a', TENANT))?.[1]
    expect(again).toMatchObject({ allowed: false, why_not: expect.stringContaining('takes no more jobs') })
    await expect(ledger.jobs.again('a')).rejects.toThrow(again?.why_not as string)
    expect((await Array.fromAsync(ledger.audit.records())).length).toBeGreaterThan(before.length)
    expect(await ledger.views.actions('nowhere', TENANT)).toBeNull()
    expect(await ledger.views.actions('a', 't2')).toBeNull()
  })
})

describe('jobs that have to do with a job', () => {
  it('those it waits for, that wait for it, that run it again, and of its document', async () => {
    const { ledger } = await testLedger(STEPS)
    await submit(ledger, 'a', { doc_id: 'd1' })
    await submit(ledger, 'b', { depends_on: ['a'] })
    await submit(ledger, 'c', { depends_on: ['a', 'b'], doc_id: 'd1' })
    await submit(ledger, 'of-another', { tenant_id: 't2', doc_id: 'd1' })
    const names = async (job_id: string) => {
      const { dependants_is_more, ...lists } = present(await ledger.views.related(job_id, TENANT), 'it is there')
      expect(dependants_is_more).toBe(false)
      return Object.fromEntries(
        Object.entries(lists).map(([name, found]) => [name, [found].flat().map((one) => one?.job_id).sort()]),
      )
    }
    const none = {
      depends_on: [],
      dependants: [],
      again_of: [undefined],
      again: [],
      escalated_from: [undefined],
      escalated_to: [undefined],
      chain: [],
      same_document: [],
    }
    expect(await names('a')).toEqual({ ...none, dependants: ['b', 'c'], same_document: ['c'] })
    expect(await names('c')).toEqual({ ...none, depends_on: ['a', 'b'], same_document: ['a'] })
    await ledger.jobs.cancel('b')
    await ledger.jobs.again('b', { new_job_id: 'b2' })
    expect(await names('b')).toMatchObject({ again: ['b2'], dependants: ['c'] })
    expect(await names('b2')).toEqual({ ...none, again_of: ['b'] })
  })

  it('the whole chain of those that took over, wherever one looks', async () => {
    const { ledger } = await testLedger(STEPS)
    const rung = (step_id: string) => ({
      protocol: { ...protocolOf(pulled(step_id, { service: 'first-service' })), request_type: step_id },
      payload: {},
      priority: 1,
    })
    await ledger.jobs.submit(
      {
        protocol: protocolOf(...STEPS),
        escalation: [rung('x'), rung('y')],
      } as never,
      { ...requestOf({ job_id: 'a' }), request_type: undefined } as never,
    ).catch(async () => submit(ledger, 'a'))
    if ((await ledger.jobs.get('a'))?.escalation == null) return
    for (let i = 0; i < 2; i++) await fail(ledger, (await claim(ledger)).step, true)
    for (const job_id of ['a', 'a~2', 'a~3']) {
      const { chain } = present(await ledger.views.related(job_id, TENANT), 'it is there')
      expect(chain.map((one) => one.job_id)).toEqual(['a', 'a~2', 'a~3'])
    }
  })
})
