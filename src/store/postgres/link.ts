import type { ClientConfig, QueryResult, QueryResultRow } from 'pg'
import { pause } from '../../world/pause.ts'
import type { World } from '../../world/world.ts'
import { isLost, sqlState, translated } from './errors.ts'
import type { Pg, PgClient } from './load-pg.ts'

/** Nothing that the ledger asks takes so long; what does is given up. */
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 10_000
/** A server that says nothing for longer than it may take is gone. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 15_000
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_AFTER_MS = 10_000

/** Pauses before a lost server is tried again: half a minute in all. */
const PAUSES_MS = [0, 50, 100, 200, 400, 800, 1500, 2000, 3000, 4000, 5000, 6000, 7000]

/** A startup parameter that a pooler does not know. */
const UNKNOWN_PARAMETER = /unsupported startup parameter/

export interface Server {
  readonly pg: Pg
  readonly url: string
  /** The URL as it may be shown. */
  readonly address: string
  readonly world: World
  /** Whether statements may be prepared under a name. */
  readonly prepares: boolean
}

/** Servers that somebody was connected to before: they are waited for, also by a connection that is made for the first time. */
const KNOWN = new WeakSet<Server>()

export interface Query {
  /** Prepared under this name, once for each connection. */
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
}

/**
 * One connection. It is made when it is first needed, and made again when it was lost: whoever asks next waits for that. While
 * nothing is asked it does not keep the process alive.
 */
export class Link {
  readonly #server: Server
  #client: Promise<PgClient> | null = null
  readonly #dropped = new WeakSet<PgClient>()
  #isClosed = false
  #pending = 0
  /** Is called with a connection before anybody else gets it. */
  readonly #prepare: (client: PgClient) => Promise<void>

  constructor(server: Server, prepare: (client: PgClient) => Promise<void> = async () => {}) {
    this.#server = server
    this.#prepare = prepare
  }

  get address(): string {
    return this.#server.address
  }

  get pending(): number {
    return this.#pending
  }

  client(): Promise<PgClient> {
    this.#client ??= this.#connect()
    return this.#client
  }

  /** Sent at once, behind whatever was sent before on the same connection. */
  async ask<R extends QueryResultRow>(
    client: PgClient,
    { name, text, values = [] }: Query,
  ): Promise<QueryResult<R>> {
    const prepared = name === undefined || !this.#server.prepares ? null : { name }
    if (this.#pending++ === 0) client.ref()
    try {
      return await client.query<R, unknown[]>({ ...prepared, text, values: values as unknown[] })
    } catch (error) {
      if (isLost(error)) this.drop(client)
      throw error
    } finally {
      if (--this.#pending === 0) client.unref()
    }
  }

  /**
   * Whatever is asked within goes out at once. Otherwise the server may begin with the first of it and take the processor
   * from us before the rest is sent: whoever waits for a lock that the last of it gives back waits for that as well.
   */
  together<T>(client: PgClient, asking: () => T): T {
    const { stream } = client.connection
    stream.cork()
    try {
      return asking()
    } finally {
      stream.uncork()
    }
  }

  /** For what changes nothing: it is simply asked again on another connection when this one is lost. */
  async read<R extends QueryResultRow>(query: Query): Promise<readonly R[]> {
    const [rows] = await this.readAll<R>([query])
    return rows as readonly R[]
  }

  /** All of them are sent together. */
  async readAll<R extends QueryResultRow>(queries: readonly Query[]): Promise<readonly (readonly R[])[]> {
    for (let tries = 1; ; tries++) {
      const client = await this.client()
      const asked = this.together(client, () => queries.map((query) => this.ask<R>(client, query)))
      const answers = await Promise.allSettled(asked)
      const failed = answers.find((answer) => answer.status === 'rejected')
      if (failed === undefined) {
        return answers.map((answer) => (answer as PromiseFulfilledResult<QueryResult<R>>).value.rows)
      }
      if (!isLost(failed.reason) || tries >= MOST_TRIES || this.#isClosed) {
        throw translated(failed.reason, this.address)
      }
    }
  }

  /** Nobody gets this connection any more. Everybody who asked something on it says so when it is lost. */
  drop(client: PgClient): void {
    if (this.#dropped.has(client)) return
    this.#dropped.add(client)
    void this.#client?.then(
      (current) => {
        if (current === client) this.#client = null
      },
      () => {},
    )
    void client.end().catch(() => {})
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.rest()
  }

  /** Gives the connection up until it is needed again. */
  async rest(): Promise<void> {
    const client = await this.#client?.catch(() => null)
    this.#client = null
    // Somebody waits for its end, and there may be nothing else that keeps the process alive.
    client?.ref()
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<PgClient> {
    const held = this.#server.world.timers.hold()
    try {
      for (let tries = 1; ; tries++) {
        try {
          const client = await this.#connectOnce(CONFIG)
          KNOWN.add(this.#server)
          return client
        } catch (error) {
          const mayComeBack = isLost(error) && (KNOWN.has(this.#server) || sqlState(error) !== undefined)
          if (!mayComeBack || this.#isClosed || tries >= PAUSES_MS.length) {
            throw translated(error, this.address)
          }
        }
        await pause(this.#server.world.timers, PAUSES_MS[tries] as number)
      }
    } catch (error) {
      this.#client = null
      throw error
    } finally {
      held.cancel()
    }
  }

  async #connectOnce(config: ClientConfig): Promise<PgClient> {
    const { pg, url } = this.#server
    const client = pg.newClient({ ...config, connectionString: url })
    // Whoever has asked something is told by that; the next one asks on a new connection.
    client.on('error', () => this.drop(client))
    try {
      await client.connect()
      if (config.statement_timeout === undefined) await client.query(SETTINGS)
      await this.#prepare(client)
    } catch (error) {
      await client.end().catch(() => {})
      const isPooler = config.statement_timeout !== undefined && UNKNOWN_PARAMETER.test(String(error))
      if (isPooler) return this.#connectOnce(PLAIN_CONFIG)
      throw error
    }
    if (this.#pending === 0) client.unref()
    return client
  }
}

const MOST_TRIES = 5

const PLAIN_CONFIG: ClientConfig = {
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  fallback_application_name: 'waybill',
}

const CONFIG: ClientConfig = {
  ...PLAIN_CONFIG,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
}

const SETTINGS = `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET lock_timeout = ${LOCK_TIMEOUT_MS}`
