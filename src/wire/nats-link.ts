// A connection to NATS that is made when it is first needed, made again when it was closed, and that says when it is
// down: the client itself would keep what is sent meanwhile, and send it after everybody has given up on it.
//
// The packages of NATS are optional: they are loaded here and nowhere else, and nothing of their types shows outside.
import type { JetStreamApiError, JetStreamClient } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { InvalidInput } from '../errors/input-errors.ts'
import { MissingPackage } from '../errors/message-errors.ts'
import { DeliveryFailed } from './delivery-failed.ts'
import type { NatsOptions } from './nats-options.ts'

const PACKAGES = ['@nats-io/transport-node', '@nats-io/jetstream'] as const

/** The stream of the topics `global-bus-p…`, unless somebody calls it otherwise. */
export const BUS_STREAM = 'global-bus'

const NANOS_PER_MS = 1_000_000

/** NATS counts time so. */
export function nanosOf(ms: number): number {
  return ms * NANOS_PER_MS
}

type Loaded = Pick<typeof import('@nats-io/transport-node'), 'connect'> &
  Pick<typeof import('@nats-io/jetstream'), 'jetstream' | 'jetstreamManager'>

/** Says `DeliveryFailed` in place of whatever NATS says. */
export class NatsLink {
  readonly #nats: Loaded
  readonly #options: NatsOptions
  #connection: Promise<NatsConnection> | null = null
  #isDown = false
  #isClosed = false

  private constructor(nats: Loaded, options: NatsOptions) {
    this.#nats = nats
    this.#options = options
    if (options.connection !== undefined)
      this.#connection = this.#follow(options.connection as NatsConnection)
  }

  /** Loads the packages, so that one that is missing is told of at once; connects later. */
  static async load(options: NatsOptions, what: string): Promise<NatsLink> {
    if ((options.servers === undefined) === (options.connection === undefined)) {
      const message = 'either servers or connection must be given'
      throw new InvalidInput(
        'servers',
        message,
        "Give the address of NATS: servers: 'nats://127.0.0.1:4222'.",
      )
    }
    try {
      const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
        import('@nats-io/transport-node'),
        import('@nats-io/jetstream'),
      ])
      return new NatsLink({ connect, jetstream, jetstreamManager }, options)
    } catch (error) {
      throw new MissingPackage({ what, packages: PACKAGES }, { cause: error })
    }
  }

  async jetstream(): Promise<JetStreamClient> {
    return this.#nats.jetstream(await this.#up())
  }

  async manager() {
    return this.#nats.jetstreamManager(await this.#up())
  }

  /** Closes the connection, if it was made here. */
  async close(): Promise<void> {
    this.#isClosed = true
    const connection = await this.#connection?.catch(() => null)
    if (this.#options.connection === undefined) await connection?.close()
  }

  async #up(): Promise<NatsConnection> {
    if (this.#isClosed) throw down('The connection to NATS was closed')
    this.#connection ??= this.#connect()
    const connection = await this.#connection
    if (this.#isDown || connection.isClosed()) throw down('NATS cannot be reached at present')
    return connection
  }

  async #connect(): Promise<NatsConnection> {
    const { servers = [], connect } = this.#options
    try {
      const list = typeof servers === 'string' ? [servers] : [...servers]
      const connection = await this.#nats.connect({ maxReconnectAttempts: -1, ...connect, servers: list })
      return await this.#follow(connection)
    } catch (error) {
      this.#connection = null
      throw natsFailure(error)
    }
  }

  async #follow(connection: NatsConnection): Promise<NatsConnection> {
    this.#isDown = false
    void this.#watch(connection)
    return connection
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#isDown = true
      if (type === 'reconnect') this.#isDown = false
    }
    // Closed for good: the next one who needs it makes another.
    if (this.#options.connection === undefined) this.#connection = null
  }
}

function down(message: string, cause?: unknown): DeliveryFailed {
  return new DeliveryFailed(
    'NATS_DISCONNECTED',
    message,
    'See whether NATS runs; this goes on when it does.',
    cause,
  )
}

/** By their names: there may be several copies of NATS's packages, and of their classes. */
export function natsFailure(error: unknown): DeliveryFailed {
  if (error instanceof DeliveryFailed) return error
  const { name, message } = error as Error
  switch (name) {
    case 'TimeoutError':
      return new DeliveryFailed('TIMEOUT', 'NATS did not answer in time', 'See how NATS is.', error)
    case 'JetStreamNotEnabled':
    case 'NoRespondersError':
    case 'StreamNotFoundError': {
      const next = 'Make a stream for the subjects (createStream does), and see that JetStream is enabled.'
      return new DeliveryFailed('NATS_NO_STREAM', 'No stream of NATS takes this', next, error)
    }
    case 'AuthorizationError':
    case 'PermissionViolationError':
    case 'UserAuthenticationExpiredError': {
      const next = 'Give `connect` the credentials of a user who may do this.'
      return new DeliveryFailed('NATS_NOT_ALLOWED', `NATS does not allow it: ${message}`, next, error)
    }
    case 'JetStreamApiError': {
      const code = `NATS_${(error as JetStreamApiError).code}`
      return new DeliveryFailed(code, `NATS refused: ${message}`, 'See how the stream is set up.', error)
    }
    default:
      return down(`The connection to NATS failed: ${message}`, error)
  }
}
