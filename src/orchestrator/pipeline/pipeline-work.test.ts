import { describe, expect, it } from 'vitest'
import { pulled } from '../../../test/fixtures/job-commands.ts'
import { liveLedger } from '../../../test/fixtures/live-ledger.ts'
import { entryOf } from '../../core/job/entry.ts'
import { pipeline } from './pipeline.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

async function ledgerOf() {
  const { ledger, world } = await liveLedger([pulled('unused')])
  const entry = async (job_id: string) => {
    const aggregate = await ledger.jobs.show(job_id)
    return aggregate === null ? null : entryOf(aggregate)
  }
  return { ledger, world, entry }
}

describe('pipelines at work', () => {
  it('A54: two phases with a gate between them, from end to end', async () => {
    const { ledger, world, entry } = await ledgerOf()
    const ran: string[] = []
    const does = (name: string, output: unknown) => () => {
      ran.push(name)
      return output
    }
    const pdf = pipeline<{ url: string }>('pdf-two-phase', 'v2')
      .phases('one', 'two')
      .gate('ir', { when: { field: 'document.state', equals: 'ir_ready' }, timeout: '15m' })
      .stage(
        'download',
        { phase: 'one', document: { enters: 'fetching', leaves: 'fetched' } },
        does('download', 'bytes'),
      )
      .stage(
        'chunk',
        { phase: 'two', gate: 'ir', document: { enters: 'embedding' } },
        does('chunk', [1, 2, 3, 4, 5]),
      )
      .stage('index', { phase: 'two', document: { leaves: 'indexed' } }, ({ previous }) => {
        ran.push('index')
        return (previous as number[]).length
      })
    await using worker = ledger.work([pdf], { concurrency: 1 })
    const job = await ledger.jobs.submit(pdf, { doc_id: 'd1', payload: { url: 'u' }, context: { by: 'ada' } })
    await world.advanceBy(MINUTE)
    expect(ran).toEqual(['download'])
    expect(worker.running).toBe(0)
    expect(await entry(job.job_id)).toMatchObject({
      status: 'processing',
      stage: 'chunk',
      pipeline_name: 'pdf-two-phase',
    })
    for (const state of [
      'parsing',
      'parsed',
      'validating',
      'validated',
      'ir_building',
      'ir_ready',
    ] as const) {
      await ledger.documents.updateState('d1', state)
    }
    await world.advanceBy(SECOND)
    expect(await job.result()).toBe(5)
    expect(ran).toEqual(['download', 'chunk', 'index'])
    expect(await entry(job.job_id)).toMatchObject({
      status: 'completed',
      metadata: {
        pipeline_version: 'v2',
        context: { by: 'ada' },
        payload: { url: 'u' },
        'stage.chunk.attempts': 1,
        'stage.chunk.output_count': 5,
      },
    })
    expect(await ledger.documents.get('d1')).toMatchObject({ state: 'indexed' })
    await ledger.close()
  })

  it('A54: a gate that does not open in time fails the job, and says timeout', async () => {
    const { ledger, world, entry } = await ledgerOf()
    const gated = pipeline('gated', 'v1')
      .gate('go', { when: { field: 'metadata.go', exists: true }, timeout: '1m' })
      .stage('only', { gate: 'go' }, () => 1)
    ledger.work([gated])
    const { job_id } = await ledger.jobs.submit(gated, {})
    await world.advanceBy(MINUTE - 1)
    expect(await entry(job_id)).toMatchObject({ status: 'queued' })
    await world.advanceBy(1)
    expect(await entry(job_id)).toMatchObject({
      status: 'failed',
      error_reason: expect.stringContaining('timeout'),
    })
    await ledger.close()
  })

  it('A56: default: a stage that takes too long is told to stop, and tried three times, further and further apart', async () => {
    const { ledger, world, entry } = await ledgerOf()
    const begun: number[] = []
    const slow = pipeline('slow', 'v1').stage('call', async ({ signal }) => {
      begun.push(world.clock.now())
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    ledger.work([slow])
    const { job_id } = await ledger.jobs.submit(slow, {})
    await world.advanceBy(5 * MINUTE)
    expect(await entry(job_id)).toMatchObject({ status: 'failed', retry_count_per_stage: { call: 2 } })
    expect((await ledger.jobs.get(job_id))?.error_code).toBe('TIMEOUT')
    const gaps = begun.slice(1).map((at, i) => at - (begun[i] as number) - 30 * SECOND)
    expect(begun).toHaveLength(3)
    expect(gaps[0]).toBeGreaterThanOrEqual(250)
    expect(gaps[0]).toBeLessThanOrEqual(500)
    expect(gaps[1]).toBeGreaterThanOrEqual(500)
    expect(gaps[1]).toBeLessThanOrEqual(1000)
    await ledger.close()
  })

  it('A56: breaker: after five failures it is refused at once, and called again after its minute', async () => {
    const { ledger, world } = await ledgerOf()
    let calls = 0
    let isBroken = true
    const flaky = pipeline('flaky', 'v1').stage('call', { policy: 'gpu-bound' }, () => {
      calls++
      if (isBroken) throw new Error('CUDA error')
      return 'ok'
    })
    ledger.work([flaky], { concurrency: 1 })
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.push((await ledger.jobs.submit(flaky, { payload: { n } })).job_id)
    await world.advanceBy(SECOND)
    expect(calls).toBe(5)
    const states = async () => Promise.all(ids.map(async (id) => (await ledger.jobs.get(id))?.state))
    expect(await states()).toEqual([...Array(5).fill('FAILED_FINAL'), 'IN_PROGRESS', 'IN_PROGRESS'])
    expect((await ledger.why(ids[5] as string))?.causes).toMatchObject([
      { cause: 'backoff', message: expect.stringContaining('CIRCUIT_OPEN') },
    ])
    isBroken = false
    await world.advanceBy(58 * SECOND)
    expect(calls).toBe(5)
    // One is let through to try; the other one is let through when that has worked.
    await world.advanceBy(2 * MINUTE)
    expect(calls).toBe(7)
    expect((await states()).slice(5)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
    const aggregate = await ledger.jobs.show(ids[5] as string)
    expect(aggregate?.steps[0]).toMatchObject({ attempt_no: 2, released: 1 })
    await ledger.close()
  })

  it('A56: polite-api: five calls a second, ten tries a second and more apart', async () => {
    const { ledger, world } = await ledgerOf()
    const at: number[] = []
    const start = world.clock.now()
    const api = pipeline('api', 'v1').stage('call', { policy: 'polite-api' }, () => {
      at.push(world.clock.now() - start)
    })
    ledger.work([api], { concurrency: 100 })
    for (let n = 0; n < 12; n++) await ledger.jobs.submit(api, { payload: { n } })
    await world.advanceBy(10 * SECOND)
    expect(at).toHaveLength(12)
    for (let i = 5; i < at.length; i++)
      expect((at[i] as number) - (at[i - 5] as number)).toBeGreaterThanOrEqual(SECOND)
    const failing = pipeline('failing', 'v1').stage('call', { policy: 'polite-api' }, () => {
      throw new Error('429')
    })
    ledger.work([failing])
    const { job_id } = await ledger.jobs.submit(failing, {})
    await world.advanceBy(10 * MINUTE)
    const aggregate = await ledger.jobs.show(job_id)
    expect(aggregate?.steps[0]).toMatchObject({ state: 'FAILED_FINAL', attempt_no: 10 })
    await ledger.close()
  })

  it('two pipelines do not share a queue in one worker', async () => {
    const { ledger } = await ledgerOf()
    const one = pipeline('one', 'v1').stage('a', { queue: 'shared' }, () => 1)
    const two = pipeline('two', 'v1').stage('b', { queue: 'shared' }, () => 2)
    expect(() => ledger.work([one, two])).toThrow(/queue shared/)
    await ledger.close()
  })
})
