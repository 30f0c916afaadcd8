import { describe, expect, it } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { requestOf, testLedger } from '../../test/fixtures/live-ledger.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Conflict, InvalidStateTransition, NotFound } from '../errors/refusal-errors.ts'

const QUEUE = 'only-service'

async function ledgerOf() {
  const { ledger } = await testLedger([pulled('only')])
  return ledger
}

type Ledger = Awaited<ReturnType<typeof ledgerOf>>

function submit(ledger: Ledger, job_id: string, more = {}) {
  return ledger.jobs.submit({ ...requestOf({ payload: { for: job_id } }), job_id, ...more })
}

/** Does the next job of the queue. */
async function work(ledger: Ledger, ok = true): Promise<void> {
  const [work] = await ledger.jobs.claim({ queues: [QUEUE] })
  if (work === undefined) throw new Error('There is something to do')
  const error = { code: 'BROKEN', message: 'it broke' }
  await ledger.jobs.result(
    work.step,
    ok ? { status: 'SUCCEEDED' } : { status: 'FAILED', failure_class: 'NON_RETRYABLE', error },
  )
}

describe('runs', () => {
  it('A60: are created pending, updated, and never mistaken for each other', async () => {
    const ledger = await ledgerOf()
    const runs = await Promise.all(Array.from({ length: 20 }, () => ledger.runs.create()))
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(20)
    const run = await ledger.runs.create({ run_id: 'r1', metadata: { who: 'ada' } })
    expect(run).toMatchObject({ state: 'pending', metadata: { who: 'ada' } })
    expect(await ledger.runs.update('r1', 'running', { actor: 'ada' })).toMatchObject({ state: 'running' })
    await expect(ledger.runs.update('r1', 'pending')).rejects.toThrow(InvalidStateTransition)
    await expect(ledger.runs.update('r1', 'nonsense' as never)).rejects.toThrow(InvalidInput)
    await expect(ledger.runs.create({ run_id: 'r1' })).rejects.toThrow(Conflict)
    await expect(ledger.runs.update('none', 'running')).rejects.toThrow(NotFound)
    expect(await ledger.runs.get('none')).toBeNull()
    expect((await ledger.runs.list({ state: 'running' })).items).toMatchObject([{ run_id: 'r1' }])
  })

  it('follow their jobs, and end when they are sealed and the last of them has', async () => {
    const ledger = await ledgerOf()
    await submit(ledger, 'a', { run_id: 'r1', workstream_id: 'w1' })
    await submit(ledger, 'b', { run_id: 'r1', workstream_id: 'w1', depends_on: ['a'] })
    expect(await ledger.runs.follow('r1')).toMatchObject({ state: 'pending' })
    expect(await ledger.workstreams.follow('w1')).toMatchObject({ state: 'ready', run_id: 'r1' })
    await work(ledger)
    await ledger.advance()
    expect(await ledger.runs.follow('r1')).toMatchObject({ state: 'running' })
    expect(await ledger.workstreams.follow('w1')).toMatchObject({ state: 'running' })
    await work(ledger)
    expect(await ledger.runs.follow('r1')).toMatchObject({ state: 'running' })
    expect(await ledger.runs.seal('r1')).toMatchObject({ state: 'succeeded', sealed: true })
    expect((await ledger.workstreams.list({ run_id: 'r1' })).items).toMatchObject([{ state: 'succeeded' }])
    await expect(submit(ledger, 'c', { run_id: 'r1' })).rejects.toMatchObject({ code: 'RUN_CLOSED' })
  })

  it('fail when one of their jobs has, wait for those that are open, and are cancelled with them', async () => {
    const ledger = await ledgerOf()
    for (const id of ['a', 'b']) await submit(ledger, id, { run_id: 'r1' })
    await ledger.runs.seal('r1')
    await work(ledger, false)
    expect(await ledger.runs.follow('r1')).toMatchObject({ state: 'running' })
    await work(ledger)
    expect(await ledger.runs.follow('r1')).toMatchObject({ state: 'failed' })
    for (const id of ['c', 'd']) await submit(ledger, id, { run_id: 'r2' })
    expect(await ledger.runs.cancel('r2', { actor: 'ada', reason: 'wrong folder' })).toMatchObject({
      state: 'cancelled',
    })
    expect((await ledger.jobs.list({ run_id: 'r2' })).items.map(({ state }) => state)).toEqual([
      'CANCELLED',
      'CANCELLED',
    ])
  })

  it('are cancelled at once when nothing of them is open', async () => {
    const ledger = await ledgerOf()
    await ledger.runs.create({ run_id: 'r1' })
    expect(await ledger.runs.cancel('r1')).toMatchObject({ state: 'cancelled' })
    expect(await ledger.runs.cancel('r1')).toMatchObject({ state: 'cancelled' })
    await expect(ledger.runs.cancel('none')).rejects.toThrow(NotFound)
    await submit(ledger, 'a', { run_id: 'r2' })
    await work(ledger)
    expect(await ledger.runs.cancel('r2')).toMatchObject({ state: 'cancelled' })
  })

  it('an explicit end counts, whatever the jobs do', async () => {
    const ledger = await ledgerOf()
    await submit(ledger, 'a', { run_id: 'r1', workstream_id: 'w1' })
    await ledger.runs.update('r1', 'running')
    await ledger.runs.update('r1', 'failed')
    await work(ledger)
    expect(await ledger.runs.follow('r1')).toMatchObject({ state: 'failed' })
    await ledger.workstreams.annotate('w1', { owner: 'ada' })
    await ledger.workstreams.record('w1', { event_type: 'review.asked', payload: { by: 'ada' } })
    const told = await Array.fromAsync(ledger.audit.records({ kind: 'workstream', id: 'w1', event: 'noted' }))
    expect(told.map(({ metadata }) => metadata)).toEqual([
      { owner: 'ada' },
      { event_type: 'review.asked', payload: { by: 'ada' } },
    ])
  })

  it('are blocked while every job waits for others', async () => {
    const ledger = await ledgerOf()
    await submit(ledger, 'a')
    await submit(ledger, 'b', { workstream_id: 'w1', depends_on: ['a'] })
    expect(await ledger.workstreams.follow('w1')).toMatchObject({ state: 'blocked' })
    await work(ledger)
    await ledger.advance()
    expect(await ledger.workstreams.follow('w1')).toMatchObject({ state: 'ready' })
    expect(await ledger.workstreams.create({ workstream_id: 'w2', run_id: 'r9' })).toMatchObject({
      run_id: 'r9',
    })
  })

  it('several things at once are one change', async () => {
    const ledger = await ledgerOf()
    const make = () =>
      ledger.batch((m) => [
        m.createRun({ run_id: 'r1' }),
        m.createWorkstream({ workstream_id: 'w1', run_id: 'r1' }),
        m.submit({ ...requestOf(), job_id: 'a', run_id: 'r1', workstream_id: 'w1' }),
        m.annotateGroup('run', 'r1', { size: 1 }),
        m.sealGroup('run', 'r1'),
      ])
    await make()
    expect(await ledger.runs.get('r1')).toMatchObject({ sealed: true, metadata: { size: 1 } })
    await expect(make()).rejects.toThrow(Conflict)
    expect((await ledger.jobs.list()).items).toHaveLength(1)
  })
})

describe('gates and documents', () => {
  const stages = [
    pulled('parse', { document: { enters: 'fetching', leaves: 'fetched' } }),
    pulled('chunk', {
      gate: {
        name: 'parsed',
        when: { field: 'document.state', op: 'equals', value: 'parsed' },
        timeout_ms: 60_000,
      },
    }),
  ] as const
  const pdf = {
    protocol: {
      protocol_id: 'pdf@v1',
      request_type: 'pdf',
      steps: stages,
      pipeline: { name: 'pdf', version: 'v1' },
    },
  }

  it('A54: a job is parked until its document has got there, wherever the ledger is', async () => {
    const { ledger } = await testLedger([pulled('unused')])
    await ledger.jobs.submit(pdf, { job_id: 'j', doc_id: 'd1' })
    const [parse] = await ledger.jobs.claim({ queues: ['parse-service'] })
    expect(await ledger.documents.get('d1')).toMatchObject({ state: 'fetching', adapter: 'parse-service' })
    await ledger.jobs.result(parse?.step as never, { status: 'SUCCEEDED', output: [1] })
    expect(await ledger.documents.get('d1')).toMatchObject({ state: 'fetched' })
    await ledger.advance()
    expect(await ledger.jobs.claim({ queues: ['chunk-service'] })).toEqual([])
    expect((await ledger.why('j'))?.causes).toMatchObject([{ cause: 'gate', details: { gate: 'parsed' } }])
    await ledger.documents.updateState('d1', 'parsing')
    await ledger.advance()
    expect(await ledger.jobs.claim({ queues: ['chunk-service'] })).toEqual([])
    await ledger.documents.updateState('d1', 'parsed')
    expect(await ledger.nextDue()).toBe(0)
    await ledger.advance()
    const [chunk] = await ledger.jobs.claim({ queues: ['chunk-service'] })
    await ledger.jobs.result(chunk?.step as never, {
      status: 'SUCCEEDED',
      output: [1, 2],
      metadata: { model: 'm' },
    })
    expect(await ledger.jobs.get('j')).toMatchObject({
      state: 'SUCCEEDED',
      metadata: {
        pipeline_version: 'v1',
        model: 'm',
        'stage.parse.output_count': 1,
        'stage.chunk.output_count': 2,
      },
    })
  })
})

describe('making one with a request key', () => {
  it('makes one run and one workstream, whether their ids were made up or not', async () => {
    const ledger = await ledgerOf()
    const run = await ledger.runs.create({ metadata: { a: 1 } }, { request_key: 'k' })
    expect(await ledger.runs.create({ metadata: { a: 1 } }, { request_key: 'k' })).toEqual(run)
    const { run_id } = run
    const made = await ledger.workstreams.create({ workstream_id: 'w', run_id }, { request_key: 'k' })
    const again = await ledger.workstreams.create({ workstream_id: 'w', run_id }, { request_key: 'k' })
    expect(again).toEqual(made)
    expect((await ledger.runs.list()).items).toHaveLength(1)
    await expect(ledger.runs.create({ run_id: 'other' }, { request_key: 'k' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    await expect(ledger.runs.create({}, { request_key: 'a\nb' })).rejects.toMatchObject({
      field: 'request_key',
    })
    await expect(ledger.workstreams.create({ workstream_id: 'w' })).rejects.toMatchObject({
      code: 'RUN_EXISTS',
    })
  })
})
