// From a submitted job through real sockets to services and back.
import { describe, expect, it } from 'vitest'
import { httpPublisher, messageOf, type OutboxRecord, type Publisher } from 'waybill'
import { createService, NonRetryable, Output, type StepHandler } from 'waybill/service'
import type { WebHandler } from '../../src/wire/listen.ts'
import { CALLBACK_SECRET, DIRECTIVE_SECRET, type PushedOptions, pushedLedger } from './pushed-ledger.ts'

/** A ledger, and a service that does both steps of its protocol. */
async function setUp(handlers: { readonly [step_type: string]: StepHandler }, options: PushedOptions = {}) {
  const stack = new AsyncDisposableStack()
  const pushed = stack.use(await pushedLedger(options))
  const { world } = pushed
  const service = createService({
    secrets: DIRECTIVE_SECRET,
    callbackSecret: CALLBACK_SECRET,
    handlers,
    world,
  })
  stack.defer(() => service.stop({ graceMs: 0 }))
  const { url } = await service.listen()
  const publisher = httpPublisher({ url, secret: DIRECTIVE_SECRET, world })
  const { ledger, submit, first, dispatch, state, step } = pushed
  return {
    ledger,
    submit,
    first,
    state,
    step,
    service,
    world,
    url,
    publisher,
    dispatch: (by: Publisher = publisher) => dispatch({ ocr: by, embedding: by }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function held() {
  const begun = Promise.withResolvers<AbortSignal>()
  const aborted = Promise.withResolvers<unknown>()
  const handler: StepHandler = ({ signal }) => {
    begun.resolve(signal)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve(signal.reason)
        reject(signal.reason)
      })
    })
  }
  return { handler, begun: begun.promise, aborted: aborted.promise }
}

describe('A21 a pushed job', () => {
  it('goes from service to service and succeeds', async () => {
    const directives: unknown[] = []
    await using system = await setUp({
      OCR: ({ directive }) => {
        directives.push(directive)
        return new Output({ pages: 3 }, 's3://texts/1')
      },
      EMBEDDING: ({ directive }) => {
        directives.push(directive)
        return { vectors: 12 }
      },
    })
    const { ledger, submit, dispatch, step, state } = system
    const job_id = await submit({ language_hint: 'de' })
    expect(await dispatch()).toEqual([])
    await step(job_id, 'embedding', 'DISPATCHING')
    expect(await dispatch()).toEqual([])
    await state(job_id, 'SUCCEEDED')
    expect(await ledger.jobs.show(job_id)).toMatchObject({
      job: { state: 'SUCCEEDED', completed_at: expect.any(String), attempts_total: 2 },
      steps: [
        { state: 'SUCCEEDED', output: { pages: 3 }, holder: 'ocr' },
        { state: 'SUCCEEDED', output: { vectors: 12 }, input_ref: 's3://texts/1' },
      ],
    })
    const fields =
      'jobId tenant_id stepId protocol_id step_type attempt_no lease_id input_ref workspace_ref output_ref payload ' +
      'callback_urls mode lane routing_key_used correlation_id traceparent'
    for (const directive of directives) expect(Object.keys(directive as object)).toEqual(fields.split(' '))
    expect(directives).toMatchObject([
      { stepId: 'ocr', input_ref: 's3://in/1', payload: { language_hint: 'de' }, correlation_id: 'c-1' },
      {
        stepId: 'embedding',
        input_ref: 's3://texts/1',
        callback_urls: { ack: expect.stringContaining('/ack') },
      },
    ])
  })

  it('fails for good with what the service says', async () => {
    await using system = await setUp({
      OCR: () => {
        throw new NonRetryable('not a PDF', { code: 'UNREADABLE' })
      },
    })
    const job_id = await system.submit()
    await system.dispatch()
    await system.state(job_id, 'FAILED_FINAL')
    const error = { error_code: 'UNREADABLE', error_message: 'not a PDF' }
    expect(await system.ledger.jobs.get(job_id)).toMatchObject(error)
  })

  it('A11 is published again after a while when the service was not there', async () => {
    await using system = await setUp({ OCR: () => 1, EMBEDDING: () => 2 })
    const { ledger, world, submit, dispatch, step, state } = system
    const nobody = createService({ secrets: DIRECTIVE_SECRET, handlers: { OCR: () => 0 } })
    const gone = httpPublisher({ url: (await nobody.listen()).url, secret: DIRECTIVE_SECRET, world })
    await nobody.stop()
    const job_id = await submit()
    expect(await dispatch(gone)).toEqual(['ECONNREFUSED'])
    expect(await ledger.jobs.show(job_id)).toMatchObject({
      outbox: [{ state: 'PENDING', last_error_code: 'ECONNREFUSED' }],
    })
    expect(await dispatch()).toEqual([])
    await world.advanceBy(30_000)
    await ledger.advance()
    expect(await dispatch()).toEqual([])
    await step(job_id, 'embedding', 'DISPATCHING')
    await dispatch()
    await state(job_id, 'SUCCEEDED')
  })
})

describe('A19 everything that is delivered twice', () => {
  /** Each callback reaches the ledger twice, and its answer is the first one. */
  const doubled = (handler: WebHandler): WebHandler => {
    return async (request) => {
      const copy = request.clone()
      const answer = await handler(request)
      await handler(copy)
      return answer
    }
  }

  it('is done once', async () => {
    const runs: string[] = []
    const done =
      (name: string): StepHandler =>
      async ({ heartbeat }) => {
        runs.push(name)
        await heartbeat()
        return name
      }
    await using system = await setUp({ OCR: done('ocr'), EMBEDDING: done('embedding') }, { between: doubled })
    const { ledger, submit, publisher, step, state } = system
    const twice: Publisher = {
      async publish(message, signal) {
        await Promise.all([publisher.publish(message, signal), publisher.publish(message, signal)])
      },
    }
    const job_id = await submit()
    const [row] = (await ledger.jobs.takeDirectives({ services: ['ocr'] })) as [OutboxRecord]
    await twice.publish(messageOf(row, 'ocr'), new AbortController().signal)
    await ledger.jobs.sent(row)
    await step(job_id, 'embedding', 'DISPATCHING')
    // And once more after all is done.
    await publisher.publish(messageOf(row, 'ocr'), new AbortController().signal)
    await system.dispatch(twice)
    await state(job_id, 'SUCCEEDED')
    await system.service.stop()
    expect(runs).toEqual(['ocr', 'embedding'])
    const events: string[] = []
    for await (const { event } of ledger.jobs.history(job_id)) events.push(event)
    expect(events).toContain('ignored')
    expect(await ledger.jobs.get(job_id)).toMatchObject({ state: 'SUCCEEDED', attempts_total: 2 })
  })

  it('is done once by two instances behind one address, too', async () => {
    let runs = 0
    const handlers = { OCR: () => ++runs }
    await using system = await setUp(handlers)
    const { world, ledger, submit, step } = system
    const other = createService({
      secrets: DIRECTIVE_SECRET,
      callbackSecret: CALLBACK_SECRET,
      handlers,
      world,
    })
    const { url } = await other.listen()
    const job_id = await submit()
    const [row] = (await ledger.jobs.takeDirectives({ services: ['ocr'] })) as [OutboxRecord]
    const { signal } = new AbortController()
    const elsewhere = httpPublisher({ url, secret: DIRECTIVE_SECRET, world })
    await Promise.all([system.publisher, elsewhere].map((by) => by.publish(messageOf(row, 'ocr'), signal)))
    await step(job_id, 'ocr', 'SUCCEEDED')
    await Promise.all([system.service.stop(), other.stop()])
    expect(runs).toBe(1)
  })
})

describe('a worker that is to stop', () => {
  it('A16 hears that its job is cancelled in the answer to a heartbeat', async () => {
    const { handler, begun, aborted } = held()
    await using system = await setUp({ OCR: handler })
    const job_id = await system.submit()
    await system.dispatch()
    await begun
    await system.ledger.jobs.cancel(job_id)
    expect(await system.ledger.jobs.get(job_id)).toMatchObject({ state: 'CANCELLING' })
    await system.world.advanceBy(60_000)
    expect(await aborted).toMatchObject({ code: 'CANCELLED' })
    await system.state(job_id, 'CANCELLED')
  })

  it('A12 A15 hears that another attempt has its step by a 409', async () => {
    const { handler, begun, aborted } = held()
    await using system = await setUp({ OCR: handler })
    const { ledger, world } = system
    const job_id = await system.submit()
    await system.dispatch()
    const signal = await begun
    // Its machine was asleep: nothing was heard from it for the whole lease.
    world.clock.jumpTo(world.clock.now() + 16 * 60_000)
    await ledger.advance()
    world.clock.jumpTo(world.clock.now() + 2 * 60_000)
    await ledger.advance()
    expect(await ledger.jobs.show(job_id)).toMatchObject({
      steps: [{ attempt_no: 2, state: 'DISPATCHING' }, {}],
    })
    await world.advanceBy(60_000)
    expect(await aborted).toMatchObject({ code: 'LEASE_LOST' })
    expect(signal.aborted).toBe(true)
    await system.service.stop()
    const events: string[] = []
    for await (const { event } of ledger.jobs.history(job_id)) events.push(event)
    expect(events).toContain('refused')
    expect(await ledger.jobs.show(job_id)).toMatchObject({
      steps: [{ attempt_no: 2, state: 'DISPATCHING' }, {}],
    })
  })
})
