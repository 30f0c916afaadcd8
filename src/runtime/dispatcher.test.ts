import { describe, expect, it } from 'vitest'
import { protocolOf, pushed } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import type { Message, Publisher } from './publishers/publisher.ts'

const SERVICE = 'first-service'

/** Notes what it is given, and does with it as it is told. */
function noting(act: (message: Message, signal: AbortSignal) => unknown = () => null) {
  const messages: Message[] = []
  const publisher: Publisher = {
    publish: async (message, signal) => {
      messages.push(message)
      await act(message, signal)
    },
  }
  return { messages, publisher }
}

describe('a dispatcher', () => {
  it('A11 A21 publishes the directive, and only then says that it was sent', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    const gate = Promise.withResolvers<void>()
    const { messages, publisher } = noting(() => gate.promise)
    ledger.dispatch({ [SERVICE]: publisher })
    const { job_id } = await ledger.jobs.submit(requestOf({ correlation_id: 'c1' }))
    await world.advanceBy(1)
    const [row] = (await ledger.jobs.show(job_id))?.outbox ?? []
    expect(row?.state).toBe('PENDING')
    expect(messages).toEqual([
      {
        outbox_id: row?.outbox_id,
        service: SERVICE,
        topic: row?.topic,
        partition: row?.partition,
        tries: 1,
        directive: row?.payload,
      },
    ])
    gate.resolve()
    await world.advanceBy(1)
    const shown = await ledger.jobs.show(job_id)
    expect([shown?.outbox, shown?.steps[0]?.state]).toEqual([[], 'AWAITING_ACK'])
  })

  it('A11 tries again after 30 s, 2 m and 10 m, then fails step and job with the code', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    const times: number[] = []
    const { publisher } = noting(() => {
      times.push(world.clock.now())
      throw Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' })
    })
    ledger.dispatch({ [SERVICE]: publisher })
    const began = world.clock.now()
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(3_600_000)
    expect(times.map((at) => (at - began) / 1000)).toEqual([0, 30, 150, 750])
    expect(await ledger.jobs.get(job_id)).toMatchObject({
      state: 'FAILED_FINAL',
      error_code: 'ECONNREFUSED',
      error_message: 'nobody there',
    })
  })

  it('A11 is not held up by a bad row', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    let nth = 0
    const { publisher } = noting(() => {
      if (nth++ === 0) throw new Error('bad luck')
    })
    ledger.dispatch({ [SERVICE]: publisher })
    const jobs = await Promise.all([1, 2, 3].map(() => ledger.jobs.submit(requestOf())))
    await world.advanceBy(1)
    const states = await Promise.all(
      jobs.map(async ({ job_id }) => (await ledger.jobs.show(job_id))?.steps[0]?.state),
    )
    expect(states.toSorted()).toEqual(['AWAITING_ACK', 'AWAITING_ACK', 'DISPATCHING'])
  })

  it('gives up a publish that takes too long, and another is tried later', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    const { messages, publisher } = noting(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    ledger.dispatch({ [SERVICE]: publisher })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(30_000)
    expect((await ledger.jobs.show(job_id))?.outbox[0]).toMatchObject({
      last_error_code: 'PUBLISH_TIMEOUT',
      tries: 1,
    })
    await world.advanceBy(30_000)
    expect(messages.map(({ tries }) => tries)).toEqual([1, 2])
  })

  it('gives it up as soon when the clock was set back', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    const given = Promise.withResolvers<void>()
    const { publisher } = noting(
      (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            given.resolve()
            reject(signal.reason)
          }),
        ),
    )
    await ledger.jobs.submit(requestOf())
    world.clock.jumpTo(world.clock.now() - 3_600_000)
    ledger.dispatch({ [SERVICE]: publisher })
    await world.advanceBy(30_000)
    await given.promise
    await ledger.close()
  })

  it('publishes no more at once than it may, and none of a paused queue', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    const gates: PromiseWithResolvers<void>[] = []
    const { messages, publisher } = noting(() => {
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      return gate.promise
    })
    ledger.dispatch({ [SERVICE]: publisher }, { concurrency: 2 })
    for (let i = 0; i < 4; i++) await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    expect(messages).toHaveLength(2)
    await ledger.queues.pause(SERVICE)
    gates[0]?.resolve()
    await world.advanceBy(1)
    expect(messages).toHaveLength(2)
    await ledger.queues.resume(SERVICE)
    await world.advanceBy(1)
    expect(messages).toHaveLength(3)
    for (const { resolve } of gates) resolve()
    await world.advanceBy(1)
    for (const { resolve } of gates) resolve()
  })

  it('publishes for every service, however much one of them has', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    ledger.jobs.register({ ...protocolOf(pushed('other')), protocol_id: 'other.v1', request_type: 'OTHER' })
    const published: string[] = []
    const { publisher } = noting(
      ({ service }) =>
        new Promise<void>((resolve) => {
          published.push(service)
          world.timers.after(1000, resolve)
        }),
    )
    for (let i = 0; i < 20; i++) await ledger.jobs.submit(requestOf())
    await ledger.jobs.submit(requestOf({ request_type: 'OTHER' }))
    ledger.dispatch({ [SERVICE]: publisher, 'other-service': publisher }, { concurrency: 1 })
    await world.advanceBy(3500)
    expect(published).toContain('other-service')
    await world.advanceBy(60_000)
    await ledger.close()
  })

  it('stops when what is being published is', async () => {
    const { ledger, world } = await liveLedger([pushed('first')])
    const gate = Promise.withResolvers<void>()
    const { publisher } = noting(() => gate.promise)
    const dispatcher = ledger.dispatch({ [SERVICE]: publisher })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    let isStopped = false
    const stopped = dispatcher.stop().then(() => {
      isStopped = true
    })
    await world.advanceBy(1)
    expect(isStopped).toBe(false)
    gate.resolve()
    await world.advanceBy(1)
    await stopped
    await dispatcher.stop()
    expect((await ledger.jobs.show(job_id))?.steps[0]?.state).toBe('AWAITING_ACK')
  })
})
