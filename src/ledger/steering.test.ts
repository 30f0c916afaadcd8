import { describe, expect, it } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf, testLedger } from '../../test/fixtures/live-ledger.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Conflict, JobFailed, NotFound } from '../errors/refusal-errors.ts'

// Where something waits or works by itself while time passes, the ledger is in memory; everywhere else it is on the engine that
// the suite is about.
const QUEUE = 'first-service'

function scheduled(fields = {}) {
  const { tenant_id: _, ...request } = requestOf()
  return { schedule_id: 's', cron: '0 9 * * *', request, ...fields } as const
}

describe('queues', () => {
  it('are paused, resumed and limited by name, with who and why in the history', async () => {
    const { ledger } = await testLedger([pulled('first')])
    expect(await ledger.queues.get(QUEUE)).toBeNull()
    await ledger.queues.pause(QUEUE, { actor: 'ada', reason: 'the printer burns' })
    await ledger.jobs.submit(requestOf())
    expect(await ledger.jobs.claim({ queues: [QUEUE] })).toEqual([])
    await ledger.queues.resume(QUEUE)
    await ledger.queues.limit(QUEUE, { concurrency: 1, rate: { max: 5, per_ms: 1000 } })
    expect(await ledger.jobs.claim({ queues: [QUEUE], limit: 5 })).toHaveLength(1)
    expect(await Array.fromAsync(ledger.queues.list())).toMatchObject([
      { queue: QUEUE, state: 'running', concurrency: 1, rate: { max: 5, per_ms: 1000 } },
    ])
    const history = await Array.fromAsync(ledger.audit.records({ kind: 'queue' }))
    expect(history.map(({ new_state, actor, reason }) => [new_state, actor, reason])).toEqual([
      ['paused', 'ada', 'the printer burns'],
      ['running', 'local', null],
      ['running', 'local', null],
    ])
  })

  it.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ rate: { max: 1 } }, 'rate.per_ms'],
    [{ rate: { max: 0, per_ms: 1 } }, 'rate.max'],
  ])('are not limited by %j', async (limits, field) => {
    const { ledger } = await testLedger([pulled('first')])
    await expect(ledger.queues.limit(QUEUE, limits as never)).rejects.toMatchObject({ field })
    expect(await ledger.queues.get(QUEUE)).toBeNull()
  })
})

describe('schedules', () => {
  it('are put, listed, paused and removed', async () => {
    const { ledger } = await testLedger([pulled('first')])
    expect(await ledger.schedules.put(scheduled())).toMatchObject({
      state: 'active',
      timezone: 'UTC',
      next_at: '2025-01-02T09:00:00.000Z',
    })
    await ledger.schedules.put(scheduled({ cron: '0 10 * * *', timezone: 'Europe/Berlin' }))
    expect((await ledger.schedules.get('s'))?.next_at).toBe('2025-01-02T09:00:00.000Z')
    await ledger.schedules.pause('s')
    expect(await Array.fromAsync(ledger.schedules.list({ state: 'paused' }))).toHaveLength(1)
    expect(await ledger.schedules.page({ state: ['paused'], limit: 1 })).toMatchObject({
      items: [{}],
      next: null,
    })
    expect((await ledger.schedules.page({ state: 'active' })).items).toEqual([])
    await ledger.schedules.remove('s')
    await expect(ledger.schedules.resume('s')).rejects.toThrow(NotFound)
  })

  it.each([
    [{ cron: 'every day' }, 'cron'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ overlap: 'sometimes' }, 'overlap'],
    [{ schedule_id: '' }, 'schedule_id'],
    [{ request: { ...requestOf() } }, 'request'],
    [{ request: { request_type: 'TEST' } }, 'input_ref'],
  ])('are refused with %j, and nothing is written', async (fields, field) => {
    const { ledger } = await testLedger([pulled('first')])
    await expect(ledger.schedules.put(scheduled(fields) as never)).rejects.toMatchObject({ field })
    expect((await ledger.stats()).records.schedule).toBe(0)
  })

  it('are not held up by one whose request nobody answers any more', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    await ledger.schedules.put(scheduled({ schedule_id: 'a', cron: '* * * * *' }))
    await ledger.schedules.put(scheduled({ schedule_id: 'b', cron: '* * * * *' }))
    ledger.jobs.register({
      protocol_id: 'strict.v1',
      request_type: 'TEST',
      steps: [pulled('first', { payload_schema: { type: 'object', required: ['more'] } })],
    })
    await ledger.schedules.put(
      scheduled({
        schedule_id: 'c',
        cron: '* * * * *',
        request: { ...scheduled().request, payload: { more: 1 } },
      }),
    )
    ledger.keepTime()
    await world.advanceBy(60_000)
    expect((await ledger.stats()).records.job).toBe(1)
    const told = world.logged.filter(({ level }) => level === 'error').map(({ message }) => message)
    expect([...new Set(told)]).toEqual([
      'Schedule a could not submit its job',
      'Schedule b could not submit its job',
    ])
  })
})

describe('waiting for a job', () => {
  it('throws what became of it, or that it takes too long, or why the caller stopped', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const job = await ledger.jobs.submit(requestOf())
    const late = job.result({ timeout: '5s' })
    late.catch(() => {})
    const abort = new AbortController()
    const aborted = job.result({ signal: abort.signal })
    aborted.catch(() => {})
    await world.advanceBy(5000)
    abort.abort(new Error('never mind'))
    await expect(late).rejects.toMatchObject({ code: 'WAIT_OVER' })
    await expect(aborted).rejects.toThrow('never mind')
    const cancelled = job.result()
    cancelled.catch(() => {})
    await ledger.jobs.cancel(job.job_id)
    await world.advanceBy(1)
    await expect(cancelled).rejects.toThrow(JobFailed)
    await expect(ledger.jobs.wait('nobody')).rejects.toThrow(NotFound)
    await expect(ledger.jobs.wait(job.job_id, { timeout: 'soon' })).rejects.toThrow(InvalidInput)
  })
})

describe('running a job again', () => {
  it('makes a new job that takes over what came before the step it begins with', async () => {
    const { ledger, world } = await liveLedger([pulled('first'), pulled('second')])
    let fails = true
    const firsts: string[] = []
    ledger.work({
      [QUEUE]: ({ job }) => {
        firsts.push(job.job_id)
        return 'made'
      },
      'second-service': async ({ previous }) => {
        if (fails) throw Object.assign(new Error('no'), { code: 'NO' })
        return [previous]
      },
    })
    const old = await ledger.jobs.submit(requestOf())
    await expect(ledger.jobs.again(old.job_id)).rejects.toThrow(Conflict)
    await world.advanceBy(3_600_000)
    fails = false
    const again = await ledger.jobs.again(old.job_id, { from_step: 'second', idempotency_key: 'once' })
    expect(
      (await ledger.jobs.again(old.job_id, { from_step: 'second', idempotency_key: 'once' })).duplicate,
    ).toBe(true)
    const result = again.result()
    await world.advanceBy(1)
    expect(await result).toEqual(['made'])
    expect(firsts).toEqual([old.job_id])
    expect(await ledger.jobs.get(again.job_id)).toMatchObject({ again_of: old.job_id, state: 'SUCCEEDED' })
    expect(await ledger.jobs.get(old.job_id)).toMatchObject({ state: 'FAILED_FINAL', error_code: 'NO' })
    await ledger.close()
  })
})

describe('why', () => {
  it('answers for jobs of a ledger, and null for those it does not know', async () => {
    const { ledger, world } = await testLedger([pulled('first')])
    const { job_id } = await ledger.jobs.submit(requestOf())
    expect((await ledger.why(job_id))?.causes.map(({ cause }) => cause)).toEqual(['worker'])
    await ledger.queues.pause(QUEUE)
    expect((await ledger.why(job_id))?.causes.map(({ cause }) => cause)).toEqual(['paused'])
    await ledger.queues.resume(QUEUE)
    const behind = await ledger.jobs.submit(requestOf())
    expect((await ledger.why(behind.job_id))?.causes.map(({ cause }) => cause)).toEqual(['turn', 'worker'])
    const waits = await ledger.jobs.submit(requestOf({ depends_on: [job_id] }))
    expect((await ledger.why(waits.job_id))?.causes[0]).toMatchObject({
      cause: 'dependency',
      details: { job_id },
    })
    const later = await ledger.jobs.submit(requestOf({ delay: '1h' }))
    expect((await ledger.why(later.job_id))?.causes[0]?.cause).toBe('delay')
    await world.advanceBy(3_600_000)
    expect((await ledger.why(later.job_id))?.causes[0]?.cause).toBe('timer')
    expect(await ledger.why('nobody')).toBeNull()
  })
})

describe('what a ledger is told once', () => {
  it('A9 may be another limit for single tenants', async () => {
    const { ledger } = await testLedger([pulled('first')], { tenantInFlightLimits: { small: 1 } })
    await ledger.jobs.submit(requestOf({ tenant_id: 'small' }))
    await expect(ledger.jobs.submit(requestOf({ tenant_id: 'small' }))).rejects.toMatchObject({ status: 429 })
    for (let i = 0; i < 3; i++) await ledger.jobs.submit(requestOf())
  })

  it('A13 may be where services report, for requests that do not say', async () => {
    const { ledger } = await testLedger([pulled('first')], {
      callbackUrl: 'http://127.0.0.1:1/v1/callbacks/',
    })
    const { job_id } = await ledger.jobs.submit(requestOf())
    const own = await ledger.jobs.submit(requestOf({ callback_urls: { result: 'http://elsewhere/r' } }))
    expect((await ledger.jobs.get(job_id))?.callback_urls).toEqual({
      ack: 'http://127.0.0.1:1/v1/callbacks/ack',
      heartbeat: 'http://127.0.0.1:1/v1/callbacks/heartbeat',
      result: 'http://127.0.0.1:1/v1/callbacks/result',
    })
    expect((await ledger.jobs.get(own.job_id))?.callback_urls).toEqual({ result: 'http://elsewhere/r' })
  })

  it('is refused when it makes no sense', async () => {
    await expect(testLedger([], { tenantInFlightLimits: { t: 0 } })).rejects.toMatchObject({
      field: 'tenantInFlightLimits.t',
    })
    await expect(testLedger([], { callbackUrl: 'nowhere' })).rejects.toMatchObject({ field: 'callbackUrl' })
  })
})
