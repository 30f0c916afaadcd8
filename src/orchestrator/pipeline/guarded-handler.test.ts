import { describe, expect, it } from 'vitest'
import type { Handler, StepWork } from '../../runtime/handler.ts'
import { VirtualClock } from '../../testing/virtual-clock.ts'
import { CircuitOpen } from '../../wire/circuit-open.ts'
import { NonRetryable } from '../../wire/non-retryable.ts'
import { WorkAborted } from '../../wire/work-aborted.ts'
import { guarded } from './guarded-handler.ts'

const START = 1_000_000
const POLICY = { failures: 2, recovery_ms: 60_000 }

function workOf(controller = new AbortController()): StepWork {
  return { step: { step_id: 'embed' }, signal: controller.signal } as unknown as StepWork
}

/** A handler that does what it is told to, and how often it was called. */
function attempts() {
  const clock = new VirtualClock(START)
  let next: () => unknown = () => 'done'
  let calls = 0
  const handler = guarded(
    () => {
      calls++
      return next()
    },
    POLICY,
    clock,
  )
  const run = async (todo: () => unknown, controller?: AbortController) => {
    next = todo
    return handler(workOf(controller))
  }
  return { clock, handler, run, calls: () => calls }
}

const fail = () => {
  throw new Error('busy')
}

const endless = () => new Promise(() => {})

async function refusal(promise: unknown): Promise<CircuitOpen> {
  const error: unknown = await Promise.resolve(promise).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CircuitOpen)
  return error as CircuitOpen
}

describe('A56: a handler behind a breaker', () => {
  it('passes on what it is given, what it returns and what it throws', async () => {
    const work = workOf()
    const seen: StepWork[] = []
    const handler: Handler = guarded((given) => seen.push(given), POLICY, new VirtualClock(START))
    expect(await handler(work)).toBe(1)
    expect(seen[0]).toBe(work)
    const { run } = attempts()
    await expect(run(fail)).rejects.toThrow('busy')
  })

  it('is refused at once when it is open, without being called, and closes after its recovery time', async () => {
    const { clock, run, calls } = attempts()
    await expect(run(fail)).rejects.toThrow('busy')
    await expect(run(fail)).rejects.toThrow('busy')
    const refused = await refusal(run(() => 'not called'))
    expect(calls()).toBe(2)
    expect(refused).toMatchObject({ code: 'CIRCUIT_OPEN', name: 'CircuitOpen', until: START + 60_000 })
    expect(refused.message).toBe(
      'Stage embed has failed too often of late; it is tried again after 1970-01-01T00:17:40.000Z',
    )
    await clock.advanceBy(60_000)
    expect(await run(() => 'up again')).toBe('up again')
    expect(await run(() => 'and again')).toBe('and again')
  })

  it('lets one trial through at a time', async () => {
    const { clock, run, calls } = attempts()
    await expect(run(fail)).rejects.toThrow()
    await expect(run(fail)).rejects.toThrow()
    await clock.advanceBy(60_000)
    const trial = Promise.withResolvers<unknown>()
    const running = run(() => trial.promise)
    await refusal(run(() => 'not called'))
    expect(calls()).toBe(3)
    trial.reject(new Error('still busy'))
    await expect(running).rejects.toThrow('still busy')
    expect((await refusal(run(fail))).until).toBe(START + 120_000)
  })

  it('attempts that are called off do not count: the worker stops, the job is cancelled, the lease is lost', async () => {
    for (const code of ['STOPPED', 'CANCELLED', 'LEASE_LOST'] as const) {
      const { run, calls } = attempts()
      for (let i = 0; i < 5; i++) {
        const controller = new AbortController()
        const running = run(
          () =>
            new Promise((_, reject) =>
              controller.signal.addEventListener('abort', () => reject(new Error(code))),
            ),
          controller,
        )
        controller.abort(new WorkAborted(code, 'stop'))
        await expect(running).rejects.toThrow(code)
      }
      expect(calls()).toBe(5)
    }
  })

  it('those that were called off before they began do not count either', async () => {
    const { run } = attempts()
    for (let i = 0; i < 3; i++) {
      const controller = new AbortController()
      controller.abort(new WorkAborted('CANCELLED', 'stop'))
      await expect(run(fail, controller)).rejects.toThrow('busy')
    }
  })

  it('those that take too long do, though the handler never ends', async () => {
    const { run } = attempts()
    for (let i = 0; i < 2; i++) {
      const controller = new AbortController()
      void run(endless, controller)
      controller.abort(new WorkAborted('TIMEOUT', 'too long'))
    }
    await refusal(run(() => 'not called'))
  })

  it('a trial whose worker stops leaves its place to the next, though the handler never ends', async () => {
    const { clock, run } = attempts()
    await expect(run(fail)).rejects.toThrow()
    await expect(run(fail)).rejects.toThrow()
    await clock.advanceBy(60_000)
    const controller = new AbortController()
    void run(endless, controller)
    await refusal(run(() => 'not called'))
    controller.abort(new WorkAborted('STOPPED', 'stop'))
    expect(await run(() => 'up again')).toBe('up again')
  })

  it('what would fail wherever it is tried says nothing of what it calls', async () => {
    const { run } = attempts()
    for (let i = 0; i < 5; i++) {
      const bad = () => {
        throw new NonRetryable('no PDF')
      }
      await expect(run(bad)).rejects.toThrow('no PDF')
    }
    expect(await run(() => 'done')).toBe('done')
  })
})
