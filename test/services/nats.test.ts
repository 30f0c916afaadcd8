// Directives over a real NATS server with JetStream.
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeliveryFailed, type Message, natsPublisher, type Publisher } from 'waybill'
import { consumeNats, createService, type Service, type StepHandler } from 'waybill/service'
import { whyNoProgram } from '../e2e/debian-package.ts'
import { NatsServer } from './nats-server.ts'
import { CALLBACK_SECRET, DIRECTIVE_SECRET, pushedLedger } from './pushed-ledger.ts'

const whyNot = await whyNoProgram('nats-server')

/** Reconnecting is not to be waited for. */
const QUICK = { reconnectTimeWait: 50, maxReconnectAttempts: -1 }

const STREAM = { stream: 'global-bus', createStream: true } as const

let nats: NatsServer
beforeAll(async () => {
  if (whyNot === null) nats = await NatsServer.start()
})
afterAll(() => nats?.[Symbol.asyncDispose]())

let made = 0
function message(fields: Partial<Message> = {}): Message {
  const outbox_id = `outbox-${++made}`
  const directive = { jobId: `j-${made}`, step_type: 'OCR' }
  return { outbox_id, topic: 'global-bus-p3', partition: 3, service: 'ocr', tries: 1, directive, ...fields }
}

const never = () => new AbortController().signal

async function failureOf(publishing: Promise<void>): Promise<DeliveryFailed> {
  const error = await publishing.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DeliveryFailed)
  expect((error as DeliveryFailed).next).not.toBe('')
  return error as DeliveryFailed
}

/** Until it works: it is told when the connection is back by its working. */
async function untilPublished(publisher: Publisher, one: Message): Promise<string[]> {
  const codes: string[] = []
  for (;;) {
    const error = await publisher.publish(one, never()).then(
      () => null,
      (thrown: DeliveryFailed) => thrown,
    )
    if (error === null) return codes
    codes.push(error.code)
    await new Promise(setImmediate)
  }
}

async function streamState(url: string, stream = 'global-bus') {
  const connection = await connect({ servers: url })
  try {
    const { state, config } = await (await jetstreamManager(connection)).streams.info(stream)
    return { messages: state.messages, config }
  } finally {
    await connection.close()
  }
}

// Nothing of this can be told without the program: the reason is in the title.
describe.skipIf(whyNot !== null)(`publishing to NATS${whyNot === null ? '' : ` (${whyNot})`}`, () => {
  it('makes a stream for all lanes, publishes to the lane, and drops what was published before', async () => {
    const publisher = await natsPublisher({ servers: nats.url, ...STREAM })
    const first = message()
    await publisher.publish(first, never())
    await publisher.publish({ ...first, tries: 2 }, never())
    await publisher.publish(message({ topic: 'global-bus-p15' }), never())
    const { messages, config } = await streamState(nats.url)
    expect(messages).toBe(2)
    expect(config.subjects).toHaveLength(16)
    expect(config.duplicate_window).toBe(15 * 60 * 1e9)
    await publisher.close?.()
    expect((await failureOf(publisher.publish(message(), never()))).code).toBe('NATS_DISCONNECTED')
  })

  it('says when no stream takes it, or another one would', async () => {
    const connection = await connect({ servers: nats.url })
    const nowhere = await natsPublisher({ connection, subject: ({ service }) => `nobody.${service}` })
    expect((await failureOf(nowhere.publish(message(), never()))).code).toBe('NATS_NO_STREAM')
    const other = await natsPublisher({ connection, stream: 'another' })
    expect((await failureOf(other.publish(message(), never()))).code).toMatch(/^NATS_\d+$/)
    await nowhere.close?.()
    // It is not ours to close.
    expect(connection.isClosed()).toBe(false)
    await connection.close()
    expect((await failureOf(other.publish(message(), never()))).code).toBe('NATS_DISCONNECTED')
  })

  it('does not wait longer than it is told to', async () => {
    const publisher = await natsPublisher({ servers: nats.url, ...STREAM })
    expect((await failureOf(publisher.publish(message(), AbortSignal.abort()))).code).toBe('ABORTED')
    const stop = new AbortController()
    const publishing = failureOf(publisher.publish(message(), stop.signal))
    stop.abort()
    expect((await publishing).code).toBe('ABORTED')
    await publisher.close?.()
  })

  it('fails while the server is away, goes on when it is back, and sends nothing on the sly', async () => {
    await using own = await NatsServer.start()
    const publisher = await natsPublisher({ servers: own.url, connect: QUICK, timeoutMs: 1000, ...STREAM })
    await publisher.publish(message(), never())
    await own.kill()
    // The client notices a moment later; until then the publish is under way, and lost.
    const lost = message()
    let code = (await failureOf(publisher.publish(lost, never()))).code
    while (code !== 'NATS_DISCONNECTED') code = (await failureOf(publisher.publish(lost, never()))).code
    const refused = message()
    expect((await failureOf(publisher.publish(refused, never()))).code).toBe('NATS_DISCONNECTED')
    await own.start()
    const late = message()
    const codes = await untilPublished(publisher, late)
    expect(new Set(codes).difference(new Set(['NATS_DISCONNECTED', 'NATS_NO_STREAM', 'TIMEOUT'])).size).toBe(
      0,
    )
    await untilPublished(publisher, lost)
    await untilPublished(publisher, late)
    expect((await streamState(own.url)).messages).toBe(3)
    // What was refused was not kept to be sent later: NATS has not seen its id.
    const connection = await connect({ servers: own.url })
    const ack = await jetstream(connection).publish(refused.topic, '', { msgID: refused.outbox_id })
    expect(ack.duplicate).toBe(false)
    await connection.close()
    await publisher.close?.()
  })

  it('makes its stream again when somebody removed it', async () => {
    await using own = await NatsServer.start()
    const publisher = await natsPublisher({ servers: own.url, ...STREAM })
    await publisher.publish(message(), never())
    const connection = await connect({ servers: own.url })
    await (await jetstreamManager(connection)).streams.delete(STREAM.stream)
    await connection.close()
    expect(await untilPublished(publisher, message())).toEqual(['NATS_NO_STREAM'])
    await publisher.close?.()
  })

  it('connects when there is somebody to connect to', async () => {
    await using own = await NatsServer.start()
    await own.kill()
    const publisher = await natsPublisher({ servers: [own.url], connect: QUICK, ...STREAM })
    expect((await failureOf(publisher.publish(message(), never()))).code).toBe('NATS_DISCONNECTED')
    await own.start()
    await untilPublished(publisher, message())
    expect((await streamState(own.url)).messages).toBe(1)
    await publisher.close?.()
  })
})

it('wants to know where NATS is', async () => {
  await expect(natsPublisher({})).rejects.toThrow('either servers or connection must be given')
})

// As above: the reason is in the title.
describe.skipIf(whyNot !== null)(
  `a service that reads from NATS${whyNot === null ? '' : ` (${whyNot})`}`,
  () => {
    async function setUp(handlers: { readonly [step_type: string]: StepHandler }) {
      const stack = new AsyncDisposableStack()
      const own = stack.use(await NatsServer.start())
      const pushed = stack.use(await pushedLedger())
      const publisher = await natsPublisher({ servers: own.url, connect: QUICK, ...STREAM })
      stack.defer(() => publisher.close?.())
      const { world } = pushed
      const instance = (only = handlers): Service =>
        stack.adopt(
          createService({
            secrets: DIRECTIVE_SECRET,
            callbackSecret: CALLBACK_SECRET,
            handlers: only,
            world,
          }),
          (service) => service.stop({ graceMs: 0 }),
        )
      const dispatch = () => pushed.dispatch({ ocr: publisher, embedding: publisher })
      return {
        ...pushed,
        own,
        publisher,
        dispatch,
        instance,
        [Symbol.asyncDispose]: () => stack.disposeAsync(),
      }
    }

    it('A19 A21 does its steps once, over two services and two instances of one', async () => {
      const runs: string[] = []
      const count: StepHandler = ({ directive }) => {
        runs.push(directive.stepId)
        return directive.stepId
      }
      await using system = await setUp({ OCR: count, EMBEDDING: count })
      const { own, publisher, submit, dispatch, step, state, instance } = system
      const job_id = await submit()
      // The stream comes with the first directive; services can only read one that is there.
      expect(await dispatch()).toEqual([])
      const ocr = { servers: own.url, connect: QUICK, durable: 'ocr' }
      await consumeNats(instance({ OCR: count }), ocr)
      await consumeNats(instance({ OCR: count }), ocr)
      await consumeNats(instance({ EMBEDDING: count }), { ...ocr, durable: 'embedding' })
      await step(job_id, 'embedding', 'DISPATCHING')
      expect(await dispatch()).toEqual([])
      await state(job_id, 'SUCCEEDED')
      // What is no directive is thrown away, and does not come again.
      await publisher.publish(message({ directive: { step_type: 'OCR' } }), never())
      const next = await submit({ second: true })
      await dispatch()
      await step(next, 'ocr', 'SUCCEEDED')
      expect(runs.toSorted()).toEqual(['embedding', 'ocr', 'ocr'])
    })

    it('goes on when the server was away', async () => {
      await using system = await setUp({ OCR: () => 1 })
      const { own, submit, dispatch, step, instance, publisher } = system
      const first = await submit()
      await dispatch()
      const service = instance()
      await consumeNats(service, { servers: own.url, connect: QUICK, durable: 'ocr' })
      await step(first, 'ocr', 'SUCCEEDED')
      await own.kill()
      await own.start()
      await untilPublished(publisher, message({ directive: { step_type: 'SIS' } }))
      const second = await submit({ second: true })
      await dispatch()
      await step(second, 'ocr', 'SUCCEEDED')
      await service.stop()
    })

    it('can be stopped while the server is away', async () => {
      await using system = await setUp({ OCR: () => 1 })
      await system.submit()
      await system.dispatch()
      const service = system.instance()
      await consumeNats(service, { servers: system.own.url, connect: QUICK, durable: 'ocr' })
      await system.own.kill()
      await service.stop()
    })

    it('says when there is nothing to read', async () => {
      await using system = await setUp({ OCR: () => 1 })
      const reading = consumeNats(system.instance(), { servers: system.own.url, durable: 'ocr' })
      await expect(reading).rejects.toMatchObject({ name: 'DeliveryFailed', code: 'NATS_NO_STREAM' })
    })
  },
)
