import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { JobFailed } from '../errors/refusal-errors.ts'
import { DEFAULT_SETTINGS } from '../ledger/settings.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { NonRetryable } from '../wire/non-retryable.ts'
import { Output } from '../wire/output.ts'
import { WorkAborted } from '../wire/work-aborted.ts'
import type { StepWork } from './handler.ts'
import { LiveLedger } from './live-ledger.ts'

const QUEUE = 'first-service'

/** A handler that is at work until it is told what to do, one per attempt. */
function manual() {
  const begun: (StepWork & PromiseWithResolvers<unknown>)[] = []
  const handler = (work: StepWork) => {
    const end = Promise.withResolvers<unknown>()
    const { job, step, input, previous, signal, heartbeat, log } = work
    begun.push({ job, step, input, previous, signal, heartbeat, log, ...end })
    return end.promise
  }
  const at = (index: number) => {
    const work = begun[index]
    if (work === undefined) throw new Error(`only ${begun.length} were begun`)
    return work
  }
  return { begun, handler, at }
}

describe('a worker', () => {
  it('hands each step what the one before came to, and the job comes to what the last one returns', async () => {
    const { ledger, world } = await liveLedger([pulled('first'), pulled('second')])
    const seen: unknown[] = []
    ledger.work({
      'first-service': ({ input, previous }) => {
        seen.push(input, previous)
        return { pages: 3 }
      },
      'second-service': async ({ previous, job }) => {
        seen.push(previous)
        return [job.job_id]
      },
    })
    const job = await ledger.jobs.submit(requestOf({ payload: { width: 320 } }))
    const result = job.result()
    await world.advanceBy(1)
    expect(await result).toEqual([job.job_id])
    expect(seen).toEqual([{ width: 320 }, null, { pages: 3 }])
    await ledger.close()
  })

  it('claims twice at a time while there is more than one claim takes, and never more than it has room for', async () => {
    const jobs = 1000
    const room = 600
    const { ledger, world } = await liveLedger([pulled('first')], { inFlightLimit: jobs })
    for (let nth = 0; nth < jobs; nth++) await ledger.jobs.submit(requestOf({ payload: { nth } }))
    const claim = ledger.jobs.claim.bind(ledger.jobs)
    let claiming = 0
    let mostClaiming = 0
    ledger.jobs.claim = async (options) => {
      mostClaiming = Math.max(mostClaiming, ++claiming)
      try {
        return await claim(options)
      } finally {
        claiming--
      }
    }
    const { handler, begun } = manual()
    const worker = ledger.work({ [QUEUE]: handler }, { concurrency: room })
    await world.advanceBy(1)
    expect([mostClaiming, begun.length, worker.running]).toEqual([2, room, room])
    for (const { resolve } of [...begun]) resolve(null)
    await world.advanceBy(1)
    for (const { resolve } of begun) resolve(null)
    await world.advanceBy(1)
    expect(begun).toHaveLength(jobs)
    expect(await ledger.counts('job')).toMatchObject({ QUEUED: 0, SUCCEEDED: jobs })
    await ledger.close()
  })

  it('gives a step its own part of the payload, and passes on where its output is', async () => {
    const { ledger, world } = await liveLedger([pulled('first'), pulled('second')])
    const seen: unknown[] = []
    ledger.work({
      'first-service': ({ input }) => {
        seen.push(input)
        return new Output({ ok: true }, 's3://made')
      },
      'second-service': ({ step }) => void seen.push(step.input_ref),
    })
    const job = await ledger.jobs.submit(requestOf({ payload: { steps: { first: { own: 1 } } } }))
    const result = job.result()
    await world.advanceBy(1)
    expect([await result, ...seen]).toEqual([null, { own: 1 }, 's3://made'])
  })

  it('A14 tries again after the backoff when a handler throws, with what it threw in the history', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const times: number[] = []
    ledger.work({
      [QUEUE]: ({ step }) => {
        times.push(world.clock.now())
        if (step.attempt_no < 3) throw Object.assign(new Error('busy'), { code: 'HTTP_503' })
        return 'done'
      },
    })
    const began = world.clock.now()
    const job = await ledger.jobs.submit(requestOf())
    await world.advanceBy(10 * 60_000)
    expect(await job.result()).toBe('done')
    expect(times.map((at) => at - began)).toEqual([0, 60_000, 360_000])
    const failed = await Array.fromAsync(ledger.jobs.history(job.job_id))
    expect(
      failed.filter(({ error_type }) => error_type !== null).map((e) => [e.error_type, e.error_message]),
    ).toEqual([
      ['HTTP_503', 'busy'],
      ['HTTP_503', 'busy'],
    ])
  })

  it('A14 fails the job at once when trying again makes no sense', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    ledger.work({
      [QUEUE]: () => {
        throw new NonRetryable('it is encrypted', { code: 'ENCRYPTED' })
      },
    })
    const job = await ledger.jobs.submit(requestOf())
    const result = job.result()
    result.catch(() => {})
    await world.advanceBy(1)
    await expect(result).rejects.toThrow(JobFailed)
    expect(await ledger.jobs.get(job.job_id)).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'ENCRYPTED',
    })
  })

  it('fails a step whose output is not JSON, and says where', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    ledger.work({ [QUEUE]: () => ({ at: new Date(0) }) })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    expect(await ledger.jobs.get(job_id)).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'INVALID_OUTPUT',
      error_message: expect.stringContaining('output.at'),
    })
  })

  it('runs as many at once as it may, and claims more as soon as one is done', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const { handler, begun, at } = manual()
    const worker = ledger.work({ [QUEUE]: handler }, { concurrency: 2 })
    for (let i = 0; i < 4; i++) await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    expect([begun.length, worker.running]).toEqual([2, 2])
    at(0).resolve(null)
    await world.advanceBy(1)
    expect([begun.length, worker.running]).toEqual([3, 2])
    for (const { resolve } of begun) resolve(null)
    await world.advanceBy(1)
    at(3).resolve(null)
    await ledger.close()
  })

  it('A15 keeps its lease by heartbeats for as long as a handler takes', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const { handler, begun, at } = manual()
    ledger.work({ [QUEUE]: handler })
    const job = await ledger.jobs.submit(requestOf())
    await world.advanceBy(24 * 3_600_000)
    expect([begun.length, at(0).signal.aborted]).toEqual([1, false])
    at(0).resolve('late but fine')
    expect(await job.result()).toBe('late but fine')
    await ledger.close()
  })

  it('A16 aborts the handler as soon as its job is cancelled', async () => {
    const { ledger, world } = await liveLedger([pulled('first'), pulled('second')])
    ledger.work({
      [QUEUE]: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    await ledger.jobs.cancel(job_id)
    expect((await ledger.jobs.get(job_id))?.state).toBe('CANCELLING')
    await world.advanceBy(1)
    expect((await ledger.jobs.get(job_id))?.state).toBe('CANCELLED')
    await ledger.close()
  })

  it('A16 aborts it as well when the cancel is one of several commands', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const { handler, at } = manual()
    ledger.work({ [QUEUE]: handler })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    await ledger.batch((make) => [make.cancel(job_id)])
    await world.advanceBy(1)
    expect(at(0).signal.reason).toMatchObject({ code: 'CANCELLED' })
    at(0).resolve('finished all the same')
    await ledger.close()
  })

  it('A16 is told by its next heartbeat when the job was cancelled through another ledger', async () => {
    const world = virtualWorld()
    const store = new MemoryStore(world)
    const ledger = new LiveLedger(store, { ...DEFAULT_SETTINGS, tenant_id: 't1' }, world)
    const elsewhere = new LiveLedger(store, { ...DEFAULT_SETTINGS, tenant_id: 't1' }, world)
    ledger.jobs.register(protocolOf(pulled('first')))
    const { handler, at } = manual()
    ledger.work({ [QUEUE]: handler })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    await elsewhere.jobs.cancel(job_id)
    await world.advanceBy(29_000)
    expect(at(0).signal.aborted).toBe(false)
    await world.advanceBy(1000)
    expect(at(0).signal.reason).toMatchObject({ code: 'CANCELLED' })
    at(0).resolve('finished all the same')
    await world.advanceBy(1)
    expect((await ledger.jobs.get(job_id))?.state).toBe('CANCELLED')
  })

  it('ends an attempt that takes too long, whatever its handler does, and what it says later changes nothing', async () => {
    const { ledger, world } = await liveLedger([pulled('first', { policy: { timeout_ms: 5000 } })])
    const { handler, begun, at } = manual()
    const worker = ledger.work({ [QUEUE]: handler }, { concurrency: 2 })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(5001)
    expect(at(0).signal.reason).toBeInstanceOf(WorkAborted)
    expect(await ledger.jobs.show(job_id)).toMatchObject({
      steps: [{ state: 'FAILED_RETRY', last_error_code: 'TIMEOUT' }],
    })
    // Somebody who does not listen still takes up room.
    expect(worker.running).toBe(1)
    await world.advanceBy(60_000)
    expect(begun).toHaveLength(2)
    at(0).resolve('at last')
    at(1).resolve('in time')
    await world.advanceBy(1)
    const shown = await ledger.jobs.show(job_id)
    expect([shown?.job.state, shown?.steps[0]?.output, worker.running]).toEqual(['SUCCEEDED', 'in time', 0])
  })

  it('aborts a handler whose step was handed to somebody else', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const { handler, begun, at } = manual()
    ledger.work({ [QUEUE]: handler })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    await ledger.jobs.expedite(job_id, { ignore: ['attempt'] })
    await world.advanceBy(1)
    expect(begun).toHaveLength(2)
    expect([at(0).signal.aborted, at(1).signal.aborted]).toEqual([true, false])
    at(0).resolve('old')
    at(1).resolve('new')
    await world.advanceBy(1)
    expect((await ledger.jobs.show(job_id))?.steps[0]).toMatchObject({
      output: 'new',
      attempt_no: 2,
      released: 1,
    })
  })
})

describe('stopping a worker', () => {
  it('lets handlers finish, and claims nothing more', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const { handler, begun, at } = manual()
    const worker = ledger.work({ [QUEUE]: handler }, { concurrency: 1 })
    const first = await ledger.jobs.submit(requestOf())
    const second = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    const stopped = worker.stop()
    await world.advanceBy(100)
    at(0).resolve('done')
    await world.advanceBy(1)
    await stopped
    await worker.stop()
    expect(begun).toHaveLength(1)
    expect((await ledger.jobs.get(first.job_id))?.state).toBe('SUCCEEDED')
    expect((await ledger.jobs.get(second.job_id))?.state).toBe('QUEUED')
  })

  it.each([
    ['stops when told', (signal: AbortSignal) => signal],
    ['does not listen', () => null],
  ])('gives back what a handler holds that %s, at no cost of an attempt', async (_, listens) => {
    const { ledger, world } = await liveLedger([pulled('first')])
    const worker = ledger.work(
      {
        [QUEUE]: ({ signal }) =>
          new Promise((_resolve, reject) => {
            listens(signal)?.addEventListener('abort', () => reject(signal.reason))
          }),
      },
      { grace: '5s' },
    )
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    const stopped = worker.stop()
    await world.advanceBy(4000)
    expect((await ledger.jobs.show(job_id))?.steps[0]?.state).toBe('IN_PROGRESS')
    await world.advanceBy(3000)
    await stopped
    expect((await ledger.jobs.show(job_id))?.steps[0]).toMatchObject({
      state: 'FAILED_RETRY',
      released: 1,
      last_error_code: 'RELEASED',
    })
    ledger.work({ [QUEUE]: () => 'taken over' })
    await world.advanceBy(1)
    expect((await ledger.jobs.get(job_id))?.state).toBe('SUCCEEDED')
  })
})

describe('what a worker is given', () => {
  it('is refused when it makes no sense', async () => {
    const { ledger } = await liveLedger([pulled('first')])
    const handlers = { [QUEUE]: () => null }
    expect(() => ledger.work({})).toThrow(InvalidInput)
    expect(() => ledger.work({ [QUEUE]: 'nothing' as never })).toThrow('not a function')
    expect(() => ledger.work(handlers, { concurrency: 0 })).toThrow('concurrency')
    expect(() => ledger.work(handlers, { grace: 'a while' })).toThrow('a while')
  })
})
