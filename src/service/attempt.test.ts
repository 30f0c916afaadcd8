import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ACCEPTED,
  BUSY,
  directive,
  held,
  IGNORED,
  LOST,
  type ScriptedLedger,
  SECRET,
  scriptedLedger,
} from '../../test/services/scripted-ledger.ts'
import { NonRetryable } from '../wire/non-retryable.ts'
import { Output } from '../wire/output.ts'
import { createService } from './create-service.ts'
import type { Service, ServiceOptions } from './service.ts'
import type { StepContext, StepHandler } from './step-handler.ts'

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

describe('an attempt', () => {
  it('is acknowledged, done and reported', async () => {
    const seen = Promise.withResolvers<StepContext>()
    serve((step) => {
      seen.resolve(step)
      return { pages: 3 }
    }).take(directive())
    const { body } = await ledger.nth('result')
    expect(ledger.names()).toEqual(['ack', 'result'])
    const attempt = { tenant_id: 't1', jobId: 'j-1', stepId: 'ocr', attempt_no: 1, lease_id: 'lease-1' }
    expect(ledger.said[0]?.body).toEqual(attempt)
    expect(body).toEqual({ ...attempt, status: 'SUCCEEDED', output: { pages: 3 } })
    expect((await seen.promise).directive).toEqual(directive())
  })

  it.each([
    ['nothing', () => undefined, { output: null }],
    ['a text', () => 'done', { output: 'done' }],
    ['what JSON makes of it', () => ({ at: new Date(0) }), { output: { at: '1970-01-01T00:00:00.000Z' } }],
    ['an address', () => new Output(undefined, 's3://a'), { output: null, output_ref: 's3://a' }],
    ['both', () => new Output(1, { uri: 'u' }), { output: 1, output_ref: { uri: 'u' } }],
    [
      'what is to be known of it',
      () => new Output('text', undefined, { count: 3, metadata: { model: 'm' } }),
      { output: 'text', output_count: 3, metadata: { model: 'm' } },
    ],
  ])('reports %s', async (_, handler, output) => {
    serve(handler).take(directive())
    expect((await ledger.nth('result')).body).toMatchObject({ status: 'SUCCEEDED', ...output })
  })

  const circle: { self?: object } = {}
  circle.self = circle
  const stack = { traceback: expect.stringContaining('attempt.test.ts') }
  it.each([
    [
      'an error',
      new Error('no page'),
      'RETRYABLE',
      { code: 'HANDLER_FAILED', message: 'no page', details: stack },
    ],
    [
      'a kind of error',
      new TypeError('no'),
      'RETRYABLE',
      { code: 'TypeError', message: 'no', details: stack },
    ],
    [
      'an error with a code',
      Object.assign(new Error('gone'), { code: 'ENOENT' }),
      'RETRYABLE',
      { code: 'ENOENT', message: 'gone', details: stack },
    ],
    ['no error at all', 'just text', 'RETRYABLE', { code: 'HANDLER_FAILED', message: 'just text' }],
    [
      'one that will not go away',
      new NonRetryable('not a PDF', { code: 'UNREADABLE', details: { page: 1 } }),
      'NON_RETRYABLE',
      { code: 'UNREADABLE', message: 'not a PDF', details: { page: 1 } },
    ],
    [
      'one that will not go away, without a code',
      new NonRetryable('not a PDF'),
      'NON_RETRYABLE',
      { code: 'NON_RETRYABLE', message: 'not a PDF', details: stack },
    ],
    [
      'details that are no JSON',
      Object.assign(new Error('m'), { code: 'C', details: circle }),
      'RETRYABLE',
      { code: 'C', message: 'm', details: stack },
    ],
  ])('that throws %s fails', async (_, thrown, failure_class, error) => {
    serve(() => {
      throw thrown
    }).take(directive())
    const { body } = await ledger.nth('result')
    expect(body).toMatchObject({ status: 'FAILED', failure_class })
    expect(body.error).toEqual(error)
  })

  it('that returns what JSON cannot hold fails for good, and errors are cut to a length', async () => {
    serve(({ directive: { jobId } }) => {
      if (jobId === 'j-1') return { big: 10n }
      throw Object.assign(new Error('m'.repeat(20_000)), { code: 'c'.repeat(300) })
    })
    service.take(directive())
    const first = await ledger.nth('result')
    expect(first.body).toMatchObject({ failure_class: 'NON_RETRYABLE', error: { code: 'INVALID_OUTPUT' } })
    service.take(directive({ jobId: 'j-2' }))
    const { error } = (await ledger.nth('result', 2)).body as { error: { code: string; message: string } }
    expect([error.code.length, error.message.length]).toEqual([200, 10_000])
  })

  it('goes to the addresses in the directive, if it has them', async () => {
    const elsewhere = await scriptedLedger()
    const callback_urls = { result: `${elsewhere.url}/other/result` }
    serve(() => 1).take(directive({ callback_urls }))
    await elsewhere.nth('result')
    expect(ledger.names()).toEqual(['ack'])
    await elsewhere.close()
  })
})

describe('A19 a directive that comes twice', () => {
  it('is executed once, while it runs and after', async () => {
    const { handler, begun, end } = held()
    let runs = 0
    serve((step) => {
      runs++
      return handler(step)
    })
    expect(service.take(directive())).toBe('accepted')
    expect(service.take(directive())).toBe('duplicate')
    await begun
    expect(service.take(directive())).toBe('duplicate')
    end('done')
    await ledger.nth('result')
    expect(service.take(directive())).toBe('duplicate')
    await service.stop()
    // By now nothing is under way: it is remembered.
    expect(service.take(directive())).toBe('duplicate')
    expect(runs).toBe(1)
    expect(ledger.names()).toEqual(['ack', 'result'])
  })

  it.each([
    ['tenant_id', 't2'],
    ['jobId', 'j-2'],
    ['stepId', 'sis'],
    ['attempt_no', 2],
    ['lease_id', 'lease-2'],
  ])('is another one with another %s', async (field, value) => {
    serve(() => 1)
    expect([service.take(directive()), service.take(directive({ [field]: value }))]).toEqual([
      'accepted',
      'accepted',
    ])
    await ledger.nth('result', 2)
  })

  it('at two instances is executed by the one that the ledger heard first', async () => {
    let runs = 0
    const handlers = { OCR: () => runs++ }
    const { world, url: callbackUrl } = ledger
    const instances = [1, 2].map(() => createService({ secrets: SECRET, handlers, callbackUrl, world }))
    ledger.answer('ack', ACCEPTED, IGNORED)
    for (const instance of instances) instance.take(directive())
    await ledger.nth('ack', 2)
    await ledger.nth('result')
    await Promise.all(instances.map((instance) => instance.stop()))
    expect([runs, ledger.names().filter((name) => name === 'result').length]).toEqual([1, 1])
  })

  it('is not begun by one that the ledger no longer knows', async () => {
    let runs = 0
    serve(() => runs++)
    ledger.answer('ack', LOST)
    service.take(directive())
    await ledger.nth('ack')
    await service.stop()
    expect([runs, ledger.names()]).toEqual([0, ['ack']])
  })
})

describe('a ledger that does not answer', () => {
  it('is told again, as the same message, a little later each time', async () => {
    ledger.answer('result', 'cut', BUSY, { status: 401, body: {} }, ACCEPTED)
    serve(() => 1).take(directive())
    const waits: number[] = []
    for (let told = 1; told < 4; told++) {
      await ledger.nth('result', told)
      waits.push(await ledger.timerIn(0, 9000))
      await ledger.world.advanceBy(waits.at(-1) ?? 0)
    }
    await ledger.nth('result', 4)
    expect(new Set(ledger.said.filter(({ name }) => name === 'result').map(({ id }) => id)).size).toBe(1)
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThan(250 * 2 ** i - 1)
      expect(wait).toBeLessThanOrEqual(500 * 2 ** i)
    }
  })

  it('may have heard the first ACK: what it knows at the second is ours', async () => {
    ledger.answer('ack', 'cut', IGNORED)
    serve(() => 1).take(directive())
    await ledger.nth('ack')
    await ledger.world.advanceBy(await ledger.timerIn(0, 500))
    expect((await ledger.nth('result')).body.status).toBe('SUCCEEDED')
  })

  it('refuses a result: it is told that there will be none', async () => {
    ledger.answer('result', { status: 413, body: { code: 'BODY_TOO_LARGE', detail: 'more than 1000 bytes' } })
    serve(() => 'x'.repeat(2000)).take(directive())
    expect((await ledger.nth('result', 2)).body).toMatchObject({
      status: 'FAILED',
      failure_class: 'NON_RETRYABLE',
      error: { code: 'RESULT_REFUSED', message: 'more than 1000 bytes' },
    })
  })
})
