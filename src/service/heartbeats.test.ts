import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ACCEPTED,
  BUSY,
  CANCEL,
  directive,
  held,
  LEASE_MS,
  LOST,
  type ScriptedLedger,
  scriptedLedger,
  stubborn,
} from '../../test/services/scripted-ledger.ts'
import { WorkAborted } from '../wire/work-aborted.ts'
import type { Service, ServiceOptions } from './service.ts'
import type { StepHandler } from './step-handler.ts'

let ledger: ScriptedLedger
let service: Service
beforeEach(async () => {
  ledger = await scriptedLedger()
})
afterEach(() => ledger.close())

function serve(handler: StepHandler, options?: Partial<ServiceOptions>): Service {
  service = ledger.serve(handler, options)
  return service
}

function abortOf(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))
}

describe('heartbeats', () => {
  it('go out by themselves, three for each lease and at least one a minute, until the work is done', async () => {
    const { handler, begun, end } = held()
    ledger.answer('ack', { status: 200, body: { status: 'accepted', cancel: false, lease_ms: 90_000 } })
    serve(handler).take(directive())
    await begun
    await ledger.world.advanceBy(29_999)
    expect(ledger.names()).toEqual(['ack'])
    await ledger.world.advanceBy(1)
    await ledger.nth('heartbeat')
    // The answer has the default lease: a third of that would be more than a minute.
    await ledger.timerIn(60_000)
    await ledger.world.advanceBy(60_000)
    await ledger.nth('heartbeat', 2)
    end('done')
    await ledger.nth('result')
    await service.stop()
    expect(ledger.world.clock.nextTimer).toBeNull()
  })

  it('can be sent at once by the handler, which learns whether to stop', async () => {
    const { handler, begun } = held()
    ledger.answer('heartbeat', ACCEPTED, CANCEL)
    serve(handler).take(directive())
    const { heartbeat } = await begun
    expect([await heartbeat(), await heartbeat()]).toEqual([{ cancel: false }, { cancel: true }])
  })

  it('bring the news that the job is being cancelled', async () => {
    const { handler, begun } = held()
    ledger.answer('heartbeat', CANCEL)
    serve(handler).take(directive())
    const { signal } = await begun
    const aborted = abortOf(signal)
    await ledger.world.advanceBy(60_000)
    expect(await aborted).toMatchObject({ name: 'WorkAborted', code: 'CANCELLED' })
    expect((await ledger.nth('result')).body).toMatchObject({
      status: 'FAILED',
      error: { code: 'CANCELLED' },
    })
  })

  it('bring the news that somebody else has the step: nothing is reported then', async () => {
    const { handler, begun, end } = stubborn()
    ledger.answer('heartbeat', LOST)
    serve(handler).take(directive())
    const { signal } = await begun
    const aborted = abortOf(signal)
    await ledger.world.advanceBy(60_000)
    expect(await aborted).toBeInstanceOf(WorkAborted)
    expect(signal.reason).toMatchObject({ code: 'LEASE_LOST' })
    end('done all the same')
    await service.stop()
    expect(ledger.names()).toEqual(['ack', 'heartbeat'])
  })

  it('that are not answered until the lease is over end the work', async () => {
    const { handler, begun } = held()
    ledger.answer('heartbeat', ...Array.from({ length: 20 }, () => BUSY))
    serve(handler).take(directive())
    const { signal } = await begun
    for (let told = 1; !signal.aborted; told++) {
      await ledger.world.advanceBy(60_000)
      await ledger.nth('heartbeat', told)
      while (!signal.aborted && ledger.world.clock.nextTimer !== ledger.world.clock.now() + 60_000)
        await new Promise(setImmediate)
    }
    expect(signal.reason).toMatchObject({ code: 'LEASE_LOST' })
    expect(ledger.names().filter((name) => name === 'heartbeat')).toHaveLength(LEASE_MS / 60_000)
    expect((await ledger.nth('result')).body).toMatchObject({ error: { code: 'LEASE_LOST' } })
  })
})
