import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { requestOf, testLedger } from '../../test/fixtures/live-ledger.ts'
import { present } from '../core/must.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import type { Work } from './claim.ts'
import type { PipelineRequest } from './pipeline-request.ts'

const STEPS = [pulled('first', { policy: { max_attempts: 2 } }), pulled('second')]

const TENANT = 't1'

const WAY_TO = { pending: [], ready: ['ready'], running: ['ready', 'running'] } as const

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
      const { dependants_is_more, ...lists } = present(
        await ledger.views.related(job_id, TENANT),
        'it is there',
      )
      expect(dependants_is_more).toBe(false)
      return Object.fromEntries(
        Object.entries(lists).map(([name, found]) => [
          name,
          [found]
            .flat()
            .map((one) => one?.job_id)
            .sort(),
        ]),
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
    const own = (request_type: string) => ({
      ...protocolOf(pulled('first')),
      protocol_id: request_type,
      request_type,
    })
    const rungs = ['X', 'Y'].map((name) => ({ protocol: own(name), payload: {}, priority: 1 }) as const)
    const { request_type: _, schema_version: __, ...request } = requestOf({ job_id: 'a' })
    await ledger.jobs.submit({ protocol: own('A') }, request as PipelineRequest, { rungs })
    for (let i = 0; i < 2; i++) await fail(ledger, (await claim(ledger)).step, true)
    for (const job_id of ['a', 'a~2', 'a~3']) {
      const { chain } = present(await ledger.views.related(job_id, TENANT), 'it is there')
      expect(chain.map((one) => one.job_id)).toEqual(['a', 'a~2', 'a~3'])
    }
  })
})

describe('the attempts at the steps of a job', () => {
  it('are told from its history', async () => {
    const { ledger, world } = await testLedger(STEPS)
    await submit(ledger, 'a')
    const { step } = await claim(ledger)
    world.clock.advanceBy(1000)
    await fail(ledger, step, false)
    await ledger.jobs.expedite('a')
    await claim(ledger)
    expect(await ledger.views.attempts('a', TENANT)).toMatchObject({
      items: [
        { step_id: 'first', attempt_no: 1, holder: 'w1', outcome: 'FAILED_RETRY', error_code: 'BROKEN' },
        { step_id: 'first', attempt_no: 2, holder: 'w1', outcome: null, ended_at: null },
      ],
      is_complete: true,
    })
  })
})

describe('the board', () => {
  it('has every workstream in its lane, with its jobs', async () => {
    const { ledger } = await testLedger(STEPS)
    for (const workstream_id of ['w-run', 'w-fix', 'w-bad']) {
      await submit(ledger, `job-of-${workstream_id}`, { run_id: 'r1', workstream_id })
      const { step } = await claim(ledger)
      if (workstream_id !== 'w-run') await fail(ledger, step, workstream_id === 'w-bad')
      if (workstream_id === 'w-bad') await ledger.workstreams.seal(workstream_id)
      else await ledger.workstreams.follow(workstream_id)
    }
    await ledger.workstreams.create({ workstream_id: 'w-new', run_id: 'r2' })
    await ledger.workstreams.create({ workstream_id: 'w-left' })
    await ledger.workstreams.update('w-left', 'skipped')
    await ledger.workstreams.create({ workstream_id: 'of-another' }, { tenant_id: 't2' })
    const lanes = async (query: { tenant_id: string | undefined; run_id?: string }) =>
      Object.fromEntries(
        (await ledger.views.board(query)).lanes.map(({ lane, items }) => [
          lane,
          items.map((card) => card.workstream_id).sort(),
        ]),
      )
    const all = {
      waiting: ['w-new'],
      running: ['w-run'],
      fixing: ['w-fix'],
      quarantine: ['w-bad'],
      completed: ['w-left'],
    }
    expect(await lanes({ tenant_id: TENANT })).toEqual(all)
    expect(await lanes({ tenant_id: undefined })).toEqual({ ...all, waiting: ['of-another', 'w-new'] })
    expect(await lanes({ tenant_id: TENANT, run_id: 'r2' })).toMatchObject({
      waiting: ['w-new'],
      running: [],
    })
    const { lanes: shown } = await ledger.views.board({ tenant_id: TENANT })
    expect(shown[2]?.items[0]).toMatchObject({
      jobs: { open: 1, failed: 0, is_more: false },
      failing_job: { job_id: 'job-of-w-fix' },
    })
    expect(shown[3]?.items[0]).toMatchObject({ jobs: { failed: 1 }, failing_job: { job_id: 'job-of-w-bad' } })
  })

  it('what a move says is what the ledger does', async () => {
    const { ledger } = await testLedger(STEPS)
    for (const state of ['pending', 'ready', 'running'] as const) {
      await ledger.workstreams.create({ workstream_id: state })
      const path = WAY_TO[state]
      for (const to of path) await ledger.workstreams.update(state, to)
    }
    const { lanes } = await ledger.views.board({ tenant_id: TENANT })
    for (const { workstream_id, moves } of lanes.flatMap(({ items }) => items)) {
      const { state } = present(
        moves.find(({ allowed }) => allowed),
        'there is a way on',
      )
      expect((await ledger.workstreams.update(workstream_id, state as 'ready')).state).toBe(state)
    }
  })

  it('shows the newest, and says that there are more', async () => {
    const { ledger } = await testLedger(STEPS)
    for (let i = 0; i < 51; i++) await ledger.workstreams.create({ workstream_id: `w-${i}` })
    const [waiting, running] = (await ledger.views.board({ tenant_id: TENANT })).lanes
    expect([waiting?.items.length, waiting?.is_more, running?.is_more]).toEqual([50, true, false])
  })
})

describe('search', () => {
  it('finds an id first, then parts of names, of one tenant or of all', async () => {
    const { ledger } = await testLedger(STEPS)
    await submit(ledger, 'scan', { doc_id: 'Scan-1', run_id: 'scan', workstream_id: 'of-scan' })
    await submit(ledger, 'other', { tags: ['SCANNED'] })
    await submit(ledger, 'scan', { tenant_id: 't2' })
    await ledger.documents.updateState('my-scan', 'fetching')
    const found = async (q: string, tenant_id: string | undefined = TENANT) =>
      (await ledger.views.search({ q, tenant_id })).items.map(
        (hit) => `${hit.tenant_id} ${hit.kind} ${hit.id}`,
      )
    expect(await found('scan')).toEqual([
      't1 job scan',
      't1 run scan',
      't1 job other',
      't1 document my-scan',
      't1 workstream of-scan',
    ])
    expect((await found('scan', 't2')).sort()).toEqual(['t2 job scan'])
    const { items } = await ledger.views.search({ q: 'scan', tenant_id: undefined })
    expect(items.slice(0, 3).map(({ id }) => id)).toEqual(['scan', 'scan', 'scan'])
    expect(items).toHaveLength(6)
    expect(await found('nothing of the kind')).toEqual([])
    expect(await ledger.views.search({ q: 'my-scan', tenant_id: TENANT })).toEqual({
      items: [
        { kind: 'document', tenant_id: 't1', id: 'my-scan', state: 'fetching', title: expect.any(String) },
      ],
      is_more: false,
    })
  })

  it('answers with the first twenty, and says that there are more', async () => {
    const { ledger } = await testLedger(STEPS)
    for (let i = 0; i < 30; i++) await ledger.documents.updateState(`doc-${i}`, 'fetching')
    const { items, is_more } = await ledger.views.search({ q: 'DOC', tenant_id: TENANT })
    expect([items.length, is_more]).toEqual([20, true])
  })
})
