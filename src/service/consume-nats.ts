import type { JsMsg } from '@nats-io/jetstream'
import { SECOND_MS } from '../core/time.ts'
import { BadMessage, ServiceBusy, ServiceStopping } from '../errors/message-errors.ts'
import { BUS_STREAM, NatsLink, nanosOf, natsFailure } from '../wire/nats-link.ts'
import type { NatsOptions } from '../wire/nats-options.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Service } from './service.ts'
import type { ServiceWorld } from './service-world.ts'
import { wait } from './wait.ts'

export interface ConsumeNatsOptions extends NatsOptions {
  /** Where directives are published to; `global-bus` when absent. */
  readonly stream?: string | undefined
  /** Names the consumer, which NATS remembers: instances of a service share one, and with it the work. */
  readonly durable: string
  /** Only these; every one of the stream when absent. More than one needs NATS 2.10. */
  readonly subjects?: readonly string[] | undefined
}

export interface Consuming extends AsyncDisposable {
  stop(): Promise<void>
}

/** NATS brings a directive again that was not acknowledged, so often and after so long. */
const MAX_DELIVER = 100
const ACK_WAIT_MS = 30 * SECOND_MS
/** Fetched ahead: more than this waits at NATS, where other instances can have it. */
const MAX_MESSAGES = 10
const BUSY_MS = 5 * SECOND_MS
const AGAIN_MS = 2 * SECOND_MS

/**
 * Has a service take its directives from JetStream. They are not signed: NATS says who may publish. Lanes are shared by
 * all services, so what is for others is passed over.
 */
export async function consumeNats(service: Service, options: ConsumeNatsOptions): Promise<Consuming> {
  const { stream = BUS_STREAM, durable } = options
  const { world } = service
  const link = await NatsLink.load(options, 'Consuming from NATS')
  const stopping = new AbortController()
  let messages: { close(): Promise<unknown> } | undefined
  const open = async () => {
    await makeConsumer(link, stream, options)
    const consumer = await (await link.jetstream()).consumers.get(stream, durable)
    const opened = await consumer.consume({ max_messages: MAX_MESSAGES })
    messages = opened
    return opened
  }
  const first = await open().catch(async (error: unknown) => {
    await link.close()
    throw natsFailure(error)
  })
  const run = async () => {
    for (let current: typeof first | null = first; !stopping.signal.aborted; ) {
      try {
        for await (const message of current ?? (await open())) deliver(service, message, world)
      } catch (error) {
        world.logger.warn({ err: natsFailure(error) }, 'Reading from NATS broke off')
      }
      current = null
      await wait(world.timers, AGAIN_MS, stopping.signal)
    }
  }
  const running = run()
  const stop = async () => {
    stopping.abort()
    await messages?.close()
    await running
    await link.close()
  }
  service.addSource(stop)
  return { stop, [Symbol.asyncDispose]: stop }
}

/** Acknowledged when the service has it: from then on it is the ledger that notices if nothing becomes of it. */
function deliver(service: Service, message: JsMsg, { logger }: ServiceWorld): void {
  try {
    const json = parseJson(message.data)
    if (service.does(json)) service.take(json)
    message.ack()
  } catch (error) {
    logger.warn({ err: error, subject: message.subject }, 'A directive was not taken')
    if (error instanceof ServiceBusy) message.nak(BUSY_MS)
    else if (error instanceof ServiceStopping) message.nak()
    else if (error instanceof BadMessage) message.term(error.code)
    else throw error
  }
}

async function makeConsumer(link: NatsLink, stream: string, { durable, subjects }: ConsumeNatsOptions) {
  const { consumers } = await link.manager()
  const isThere = await consumers.info(stream, durable).then(
    () => true,
    (error: Error) => {
      if (error.name === 'ConsumerNotFoundError') return false
      throw error
    },
  )
  if (isThere) return
  await consumers.add(stream, {
    durable_name: durable,
    ack_policy: 'explicit',
    ack_wait: nanosOf(ACK_WAIT_MS),
    max_deliver: MAX_DELIVER,
    ...filterOf(subjects ?? []),
  })
}

function filterOf(subjects: readonly string[]) {
  const [only, ...more] = subjects
  if (only === undefined) return null
  return more.length === 0 ? { filter_subject: only } : { filter_subjects: [...subjects] }
}
