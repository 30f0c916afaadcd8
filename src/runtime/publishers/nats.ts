import { LANES, topicOf } from '../../core/routing.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { givenUp } from '../../wire/delivery-failed.ts'
import { BUS_STREAM, NatsLink, nanosOf, natsFailure } from '../../wire/nats-link.ts'
import type { NatsOptions } from '../../wire/nats-options.ts'
import type { Message, Publisher } from './publisher.ts'

export interface NatsPublisherOptions extends NatsOptions {
  /** The subject of a directive; its topic, which is its lane's, when absent. */
  readonly subject?: ((message: Message) => string) | undefined
  /** When given, directives that another stream would take are refused by NATS. */
  readonly stream?: string | undefined
  /** Makes the stream when there is none. */
  readonly createStream?: boolean | NewStream | undefined
  /** For the acknowledgement of NATS; 10 seconds when absent. */
  readonly timeoutMs?: number | undefined
}

export interface NewStream {
  /** The topics of all lanes when absent. */
  readonly subjects?: readonly string[] | undefined
  /** A directive that is published again within this time is dropped; 15 minutes when absent. */
  readonly dedupeMs?: number | undefined
  /** Directives are kept no longer; a day when absent. */
  readonly maxAgeMs?: number | undefined
}

const TIMEOUT_MS = 10 * SECOND_MS
/** All tries of a publish, with the waits between them, fit into it. */
const DEDUPE_MS = 15 * MINUTE_MS
/** By then each of them has been given to another attempt. */
const MAX_AGE_MS = 24 * HOUR_MS

/** Publishes directives to JetStream: sent is what NATS has acknowledged. Repetitions are told by the outbox id. */
export async function natsPublisher(options: NatsPublisherOptions): Promise<Publisher> {
  const { subject = (message: Message) => message.topic, timeoutMs = TIMEOUT_MS } = options
  const { stream = options.createStream ? BUS_STREAM : undefined } = options
  const link = await NatsLink.load(options, 'Publishing to NATS')
  const expect = stream === undefined ? {} : { expect: { streamName: stream } }
  let isThere = !options.createStream

  async function send(message: Message): Promise<void> {
    if (!isThere) await makeStream(link, stream ?? BUS_STREAM, options.createStream)
    isThere = true
    const body = JSON.stringify(message.directive)
    const js = await link.jetstream()
    await js.publish(subject(message), body, { msgID: message.outbox_id, timeout: timeoutMs, ...expect })
  }

  return {
    publish: (message, signal) =>
      unlessAborted(signal, () => send(message)).catch((error: unknown) => {
        const failure = natsFailure(error)
        // Somebody may have removed it.
        if (failure.code === 'NATS_NO_STREAM') isThere = !options.createStream
        throw failure
      }),
    close: () => link.close(),
  }
}

async function makeStream(link: NatsLink, name: string, given: boolean | NewStream | undefined) {
  const { subjects, dedupeMs = DEDUPE_MS, maxAgeMs = MAX_AGE_MS } = typeof given === 'object' ? given : {}
  const { streams } = await link.manager()
  const isThere = await streams.info(name).then(
    () => true,
    (error: Error) => {
      if (error.name === 'StreamNotFoundError') return false
      throw error
    },
  )
  if (isThere) return
  await streams.add({
    name,
    subjects: [...(subjects ?? Array.from({ length: LANES }, (_, lane) => topicOf(lane)))],
    duplicate_window: nanosOf(dedupeMs),
    max_age: nanosOf(maxAgeMs),
  })
}

/** NATS knows nothing of signals: it may still get what nobody waits for any longer, and then knows a repetition. */
async function unlessAborted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(givenUp('The publish', signal.reason))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([promise, signal.aborted ? promise : work()])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
