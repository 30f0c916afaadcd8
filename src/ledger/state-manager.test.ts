import { describe, expect, it } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { testLedger } from '../../test/fixtures/live-ledger.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Conflict, InvalidStateTransition } from '../errors/refusal-errors.ts'
import { externalPipeline } from './pipeline-request.ts'
import { LedgerStateManager } from './state-manager.ts'

const PDF = externalPipeline('pdf-two-phase', 'v2')

async function managed(job_id = 'job-123') {
  const { ledger, ...rest } = await testLedger([pulled('unused')])
  await ledger.jobs.submit(PDF, { job_id })
  return { ledger, manager: new LedgerStateManager(ledger, { actor: 'dagster' }), ...rest }
}

const RUN = { pipeline_name: 'pdf-two-phase', pipeline_version: 'v2' }

describe('the state manager', () => {
  it('A50: chunk succeeds on its second attempt', async () => {
    const { manager } = await managed()
    await manager.prepareRun('job-123', RUN)
    await manager.stageSucceeded('job-123', 'chunk', { attempts: 2, output_count: 5, duration_ms: 1200 })
    const entry = await manager.fetchEntry('job-123')
    const stage = Object.entries(entry?.metadata ?? {}).filter(([key]) => key.startsWith('stage.'))
    expect(Object.fromEntries(stage)).toEqual({
      'stage.chunk.attempts': 2,
      'stage.chunk.output_count': 5,
      'stage.chunk.duration_ms': 1200,
      'stage.chunk.completed_at': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  it('A51: embed throws', async () => {
    const { manager } = await managed()
    await manager.stageStarted('job-123', 'embed')
    await manager.stageFailed('job-123', 'embed', new Error('CUDA out of memory'))
    expect(await manager.fetchEntry('job-123')).toMatchObject({
      status: 'failed',
      stage: 'embed',
      error_reason: 'CUDA out of memory',
    })
  })

  it('A51: the run fails before its first stage', async () => {
    const { manager } = await managed()
    await manager.stageFailed('job-123', null, 'no such bucket')
    expect(await manager.fetchEntry('job-123')).toMatchObject({
      status: 'failed',
      stage: 'bootstrap',
      error_reason: 'no such bucket',
    })
  })

  it('A52: a run is prepared', async () => {
    const { manager } = await managed('job-789')
    expect(await manager.fetchEntry('job-789')).toMatchObject({ status: 'queued', stage: 'pending' })
    const given = {
      context: { source: 'tests' },
      adapter_request: { adapter: 'mineru' },
      payload: { seed: 7 },
    }
    expect(await manager.prepareRun('job-789', { ...RUN, ...given })).toMatchObject({
      pipeline_name: 'pdf-two-phase',
      status: 'processing',
      stage: 'bootstrap',
      metadata: { pipeline_version: 'v2', ...given },
    })
  })

  it('A52: what is given is stored as plain JSON, in order, dates as text', async () => {
    const { manager } = await managed()
    const at = new Date('2025-01-02T03:04:05Z')
    const context = {
      z: new Map([
        ['b', 1],
        ['a', 2],
      ]),
      at,
      tags: new Set(['x']),
      none: undefined,
      deep: { b: 1, a: at },
    }
    const entry = await manager.prepareRun('job-123', { ...RUN, context })
    expect(JSON.stringify(entry?.metadata.context)).toBe(
      '{"at":"2025-01-02T03:04:05.000Z","deep":{"a":"2025-01-02T03:04:05.000Z","b":1},"tags":["x"],"z":{"a":2,"b":1}}',
    )
    const circle: { self?: unknown } = {}
    circle.self = circle
    for (const bad of [circle, { big: 1n }, JSON.parse('{"__proto__": 1}')]) {
      await expect(manager.prepareRun('job-123', { ...RUN, context: bad })).rejects.toThrow(InvalidInput)
    }
    expect((await manager.fetchEntry('job-123'))?.metadata.context).toEqual(entry?.metadata.context)
  })

  it('A53: retries are counted for each stage, and the job goes on', async () => {
    const { manager } = await managed()
    expect((await manager.recordRetry('job-123', 'chunk'))?.retry_count_per_stage).toEqual({ chunk: 1 })
    expect(await manager.recordRetry('job-123', 'chunk', new Error('busy'))).toMatchObject({
      retry_count_per_stage: { chunk: 2 },
      status: 'processing',
    })
  })

  it('A53: a job that is not there makes nothing fail', async () => {
    const { manager, ledger } = await managed()
    const calls = [
      () => manager.prepareRun('none', RUN),
      () => manager.stageStarted('none', 'a'),
      () => manager.recordRetry('none', 'a'),
      () => manager.stageSucceeded('none', 'a'),
      () => manager.stageFailed('none', 'a', new Error('x')),
      () => manager.completeRun('none'),
      () => manager.recordJobAttempt('none'),
      () => manager.fetchEntry('none'),
    ]
    for (const call of calls) expect(await call()).toBeNull()
    expect(manager.missing).toBe(calls.length)
    expect(await ledger.jobs.get('none')).toBeNull()
  })

  it('A53: what is completed does not go back', async () => {
    const { manager, ledger } = await managed()
    await manager.stageSucceeded('job-123', 'chunk', { output: ['a', 'b'] })
    expect(await manager.completeRun('job-123', { pages: 3 })).toMatchObject({
      status: 'completed',
      metadata: { pages: 3 },
    })
    await expect(manager.stageStarted('job-123', 'embed')).rejects.toThrow(InvalidStateTransition)
    await expect(manager.prepareRun('job-123', RUN)).rejects.toMatchObject({ details: { from: 'SUCCEEDED' } })
    const refused = await Array.fromAsync(ledger.audit.records({ job_id: 'job-123', event: 'refused' }))
    expect(refused).toHaveLength(2)
    expect(await manager.completeRun('job-123')).toMatchObject({ status: 'completed' })
  })

  it('A53: one document key, one entry', async () => {
    const { ledger, manager } = await managed()
    const first = await ledger.jobs.submit(PDF, { doc_key: 'isbn:1', payload: { a: 1 } })
    const second = await ledger.jobs.submit(PDF, { doc_key: 'isbn:1', payload: { a: 2 } })
    expect(second).toMatchObject({ job_id: first.job_id, duplicate: true, differing: ['payload'] })
    expect(await manager.fetchEntry(first.job_id)).toMatchObject({
      doc_key: 'isbn:1',
      metadata: { payload: { a: 1 } },
    })
  })

  it('counts how often a run was begun, and keeps stages of workers out of reach', async () => {
    const { ledger, manager } = await managed()
    await manager.recordJobAttempt('job-123')
    expect(await manager.recordJobAttempt('job-123')).toMatchObject({ attempts: 2, status: 'queued' })
    const step = { step_id: 'only', step_type: 'ONLY', service: 's', delivery: 'pull' } as const
    const protocol = { protocol_id: 'p', request_type: 'P', steps: [step] }
    await ledger.jobs.submit({ protocol }, { job_id: 'ours' })
    await expect(manager.stageStarted('ours', 'only')).rejects.toThrow(Conflict)
    for (const stage of ['', 'a/b', 'x'.repeat(600)]) {
      await expect(manager.stageStarted('job-123', stage)).rejects.toThrow(InvalidInput)
    }
    await expect(manager.stageSucceeded('job-123', 'a', { attempts: -1 })).rejects.toMatchObject({
      field: 'attempts',
    })
  })

  it('takes secrets out of what went wrong', async () => {
    const { manager } = await managed()
    await manager.stageFailed('job-123', 'embed', new Error('cannot use postgres://u:hunter2@db/x'))
    expect(JSON.stringify(await manager.fetchEntry('job-123'))).not.toContain('hunter2')
  })
})
