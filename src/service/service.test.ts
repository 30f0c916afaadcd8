import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  directive,
  held,
  type ScriptedLedger,
  SECRET,
  scriptedLedger,
  stubborn,
} from '../../test/services/scripted-ledger.ts'
import { BadMessage, NoHandler, ServiceBusy, ServiceStopping } from '../errors/message-errors.ts'
import { keysOf } from '../wire/secrets.ts'
import { signatureHeaders } from '../wire/sign.ts'
import { createService } from './create-service.ts'
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

describe('a service that has much to do', () => {
  it('lets some wait, for which it sends heartbeats too, and takes no more than it may', async () => {
    const { handler, begun, end } = held()
    const order: string[] = []
    const OCR: StepHandler = (step) => {
      order.push(step.directive.jobId)
      return step.directive.jobId === 'j-1' ? handler(step) : undefined
    }
    serve(OCR, { concurrency: 1, maxWaiting: 2 })
    for (const jobId of ['j-1', 'j-2', 'j-3']) service.take(directive({ jobId }))
    expect(() => service.take(directive({ jobId: 'j-4' }))).toThrow(ServiceBusy)
    expect(service.take(directive({ jobId: 'j-3' }))).toBe('duplicate')
    await begun
    await ledger.nth('ack', 3)
    await ledger.timerIn(60_000)
    await ledger.world.advanceBy(60_000)
    await ledger.nth('heartbeat', 3)
    expect(order).toEqual(['j-1'])
    end('done')
    await ledger.nth('result', 3)
    expect(order).toHaveLength(3)
  })

  it('gives back what has not begun when it stops, and finishes the rest', async () => {
    const { handler, begun, end } = held()
    serve(handler, { concurrency: 1 })
    service.take(directive())
    await begun
    service.take(directive({ jobId: 'j-2' }))
    await ledger.nth('ack', 2)
    const stopped = service.stop()
    expect(() => service.take(directive({ jobId: 'j-3' }))).toThrow(ServiceStopping)
    expect(service.take(directive())).toBe('duplicate')
    expect((await ledger.nth('result')).body).toMatchObject({
      jobId: 'j-2',
      status: 'RELEASED',
    })
    end('done')
    await stopped
    expect(ledger.said.at(-1)).toMatchObject({ name: 'result', body: { jobId: 'j-1', status: 'SUCCEEDED' } })
  })

  it('tells handlers to stop when the grace is over, and then does not wait for them', async () => {
    const polite = held()
    const deaf = stubborn()
    serve(({ directive: { jobId }, ...step }) =>
      jobId === 'j-1'
        ? polite.handler({ directive: directive(), ...step })
        : deaf.handler({ directive: directive(), ...step }),
    )
    service.take(directive())
    service.take(directive({ jobId: 'j-2' }))
    const signals = [(await polite.begun).signal, (await deaf.begun).signal]
    const stopped = service.stop({ graceMs: 1000 })
    await ledger.world.advanceBy(999)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    await ledger.world.advanceBy(1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect((await ledger.nth('result')).body).toMatchObject({
      jobId: 'j-1',
      status: 'RELEASED',
    })
    await ledger.world.advanceBy(5000)
    expect((await ledger.nth('result', 2)).body).toMatchObject({
      jobId: 'j-2',
      status: 'RELEASED',
    })
    await stopped
    await service.stop()
  })
})

describe('directives that come by HTTP', () => {
  const post = async (
    body: string,
    { secret = SECRET, at = ledger.world.clock.now(), method = 'POST' } = {},
  ) => {
    const headers = signatureHeaders({ id: 'o1', body }, keysOf(secret), at)
    const request = new Request('http://127.0.0.1/ocr', method === 'GET' ? {} : { method, headers, body })
    const response = await service.handle(request)
    const { status, code, field } = (await response.json()) as {
      status: unknown
      code?: string
      field?: string
    }
    return [response.status, code ?? status, ...(field === undefined ? [] : [field])]
  }

  it('are answered as soon as they are taken', async () => {
    const { handler, begun, end } = held()
    serve(handler)
    const body = JSON.stringify(directive())
    expect(await post(body)).toEqual([202, 'accepted'])
    await begun
    expect(await post(body)).toEqual([202, 'duplicate'])
    end(1)
    await ledger.nth('result')
  })

  it('are refused when they are not from the ledger, or are no directives', async () => {
    let runs = 0
    serve(() => runs++, { maxBytes: 1000 })
    const body = JSON.stringify(directive())
    const { clock } = ledger.world
    expect(await post(body, { secret: 'somebody else has this one' })).toEqual([
      401,
      'BAD_SIGNATURE',
      'webhook-signature',
    ])
    expect(await post(body, { at: clock.now() - 301_000 })).toEqual([
      401,
      'STALE_TIMESTAMP',
      'webhook-timestamp',
    ])
    expect(await post('x'.repeat(1001))).toEqual([413, 'BODY_TOO_LARGE'])
    expect(await post('', { method: 'GET' })).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(await post('[]')).toEqual([400, 'BAD_MESSAGE'])
    for (const [field, value] of Object.entries({ jobId: '', tenant_id: 1, lease_id: null, attempt_no: '1' }))
      expect(await post(JSON.stringify(directive({ [field]: value })))).toEqual([400, 'BAD_MESSAGE', field])
    for (const step_type of ['SIS', 'toString', '__proto__'])
      expect(await post(JSON.stringify(directive({ step_type })))).toEqual([422, 'NO_HANDLER', 'step_type'])
    expect([runs, ledger.said]).toEqual([0, []])
  })
})

it('says what is wrong before anything is begun', () => {
  const { url, world } = ledger
  const ocr = () => 1
  serve(ocr)
  expect(() => service.take(directive({ step_type: 'SIS' }))).toThrow(NoHandler)
  expect(() => createService({ secrets: 'short', handlers: { ocr } })).toThrow('at least 16 bytes')
  expect(() => createService({ secrets: SECRET, handlers: {} })).toThrow('handlers must not be empty')
  expect(() => createService({ secrets: SECRET, handlers: { ocr }, concurrency: 0 })).toThrow('1 or more')
  serve(ocr, { callbackUrl: undefined })
  expect(() => service.take(directive())).toThrow('callback_urls.ack must be an address of HTTP')
  serve(ocr, { callbackHosts: [new URL(url).host], world })
  const callback_urls = { ack: 'http://127.0.0.2:1/ack' }
  expect(() => service.take(directive({ callback_urls }))).toThrow(BadMessage)
  expect(() => service.take(directive({ callback_urls }))).toThrow('127.0.0.2:1 is not called back from here')
  expect(() => service.take(directive({ callback_urls: 'x' }))).toThrow('must be an object')
})
